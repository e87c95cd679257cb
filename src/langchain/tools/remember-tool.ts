import { createHash, randomUUID } from 'node:crypto';
import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import type { MemoryScope } from '../../engine/memory-scope.ts';
import type { AddOutcome } from '../../ingest/admit/plan-episodes.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Role, Trust } from '../../model/nodes.ts';
import { type GuardOptions, guarded, type ToolCallContext, type ToolReply } from './guarded.ts';

export interface RememberToolOptions extends Pick<GuardOptions, 'logger'> {
  readonly memory: Pick<MemoryScope, 'add'>;
  readonly session: string;
  readonly speaker: string;
  readonly role: Role;
  readonly trust: Trust;
  readonly clock: () => Milliseconds;
}

export const REMEMBER = 'remember';
const SOURCE = 'remember-tool';
const LONGEST = 8_000;

const schema = z.object({
  content: z
    .string()
    .min(1)
    .max(LONGEST)
    .describe(
      'Full sentences that are understood without this conversation: names in place of "I", "he" or "it", dates in place of "yesterday".',
    ),
  at: z
    .string()
    .max(100)
    .optional()
    .describe('When it was said, if that was not now: a date such as 2026-03-01.'),
});

const DESCRIPTION =
  'Remembers something for later conversations: what the user tells of themselves, what they like, decide or plan, or asks you to keep in mind. Not for what only matters now, and never for passwords or keys.';

export function rememberTool({ memory, clock, logger, ...said }: RememberToolOptions) {
  const { session, speaker, role, trust } = said;
  const guard = { name: REMEMBER, logger };
  const remember = guarded(guard, async ({ content, at }: z.output<typeof schema>, context) => {
    const turn = { content, at: at ?? clock(), session, speaker, role, trust };
    const named = { source: SOURCE, sourceId: sourceIdOf(content, context) };
    const { outcomes } = await memory.add({ ...turn, ...named }, { signal: context.signal });
    return replyTo(outcomes[0]!);
  });
  return tool(remember, {
    ...{ name: REMEMBER, description: DESCRIPTION, schema },
    responseFormat: 'content_and_artifact',
  });
}

/**
 * A tool call that is carried out again, because its run is resumed, adds nothing twice. Some models number their calls
 * anew each time, so the words are part of the name: one memory never takes the place of another.
 */
function sourceIdOf(content: string, { callId, thread }: ToolCallContext): string {
  if (callId === null) return randomUUID();
  return createHash('sha256')
    .update(JSON.stringify([thread, callId, content]))
    .digest('hex')
    .slice(0, 32);
}

function replyTo(outcome: AddOutcome): ToolReply {
  const artifact = { type: 'remembered', ...outcome };
  if (outcome.status === 'rejected') return { content: `Not remembered: ${outcome.reason}.`, artifact };
  if (outcome.status === 'known') return { content: 'This was remembered already.', artifact };
  const kinds = outcome.redacted?.map(({ kind }) => kind) ?? [];
  const secrets = kinds.length === 0 ? '' : ` Blacked out first: ${kinds.join(', ')}.`;
  return { content: `Remembered as turn ${outcome.id}.${secrets}`, artifact };
}
