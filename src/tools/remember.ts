import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ResumeEvent } from '../engine/ingestion/enrichment-report.ts';
import { CancelledError, MnemisError } from '../errors/index.ts';
import {
  type AddOutcome,
  type AddResult,
  type NotStored,
  TURN_FORGOTTEN,
} from '../ingest/admit/plan-episodes.ts';
import { ROLES } from '../model/nodes.ts';
import { counted } from '../util/counted.ts';
import { digestOf } from '../util/digest-of.ts';
import { defineTool, type ToolCall, type ToolContext, type ToolMemory } from './agent-tool.ts';

const LONGEST = 20_000;
const name = z.string().trim().min(1).max(500).optional();

/** The outcome of storing the turn. */
export interface Remembered {
  readonly outcome: AddOutcome;
  /** Why the turn was not stored; empty if it was. */
  readonly notStored: readonly NotStored[];
  /** Kinds of secrets that were redacted first. */
  readonly redacted: readonly string[];
  /** For a turn that is too long: how many characters are read for facts. */
  readonly readUpTo: number | null;
  /** Turns that wait to be read for facts. */
  readonly waiting: number;
  /** What was read; null if nothing was, or not yet. */
  readonly learned: Learned | null;
}

interface Learned {
  readonly entities: number;
  readonly facts: number;
  readonly outdated: number;
}

export const remember = defineTool({
  name: 'remember',
  title: 'Remember',
  description:
    'Remembers something for later conversations: what the user tells of themselves, what they like, decide or plan, or asks you to keep in mind. Not for what only matters now, and never for passwords or keys. It is found by search_memory at once.',
  input: z.object({
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
  run: async (
    { content, at, learn = false, ...said },
    { memory, settings }: ToolContext<'add' | 'resume'>,
    call,
  ) => {
    const { trust, source, clock } = settings;
    const { role = settings.role, session = settings.session } = said;
    const speaker = said.speaker ?? settings.speaker ?? role;
    const turn = { content, at: at ?? clock(), session, speaker, role, trust };
    const added = await addSaid(
      (sourceId) => memory.add({ ...turn, source, sourceId }, { signal: call.signal }),
      sourceIdOf(content, call),
    );
    const outcome = added.outcomes[0]!;
    const { resume } = memory;
    const isLearning = learn && resume !== undefined && outcome.status !== 'rejected' && added.pending > 0;
    const { note, ...read } = isLearning
      ? await readForFacts(resume, call, added.pending)
      : { learned: null, waiting: added.pending, note: '' };
    const redacted = 'redacted' in outcome ? (outcome.redacted ?? []).map(({ kind }) => kind) : [];
    const readUpTo = 'readUpTo' in outcome ? (outcome.readUpTo ?? null) : null;
    const { notStored } = added;
    const data: Remembered = { outcome, notStored, redacted, readUpTo, ...read };
    return { text: `${describe(data)}${note}`, data };
  },
});

/**
 * A repeated call stores nothing twice. Some models restart the numbers of their calls, so the key includes the text:
 * different texts never replace each other.
 */
function sourceIdOf(content: string, { key }: ToolCall): string {
  if (key === null) return randomUUID();
  return digestOf([...key, content]);
}

/**
 * The number of a call may return, and its words may have been forgotten since: who says them now is heard, under the next
 * id, which a repetition of the call finds again.
 */
async function addSaid(add: (sourceId: string) => Promise<AddResult>, sourceId: string): Promise<AddResult> {
  let added = await add(sourceId);
  for (let again = 2; added.notStored[0]?.reason === TURN_FORGOTTEN; again++)
    added = await add(`${sourceId}/${again}`);
  return added;
}

interface Reading extends Pick<Remembered, 'learned' | 'waiting'> {
  readonly note: string;
}

/** The turn stays stored if reading it for facts fails, so that failure does not fail the call. */
async function readForFacts(
  resume: NonNullable<ToolMemory['resume']>,
  { signal, progress }: ToolCall,
  pending: number,
): Promise<Reading> {
  let waiting = pending;
  const onEvent = ({ counts: { consolidated }, pending }: ResumeEvent) => {
    waiting = pending;
    progress(consolidated, consolidated + waiting, `Read ${counted(consolidated, 'turn')} for facts`);
  };
  try {
    const report = await resume({ signal, onEvent });
    const { entities, facts, outdated } = report.counts;
    const note = ` Read for facts: ${facts} new, ${outdated} outdated by them.`;
    return { waiting: report.pending, learned: { entities, facts, outdated }, note };
  } catch (error) {
    if (CancelledError.isInstance(error) || signal?.aborted || !MnemisError.isInstance(error)) throw error;
    return { learned: null, waiting, note: ` It waits to be read for facts, which failed (${error.code}).` };
  }
}

function describe({ outcome, redacted, readUpTo }: Remembered): string {
  if (outcome.status === 'rejected') return `Not remembered: ${outcome.reason}.`;
  if (outcome.status === 'known') return 'Not stored again: this was remembered already.';
  const secrets = redacted.length === 0 ? '' : ` Blacked out first: ${redacted.join(', ')}.`;
  const partly =
    readUpTo === null
      ? ''
      : ` It is long: all of it is stored and found, but only its first ${readUpTo} characters are read for facts. To have the rest read too, remember it in parts.`;
  return `Remembered as turn ${outcome.id}.${secrets}${partly}`;
}
