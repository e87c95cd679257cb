import { z } from 'zod';
import type { ForgetPreview } from '../../../src/edit/forget/forget-event.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../../src/prompts/as-data.ts';
import { episodeUri } from '../episode-uri.ts';
import { defineTool } from '../memory-tool.ts';
import { targetOf, targetSchema } from './forget-target.ts';

const LONGEST_NAME = 80;
const LONGEST_EXAMPLE = 200;
const MOST_NAMES = 20;

export const forgetPreview = defineTool({
  name: 'forget_preview',
  title: 'Preview forgetting',
  description: `The first of two steps to forget something for good: shows what would go, and gives a confirmation for the tool forget. Nothing is forgotten yet. Show it to the user and ask. ${DATA_RULE}`,
  input: targetSchema,
  output: z.object({
    confirmation: z
      .string()
      .nullable()
      .describe('For forget, with the same arguments; null where nothing would go.'),
    minutes: z.number().describe('How long the confirmation is good.'),
    counts: z.record(z.string(), z.number()).describe('Rows that would go, by kind.'),
    turns: z.number(),
    examples: z
      .array(
        z.object({ id: z.string(), uri: z.string(), session: z.string(), at: z.string(), text: z.string() }),
      )
      .describe('At most 5 of the turns.'),
    vanishing: z.array(z.string()).describe('Names of entities of which nothing would be left, at most 20.'),
    readAgain: z.number().describe('Turns that stay and would be read for facts again.'),
    alsoSaid: z
      .object({
        total: z.number(),
        turns: z
          .array(
            z.object({
              ...{ id: z.string(), uri: z.string(), session: z.string() },
              ...{ speaker: z.string(), at: z.string(), text: z.string() },
            }),
          )
          .describe('At most 20.'),
      })
      .describe('Turns that would stay though they quote some that go; with quotations true they go, too.'),
  }),
  annotations: { readOnlyHint: true, idempotentHint: true },
  run: async (input, { client, settings, confirmations }, { signal }) => {
    const { scope, confirmationMinutes } = settings;
    const preview = await client.previewForget(
      { scope, target: targetOf(input), quotations: input.quotations },
      { signal },
    );
    const { counts, examples, vanishing, episodes, reread, alsoSaid } = preview;
    const linked = <T extends { readonly id: string }>(all: readonly T[]) =>
      all.map((each) => ({ ...each, uri: episodeUri(scope, each.id) }));
    const confirmation = isEmpty(preview) ? null : confirmations.tokenFor(preview);
    return {
      text: describe(preview, { confirmation, minutes: confirmationMinutes }),
      data: {
        ...{ confirmation, minutes: confirmationMinutes, turns: episodes.length, readAgain: reread },
        counts: Object.fromEntries(Object.entries(counts)),
        examples: linked(examples),
        alsoSaid: { total: alsoSaid.total, turns: linked(alsoSaid.turns) },
        vanishing: vanishing.slice(0, MOST_NAMES).map(({ name }) => name),
      },
    };
  },
});

/** Records of what was done to memory stay whatever is forgotten. */
const RECORDS: readonly string[] = ['correction', 'hierarchy'];

function isEmpty({ counts, episodes }: ForgetPreview): boolean {
  const rows = Object.entries(counts).filter(([kind]) => !RECORDS.includes(kind));
  return episodes.length === 0 && rows.every(([, count]) => count === 0);
}

function describe(
  preview: ForgetPreview,
  { confirmation, minutes }: { readonly confirmation: string | null; readonly minutes: number },
): string {
  if (confirmation === null) return 'There is nothing to forget.';
  const { counts, episodes, examples, vanishing, alsoSaid } = preview;
  const names = vanishing.slice(0, MOST_NAMES).map(({ name }) => asLabel(name, LONGEST_NAME));
  const lines = [
    ...examples.map(
      ({ session, at, text }) =>
        `- ${asLabel(session, LONGEST_NAME)}, ${at}: ${asLabel(text, LONGEST_EXAMPLE)}`,
    ),
    ...(episodes.length > examples.length ? [`- and ${episodes.length - examples.length} more turns`] : []),
    ...(names.length === 0 ? [] : [`Nothing would be left of: ${names.join(', ')}`]),
    ...(alsoSaid.total === 0
      ? []
      : [`Also said in turns that would stay (${alsoSaid.total} in all; quotations takes them along):`]),
    ...alsoSaid.turns.map(
      ({ session, speaker, at, text }) =>
        `- ${asLabel(session, LONGEST_NAME)}, ${at}, ${asLabel(speaker, LONGEST_NAME)}: ${asLabel(text, LONGEST_EXAMPLE)}`,
    ),
    ...(alsoSaid.total > alsoSaid.turns.length
      ? [`- and ${alsoSaid.total - alsoSaid.turns.length} more turns`]
      : []),
  ];
  return [
    `Nothing has been forgotten yet. This would go: ${countsText(counts)}.`,
    ...(lines.length === 0 ? [] : [fence(DATA, lines.join('\n'))]),
    `Ask the user. If they agree, call forget with the same arguments and the confirmation ${confirmation} within ${minutes} minutes.`,
  ].join('\n');
}

const NAMES: readonly (readonly [kind: keyof ForgetPreview['counts'], one: string, many: string])[] = [
  ['episode', 'turn', 'turns'],
  ['fact', 'fact', 'facts'],
  ['entity', 'entity', 'entities'],
];

/** In the words of a person; rows of other kinds go with these. */
export function countsText(counts: ForgetPreview['counts']): string {
  const parts = NAMES.flatMap(([kind, one, many]) => {
    const count = counts[kind] ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return parts.length === 0 ? 'no turn, fact or entity, but other rows' : parts.join(', ');
}
