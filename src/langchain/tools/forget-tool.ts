import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import type { ForgetPreview, ForgetReport } from '../../engine/forget/forget-event.ts';
import type { ForgetTarget } from '../../model/forget-target.ts';
import type { MemoryScope } from '../../engine/memory-scope.ts';
import { CancelledError } from '../../errors/index.ts';
import type { Milliseconds } from '../../model/ids.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { ForgetConfirmations } from './forget-confirmation.ts';
import { type GuardOptions, guarded, type ToolReply } from './guarded.ts';

export interface ForgetToolOptions extends Pick<GuardOptions, 'logger'> {
  readonly memory: Pick<MemoryScope, 'name' | 'previewForget' | 'forget'>;
  readonly clock: () => Milliseconds;
  readonly confirmationMinutes: number;
}

export const FORGET = 'forget';
const AUTHOR = 'agent';
const LONGEST_NAME = 80;
const MOST_NAMES = 10;

const time = z.string().min(1).max(100).optional();
const schema = z.object({
  turns: z
    .array(z.string().min(1).max(500))
    .min(1)
    .max(1_000)
    .optional()
    .describe('Ids of turns, as search_memory shows them.'),
  entity: z.string().min(1).max(500).optional().describe('Name or id of a person, place or thing.'),
  entity_turns: z
    .boolean()
    .optional()
    .describe('With entity: whether each turn that mentions it goes, too, and not only what is known of it.'),
  session: z.string().min(1).max(500).optional().describe('A whole conversation.'),
  query: z.string().min(1).max(10_000).optional().describe('The turns that a search for this finds first.'),
  limit: z.number().int().min(1).max(100).optional().describe('With query: how many. Default 10.'),
  after: time.describe('What was said from this time on, such as 2026-03-01.'),
  before: time.describe('What was said before this time.'),
  quotations: z
    .boolean()
    .optional()
    .describe('Whether turns that quote those go, too: the first call lists them. Default false.'),
  confirmation: z
    .string()
    .max(200)
    .optional()
    .describe('As the first call with the same arguments gave it, once the user has agreed.'),
});
type Input = z.output<typeof schema>;

const DESCRIPTION = `Forgets for good, in two steps. Name what is to go in one way: turns, entity, session, query, or after and before. The first call shows what would go and gives a confirmation; show it to the user and ask. Only if they agree, call again with the same arguments and the confirmation. ${DATA_RULE}`;

export function forgetTool({ memory, clock, confirmationMinutes, logger }: ForgetToolOptions) {
  const lifetime = confirmationMinutes * 60_000;
  const confirmations = new ForgetConfirmations({ scope: memory.name, clock, lifetime });
  const guard = { name: FORGET, logger };
  const forget = guarded(guard, async ({ confirmation, ...input }: Input, { signal }) => {
    const target = targetOf(input);
    const { quotations = false } = input;
    const preview = await memory.previewForget(target, { quotations });
    if (signal?.aborted) throw new CancelledError('memory is as it was', signal.reason);
    if (isEmpty(preview)) return nothingReply(preview);
    const isConfirmed = confirmation !== undefined && confirmations.confirms(confirmation, preview);
    if (!isConfirmed)
      return previewReply(preview, {
        ...{ confirmation: confirmations.tokenFor(preview), confirmationMinutes },
        isRefused: confirmation !== undefined,
      });
    // Exactly the turns that were shown, whatever a search would find by now.
    const isEntity = 'entity' in target;
    const shown: ForgetTarget = isEntity ? target : { episodes: preview.episodes };
    const options = { author: AUTHOR, quotations: isEntity && quotations, ...(signal ? { signal } : {}) };
    return doneReply(await memory.forget(shown, options));
  });
  return tool(forget, {
    ...{ name: FORGET, description: DESCRIPTION, schema },
    responseFormat: 'content_and_artifact',
  });
}

/** As the engine wants it, which refuses what names nothing, or too much. */
function targetOf({
  turns,
  entity,
  entity_turns,
  session,
  query,
  limit,
  after,
  before,
}: Input): ForgetTarget {
  const parts: Record<string, unknown> = { episodes: turns, entity, session, query, limit, after, before };
  const given = Object.entries(parts).filter(([, value]) => value !== undefined);
  const withTurns = entity_turns === undefined ? [] : [['episodes', entity_turns]];
  return Object.fromEntries([...given, ...(entity === undefined ? [] : withTurns)]) as ForgetTarget;
}

function isEmpty({ counts, episodes }: ForgetPreview): boolean {
  return episodes.length === 0 && Object.values(counts).every((count) => count === 0);
}

function nothingReply({ target }: ForgetPreview): ToolReply {
  return { content: 'There is nothing to forget.', artifact: { type: 'nothing', target } };
}

interface Asking {
  readonly confirmation: string;
  readonly confirmationMinutes: number;
  /** Whether a confirmation was given that is not one for this. */
  readonly isRefused: boolean;
}

function previewReply(preview: ForgetPreview, asking: Asking): ToolReply {
  const { confirmation, confirmationMinutes, isRefused } = asking;
  const { target, counts, episodes, examples, vanishing, reread, alsoSaid } = preview;
  const names = vanishing.slice(0, MOST_NAMES).map(({ name }) => asLabel(name, LONGEST_NAME));
  const lines = [
    ...examples.map(
      ({ session, at, text }) => `- ${asLabel(session, LONGEST_NAME)}, ${at}: ${asLabel(text, 200)}`,
    ),
    ...(episodes.length > examples.length ? [`- and ${episodes.length - examples.length} more turns`] : []),
    ...(names.length === 0 ? [] : [`Nothing would be left of: ${names.join(', ')}`]),
    ...(alsoSaid.total === 0
      ? []
      : [`Also said in turns that would stay (${alsoSaid.total} in all; quotations takes them along):`]),
    ...alsoSaid.turns.map(
      ({ session, speaker, at, text }) =>
        `- ${asLabel(session, LONGEST_NAME)}, ${at}, ${asLabel(speaker, LONGEST_NAME)}: ${asLabel(text, 200)}`,
    ),
    ...(alsoSaid.total > alsoSaid.turns.length
      ? [`- and ${alsoSaid.total - alsoSaid.turns.length} more turns`]
      : []),
  ];
  const refusal = isRefused
    ? 'This confirmation is not one for this: it is too old, was given for something else, or memory has changed since. '
    : '';
  const content = [
    `${refusal}Nothing has been forgotten yet. This would go: ${countsText(counts)}.`,
    ...(lines.length === 0 ? [] : [fence(DATA, lines.join('\n'))]),
    `Ask the user. If they agree, call again with the same arguments and the confirmation ${confirmation} within ${confirmationMinutes} minutes.`,
  ].join('\n');
  const shown = {
    target,
    counts,
    episodes: [...episodes],
    examples: [...examples],
    vanishing: [...vanishing],
    alsoSaid: { total: alsoSaid.total, turns: [...alsoSaid.turns] },
  };
  return { content, artifact: { type: 'preview', ...shown, reread, confirmation, refused: isRefused } };
}

function doneReply({ target, removed, reread, proof, onDisk, alsoSaid }: ForgetReport): ToolReply {
  const quoted = alsoSaid === 0 ? '' : ` Turns that stay and quote what went: ${alsoSaid}.`;
  const clean = proof.clean ? '' : ' Some of the words are still held elsewhere in memory.';
  const disk = onDisk === 'needs compact' ? ' The file keeps the words until it is compacted.' : '';
  return {
    content: `Forgotten: ${countsText(removed)}.${quoted}${clean}${disk}`,
    artifact: { type: 'forgotten', target, removed, reread, alsoSaid, proof, onDisk },
  };
}

const NAMES: readonly (readonly [kind: keyof ForgetPreview['counts'], one: string, many: string])[] = [
  ['episode', 'turn', 'turns'],
  ['fact', 'fact', 'facts'],
  ['entity', 'entity', 'entities'],
];

function countsText(counts: ForgetPreview['counts']): string {
  const parts = NAMES.flatMap(([kind, one, many]) => {
    const count = counts[kind] ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return parts.length === 0 ? 'what was read from turns that stay' : parts.join(', ');
}
