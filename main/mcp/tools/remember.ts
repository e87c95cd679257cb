import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { CancelledError, MnemisError } from '../../../src/errors/index.ts';
import type { AddOutcome } from '../../../src/ingest/admit/plan-episodes.ts';
import { ROLES } from '../../../src/model/nodes.ts';
import { EngineReplyError } from '../../client/engine-reply-error.ts';
import { episodeUri } from '../episode-uri.ts';
import { defineTool, type ToolCall } from '../memory-tool.ts';
import type { ToolContext } from '../tool-context.ts';

const SOURCE = 'mcp';
const LONGEST = 20_000;
const name = z.string().trim().min(1).max(500).optional();

const learnedSchema = z.object({ entities: z.number(), facts: z.number(), outdated: z.number() });
type Learned = z.output<typeof learnedSchema>;

export const remember = defineTool({
  name: 'remember',
  title: 'Remember',
  description:
    'Remembers something for later conversations: what the user tells of themselves, what they like, decide or plan, or asks you to keep in mind. Not for what only matters now, and never for passwords or keys. It is found by search_memory at once.',
  input: z.strictObject({
    content: z
      .string()
      .min(1)
      .max(LONGEST)
      .describe(
        'Full sentences that are understood without this conversation: names in place of "I", "he" or "it", dates in place of "yesterday".',
      ),
    at: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('When it was said, if that was not now: a date such as 2026-03-01.'),
    speaker: name.describe('Who said it, by name. Leave out for your own words.'),
    role: z.enum(ROLES).optional().describe('Of the speaker: user where the words are the user’s own.'),
    session: name.describe('The conversation that it belongs to.'),
    learn: z
      .boolean()
      .optional()
      .describe('Whether to wait until what has been told so far is read for facts; it is later, anyway.'),
  }),
  output: z.object({
    status: z.enum(['added', 'known', 'superseding', 'rejected']),
    id: z.string().nullable().describe('Of the turn; null where it was rejected.'),
    uri: z.string().nullable(),
    reason: z.string().nullable().describe('Why it was rejected.'),
    redacted: z.array(z.string()).describe('Kinds of secrets that were blacked out first.'),
    readUpTo: z
      .number()
      .nullable()
      .describe(
        'Of a turn that is too long to be read whole: the character up to which it is read for facts. All of it is stored and found. Null for others.',
      ),
    waiting: z.number().describe('Turns that wait to be read for facts.'),
    learned: learnedSchema.nullable().describe('What was read; null where nothing was, or not yet.'),
  }),
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  run: async ({ content, at, session, speaker, role = 'assistant', learn = false }, context, call) => {
    const { client, settings } = context;
    const { scope, trust, clock } = settings;
    const turn = { content, at: at ?? clock(), role, trust, speaker: speaker ?? role };
    const named = { session: session ?? settings.session, source: SOURCE, sourceId: randomUUID() };
    const added = await client.add({ scope, turns: [{ ...turn, ...named }] }, { signal: call.signal });
    const [outcome] = added.outcomes;
    if (outcome === undefined) throw new EngineReplyError();
    const isLearning = learn && outcome.status !== 'rejected' && added.pending > 0;
    const { learned, waiting, note } = isLearning
      ? await readForFacts(context, call, added.pending)
      : { learned: null, waiting: added.pending, note: '' };
    return { text: `${describe(outcome)}${note}`, data: { ...dataOf(outcome, scope), waiting, learned } };
  },
});

interface Reading {
  readonly learned: Learned | null;
  readonly waiting: number;
  readonly note: string;
}

/** What was said is stored whatever becomes of the reading: a failure of it is no failure to remember. */
async function readForFacts(
  { client, settings }: ToolContext,
  { signal, progress }: ToolCall,
  pending: number,
): Promise<Reading> {
  const { scope, tokenBudget } = settings;
  let waiting = pending;
  try {
    for await (const event of client.resume({ scope, tokenBudget }, { signal })) {
      const { consolidated, entities, facts, outdated } = event.counts;
      waiting = event.pending;
      if (event.type === 'progress')
        progress.report(consolidated, consolidated + waiting, `Read ${consolidated} turns for facts`);
      else
        return {
          ...{ waiting, learned: { entities, facts, outdated } },
          note: ` Read for facts: ${facts} new, ${outdated} outdated by them.`,
        };
    }
    throw new EngineReplyError();
  } catch (error) {
    if (CancelledError.isInstance(error) || signal.aborted || !MnemisError.isInstance(error)) throw error;
    return { learned: null, waiting, note: ` It waits to be read for facts, which failed (${error.code}).` };
  }
}

function dataOf(outcome: AddOutcome, scope: string) {
  const { status } = outcome;
  if (status === 'rejected')
    return { status, id: null, uri: null, reason: outcome.reason, redacted: [], readUpTo: null };
  return {
    status,
    id: outcome.id,
    uri: episodeUri(scope, outcome.id),
    reason: null,
    redacted: kindsIn(outcome),
    readUpTo: readUpToOf(outcome),
  };
}

function describe(outcome: AddOutcome): string {
  if (outcome.status === 'rejected') return `Not remembered: ${outcome.reason}.`;
  if (outcome.status === 'known') return 'This was remembered already.';
  const kinds = kindsIn(outcome);
  const secrets = kinds.length === 0 ? '' : ` Blacked out first: ${kinds.join(', ')}.`;
  const readUpTo = readUpToOf(outcome);
  const partly =
    readUpTo === null
      ? ''
      : ` It is long: all of it is stored and found, but only its first ${readUpTo} characters are read for facts. To have the rest read too, remember it in parts.`;
  return `Remembered as turn ${outcome.id}.${secrets}${partly}`;
}

function readUpToOf(outcome: AddOutcome): number | null {
  return 'readUpTo' in outcome ? (outcome.readUpTo ?? null) : null;
}

function kindsIn(outcome: AddOutcome): string[] {
  const found = 'redacted' in outcome ? (outcome.redacted ?? []) : [];
  return found.map(({ kind }) => kind);
}
