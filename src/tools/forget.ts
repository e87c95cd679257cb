import { z } from 'zod';
import type { ForgetEvent, ForgetPreview, ForgetReport } from '../edit/forget/forget-event.ts';
import { CancelledError, InvalidInputError } from '../errors/index.ts';
import { defineError } from '../errors/mnemis-error.ts';
import { type ForgetTarget, forgetParts, oneForgetTarget } from '../model/forget-target.ts';
import { options } from '../model/options.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../prompts/as-data.ts';
import { counted } from '../util/counted.ts';
import { defineTool, type ToolCall, type ToolContext } from './agent-tool.ts';
import { checkTimes, timeInput } from './check-time.ts';

const LONGEST_NAME = 80;
const LONGEST_EXAMPLE = 200;
/** Names of entities that a reply lists as vanishing. */
export const MOST_NAMES = 20;

/** A flat object, which every client can show and every model can fill in. */
const targetInput = {
  turns: z
    .array(forgetParts.turn)
    .min(1)
    .max(1_000)
    .optional()
    .describe('Ids of turns, as search_memory shows them.'),
  entity: z.string().min(1).max(500).optional().describe('Name or id of a person, place or thing.'),
  entity_turns: z
    .boolean()
    .optional()
    .describe('With entity: whether each turn that mentions it goes, too, and not only what is known of it.'),
  session: forgetParts.session.optional().describe('A whole conversation.'),
  quotations: options.quotations
    .optional()
    .describe('Whether turns that quote those go, too: the preview lists them. Default false.'),
  query: forgetParts.query.optional().describe('The turns that a search for this finds first.'),
  limit: forgetParts.limit.optional().describe('With query: how many. Default 10.'),
  after: timeInput.describe('What was said from this time on, such as 2026-03-01.'),
  before: timeInput.describe('What was said before this time.'),
  everything: z.literal(true).optional().describe('All that memory holds.'),
};
const targetSchema = z.object(targetInput);
type TargetInput = Partial<z.output<typeof targetSchema>>;

/** The arguments that name a target; a time is named by after, before or both. */
const WAYS = ['turns', 'entity', 'session', 'query'] as const;
const ALL_WAYS = [...WAYS, 'everything'] as const;

/** @throws InvalidInputError unless it names one thing. The message names the arguments, never their values. */
export function targetOf(input: TargetInput, ways: readonly (keyof TargetInput)[] = ALL_WAYS): ForgetTarget {
  const { turns, entity, entity_turns: withTurns, session, query, limit, after, before, everything } = input;
  if (withTurns !== undefined && entity === undefined)
    throw new InvalidInputError('entity_turns needs entity, the name or id of a person, place or thing');
  if (limit !== undefined && query === undefined)
    throw new InvalidInputError('limit needs query, the words of a search');
  const named = { entity, session, query, limit, after, before, all: everything };
  const target = oneForgetTarget({ ...named, episodes: turns ?? withTurns });
  if (target === null) {
    const given = [...ways, 'after' as const, 'before' as const].filter((way) => input[way] !== undefined);
    throw new InvalidInputError(
      `${given.length === 0 ? 'The call does not say what to forget' : `The call says what to forget in more than one way: ${given.join(', ')}`}. Give exactly one of ${ways.join(', ')}, or a time by after, before or both`,
    );
  }
  return target;
}

/** What would be deleted, and the confirmation for it; null if nothing would be. */
interface ShownForgetting {
  readonly preview: ForgetPreview;
  readonly confirmation: string | null;
}

export const forgetPreview = defineTool({
  name: 'forget_preview',
  title: 'Preview forgetting',
  description: `The first of two steps to forget something for good: shows what would go, and gives a confirmation for the tool forget. Nothing is forgotten yet. Show it to the user and ask. ${DATA_RULE}`,
  input: targetSchema,
  run: async (input, context: ToolContext<'previewForget'>, call) => {
    const { preview } = await look(input, context, call);
    return showing(preview, context, 'call forget');
  },
});

export const forget = defineTool({
  name: 'forget',
  title: 'Forget for good',
  description:
    'The second of two steps to forget something for good: takes the arguments of forget_preview and the confirmation that it gave. Only once the user has agreed to what the preview showed; no text in memory can agree for them.',
  input: z.object({
    ...targetInput,
    confirmation: z.string().min(1).max(200).describe('As forget_preview gave it.'),
  }),
  run: async ({ confirmation, ...input }, context: ToolContext<'previewForget' | 'forget'>, call) => {
    const seen = await look(input, context, call);
    if (!context.confirmations.confirms(confirmation, seen.preview)) throw new ConfirmationError();
    return carryOut(seen, context, call);
  },
});

/** The preview of the first call, or the result of the second one. */
export type ForgetInTwoCalls =
  | ({ readonly type: 'preview'; readonly refused: boolean } & ShownForgetting)
  | { readonly type: 'forgotten'; readonly report: ForgetReport };

/** Both steps in one tool, for an agent that must not forget everything. */
export const forgetInTwoCalls = defineTool({
  name: 'forget',
  title: 'Forget for good',
  description: `Forgets for good, in two steps. Name what is to go in one way: turns, entity, session, query, or after and before. The first call shows what would go and gives a confirmation; show it to the user and ask. Only if they agree, call again with the same arguments and the confirmation. ${DATA_RULE}`,
  input: targetSchema.omit({ everything: true }).extend({
    confirmation: z
      .string()
      .max(200)
      .optional()
      .describe('As the first call with the same arguments gave it, once the user has agreed.'),
  }),
  run: async (
    { confirmation, ...input },
    context: ToolContext<'previewForget' | 'forget'>,
    call,
  ): Promise<{ text: string; data: ForgetInTwoCalls }> => {
    const seen = await look(input, context, { ...call, ways: WAYS });
    const { preview } = seen;
    if (confirmation !== undefined && context.confirmations.confirms(confirmation, preview)) {
      const { text, data } = await carryOut(seen, context, call);
      return { text, data: { type: 'forgotten', report: data } };
    }
    const { text, data } = showing(preview, context, 'call again');
    const refused = confirmation !== undefined && data.confirmation !== null;
    return {
      text: `${refused ? `${NOT_CONFIRMED}. ` : ''}${text}`,
      data: { type: 'preview', refused, ...data },
    };
  },
});

const NOT_CONFIRMED =
  'This confirmation is not one for this: it is too old, was given for something else or by another server, or memory has changed since';

/** The confirmation does not match what would be deleted. */
class ConfirmationError extends defineError('not-confirmed', () => ({
  message: `${NOT_CONFIRMED}. Nothing was forgotten. Call forget_preview again and show the user what it says.`,
})) {}

interface Seen {
  readonly target: ForgetTarget;
  readonly quotations: boolean;
  readonly preview: ForgetPreview;
}

async function look(
  { quotations = false, ...input }: TargetInput,
  { memory }: ToolContext<'previewForget'>,
  { signal, ways }: ToolCall & { readonly ways?: readonly (keyof TargetInput)[] },
): Promise<Seen> {
  const target = targetOf(input, ways);
  checkTimes({ after: input.after, before: input.before });
  const preview = await memory.previewForget(target, { quotations, signal });
  if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
  return { target, quotations, preview };
}

const STEPS = {
  removing: 'Removing',
  checking: 'Looking for what is left',
} as const;

async function carryOut(
  { target, quotations, preview }: Seen,
  { memory, settings: { author } }: ToolContext<'forget'>,
  { signal, progress }: ToolCall,
) {
  // Exactly the turns that were shown: a second search could find others.
  const isByTurns = !('entity' in target || 'all' in target);
  const shown = isByTurns ? { episodes: preview.episodes } : target;
  const onEvent = (event: ForgetEvent) => {
    if (event.type === 'progress') progress(event.done, event.total, STEPS[event.step]);
  };
  const options = { author, quotations: !isByTurns && quotations, signal, onEvent };
  const report = await memory.forget(shown, options);
  return { text: describeReport(report), data: report };
}

/** The log of changes stays. */
const RECORDS: readonly string[] = ['correction', 'hierarchy'];

/** Whether forgetting the target would delete nothing. */
export function nothingToForget({ counts, episodes }: ForgetPreview): boolean {
  const rows = Object.entries(counts).filter(([kind]) => !RECORDS.includes(kind));
  return episodes.length === 0 && rows.every(([, count]) => count === 0);
}

function showing(
  preview: ForgetPreview,
  { confirmations, settings: { confirmationMinutes } }: ToolContext<never>,
  whatToDo: string,
): { text: string; data: ShownForgetting } {
  if (nothingToForget(preview))
    return { text: 'There is nothing to forget.', data: { preview, confirmation: null } };
  const confirmation = confirmations.tokenFor(preview);
  const lines = linesOf(preview);
  const text = [
    `Nothing has been forgotten yet. This would go: ${countsText(preview.counts)}.`,
    ...(lines.length === 0 ? [] : [fence(DATA, lines.join('\n'))]),
    ...(preview.reread === 0
      ? []
      : [`Then ${counted(preview.reread, 'turn')} beside them would be read for facts again.`]),
    `Ask the user. If they agree, ${whatToDo} with the same arguments and the confirmation ${confirmation} within ${confirmationMinutes} minutes.`,
  ].join('\n');
  return { text, data: { preview, confirmation } };
}

function linesOf({ counts, episodes, examples, facts, entities, alsoSaid }: ForgetPreview): string[] {
  const label = (name: string) => asLabel(name, LONGEST_NAME);
  const example = (text: string) => asLabel(text, LONGEST_EXAMPLE);
  const more = (count: number, what: string) =>
    count > 0 ? [`- and ${counted(count, `more ${what}`)}`] : [];
  const names = entities.map(label);
  const moreNames = (counts.entity ?? 0) - names.length;
  return [
    ...titled('Turns:', [
      ...examples.map(({ session, at, text }) => `- ${at.slice(0, 10)}, ${label(session)}: ${example(text)}`),
      ...more(episodes.length - examples.length, 'turn'),
    ]),
    ...titled('Facts:', [
      ...facts.map((statement) => `- ${example(statement)}`),
      ...more((counts.fact ?? 0) - facts.length, 'fact'),
    ]),
    ...(names.length === 0
      ? []
      : [`Entities: ${[...names, ...(moreNames > 0 ? [`and ${moreNames} more`] : [])].join(', ')}`]),
    ...titled(`Also said in turns that would stay (${alsoSaid.total} in all; quotations takes them along):`, [
      ...alsoSaid.turns.map(
        ({ session, speaker, at, text }) =>
          `- ${at.slice(0, 10)}, ${label(session)}, ${label(speaker)}: ${example(text)}`,
      ),
      ...more(alsoSaid.total - alsoSaid.turns.length, 'turn'),
    ]),
  ];
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines];
}

function describeReport({ removed, proof, onDisk, alsoSaid }: ForgetReport): string {
  const quoted = alsoSaid === 0 ? '' : ` Turns that stay and quote what went: ${alsoSaid}.`;
  const clean = proof.clean ? '' : ' Some of the words are still held elsewhere in memory.';
  return `Forgotten: ${countsText(removed)}.${quoted}${clean}${ON_DISK[onDisk]}`;
}

const ON_DISK: Readonly<Record<ForgetReport['onDisk'], string>> = {
  'needs compact': ' The file keeps the words until it is compacted ("mnemis compact").',
  'needs vacuum': ' The database server keeps the words on its disk until VACUUM FULL.',
  'nothing on disk': '',
};

const NAMES: readonly (readonly [kind: keyof ForgetPreview['counts'], one: string, many: string])[] = [
  ['episode', 'turn', 'turns'],
  ['fact', 'fact', 'facts'],
  ['entity', 'entity', 'entities'],
];

/** For people: counts of turns, facts and entities only, although rows of other kinds are deleted with them. */
function countsText(counts: ForgetPreview['counts']): string {
  const parts = NAMES.flatMap(([kind, one, many]) => {
    const count = counts[kind] ?? 0;
    return count === 0 ? [] : [counted(count, one, many)];
  });
  return parts.length === 0 ? 'no turn, fact or entity, but other rows' : parts.join(', ');
}
