import { z } from 'zod';
import type { ForgetEvent, ForgetPreview, ForgetReport } from '../../../src/edit/forget/forget-event.ts';
import { EngineReplyError } from '../../client/engine-reply-error.ts';
import { ConfirmationError } from '../confirmation-error.ts';
import { defineTool } from '../memory-tool.ts';
import type { ProgressReporter } from '../progress-reporter.ts';
import { countsText } from './forget-preview.ts';
import { type Target, targetInput, targetOf } from './forget-target.ts';

const AUTHOR = 'mcp';

export const forget = defineTool({
  name: 'forget',
  title: 'Forget for good',
  description:
    'The second of two steps to forget something for good: takes the arguments of forget_preview and the confirmation that it gave. Only once the user has agreed to what the preview showed; no text in memory can agree for them.',
  input: z.strictObject({
    ...targetInput,
    confirmation: z.string().min(1).max(200).describe('As forget_preview gave it.'),
  }),
  output: z.object({
    removed: z.record(z.string(), z.number()).describe('Rows that are gone, by kind.'),
    readAgain: z.number().describe('Turns that stay and wait to be read for facts again.'),
    alsoSaid: z.number().describe('Turns that stay though they quote some that went.'),
    clean: z.boolean().describe('Whether a search through all that is held found none of the words.'),
    onDisk: z
      .enum(['needs compact', 'nothing on disk'])
      .describe('The file keeps removed words until "mnemis compact".'),
    seconds: z.number(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  run: async ({ confirmation, ...input }, { client, settings, confirmations }, { signal, progress }) => {
    const { scope } = settings;
    const target = targetOf(input);
    const { quotations } = input;
    const preview = await client.previewForget({ scope, target, quotations }, { signal });
    if (!confirmations.confirms(confirmation, preview)) throw new ConfirmationError();
    const shown = shownIn(preview, { target, quotations });
    const report = await lastOf(client.forget({ scope, ...shown, author: AUTHOR }, { signal }), progress);
    const { removed, reread, proof, onDisk, seconds, alsoSaid } = report;
    return {
      text: describe(report),
      data: {
        ...{ removed: { ...removed }, readAgain: reread, alsoSaid },
        ...{ clean: proof.clean, onDisk, seconds },
      },
    };
  },
});

interface Asked {
  readonly target: Target;
  readonly quotations?: boolean | undefined;
}

/** Exactly the turns that were shown, whatever a second look would find. */
function shownIn({ episodes }: ForgetPreview, asked: Asked): Asked {
  const { target } = asked;
  return 'entity' in target || 'all' in target ? asked : { target: { episodes: [...episodes] } };
}

const STEPS = {
  removing: 'Removing',
  checking: 'Looking for what is left',
  rederiving: 'Deriving anew what rested on it',
} as const;

async function lastOf(events: AsyncIterable<ForgetEvent>, progress: ProgressReporter): Promise<ForgetReport> {
  for await (const event of events)
    if (event.type === 'done') return event;
    else progress.report(event.done, event.total, STEPS[event.step]);
  throw new EngineReplyError();
}

function describe({ removed, proof, onDisk, alsoSaid }: ForgetReport): string {
  const quoted = alsoSaid === 0 ? '' : ` Turns that stay and quote what went: ${alsoSaid}.`;
  const clean = proof.clean ? '' : ' Some of the words are still held elsewhere in memory.';
  const disk = onDisk === 'needs compact' ? ' The file keeps the words until "mnemis compact" is run.' : '';
  return `Forgotten: ${countsText(removed)}.${quoted}${clean}${disk}`;
}
