import { z } from 'zod';
import { type Page, type PageRequest, type Place, pageOf } from '../../browse/history/page.ts';
import type { ForgetOptions } from '../../edit/forget/forget-event.ts';
import { InvalidInputError } from '../../errors/index.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { CorrectionOptions, FactEdit } from '../../model/correction-input.ts';
import type { EpisodeId } from '../../model/ids.ts';
import type { Episode, Fact } from '../../model/nodes.ts';
import { type TurnInput, turnInputSchema } from '../../model/turn-input.ts';
import { type FieldFilter, readFilter } from '../../search/field-filter.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { withoutUndefined } from '../../util/collections.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import { addTurns } from '../add-turns.ts';
import { Corrections } from '../corrections.ts';
import { forget } from '../forgetting/forget.ts';
import type { ScopeSession } from '../scope-session.ts';

/** A turn as it is stored. */
export interface StoredEpisode extends Episode {
  readonly kind: 'episode';
}
/** A fact as it is stored, with the turns that support it. */
export interface StoredFact extends Omit<Fact, 'kind'> {
  readonly kind: 'fact';
  readonly factKind: Fact['kind'];
  readonly sources: readonly EpisodeId[];
}
/** What `get`, `list` and `update` return. */
export type StoredMemory = StoredEpisode | StoredFact;

/** What to list: turns by default, in the order of their times; facts in the order in which they were learned. */
export interface ListRequest extends PageRequest {
  readonly kind?: StoredMemory['kind'] | undefined;
  /** Only turns of this session, and facts that they support. */
  readonly session?: string | undefined;
  /** Only turns whose metadata pass, and facts that they support: see `SearchOptions`. */
  readonly filter?: FieldFilter | undefined;
}

/** New values of a turn; the former version stays in the history. */
export type TurnUpdate = Pick<TurnInput, 'speaker' | 'metadata'> & { readonly content?: string };

/** How many turns were forgotten and facts rejected. */
export interface DeleteReport {
  readonly episodes: number;
  /** Those that were named, and those that the turns alone supported. */
  readonly facts: number;
}

const anything = z.unknown().optional();
const listSchema = z.strictObject({
  kind: z.enum(['episode', 'fact']).optional(),
  session: z.string().optional(),
  filter: z.record(z.string(), z.unknown()).optional(),
  // Checked by the page.
  limit: anything,
  after: anything,
});
const turnUpdateSchema = z.strictObject({
  content: turnInputSchema.shape.content.optional(),
  speaker: turnInputSchema.shape.speaker,
  metadata: turnInputSchema.shape.metadata.unwrap().optional(),
});
const NO_SUCH_MEMORY = 'This memory has no turn and no current fact with that id';

/** The turn or fact with this id; null if there is none. */
export async function memoryWithId(session: ScopeSession, id: string): Promise<StoredMemory | null> {
  const context = await session.read();
  const { store, scope } = context;
  const [episode] = await store.get(scope, 'episode', [id]);
  if (episode !== undefined) return { kind: 'episode', ...episode };
  const [fact] = await store.get(scope, 'fact', [id]);
  return fact === undefined ? null : storedFact(fact, context);
}

/** Current turns, or facts, a page at a time. */
export async function listMemories(session: ScopeSession, request: ListRequest): Promise<Page<StoredMemory>> {
  const parsed = listSchema.safeParse(request);
  if (!parsed.success)
    throw new InvalidInputError(
      `The list is not valid: ${describeIssues(parsed.error, Object.keys(listSchema.shape), { namesKeys: true })}`,
    );
  const context = await session.read();
  const { store, scope, index } = context;
  const turns = turnsOf(index, request);
  const { kind = 'episode', limit, after } = request;
  if (kind === 'episode') {
    const page = pageOf(turns, (place) => place, { limit, after });
    const rows = await store.get(scope, 'episode', idsOf(page.items));
    return { ...page, items: rows.map((row) => ({ kind, ...row })) };
  }
  const page = pageOf(factsOf(index, turns), (place) => place, { limit, after });
  const rows = await store.get(scope, 'fact', idsOf(page.items));
  return { ...page, items: rows.map((row) => storedFact(row, context)) };
}

/** Gives a turn or a fact new values. */
export async function updateMemory(
  session: ScopeSession,
  id: string,
  { change, ...options }: CorrectionOptions & { readonly change: TurnUpdate | FactEdit },
): Promise<StoredMemory> {
  const { store, scope, index } = await session.read();
  const current = await currentVersion(session, id);
  if (isFact(id, index)) {
    const { fact } = await new Corrections(session).editFact(id, change as FactEdit, options);
    return (await memoryWithId(session, fact))!;
  }
  const [row] = current === null ? [] : await store.get(scope, 'episode', [current]);
  if (row === undefined) throw new InvalidInputError(NO_SUCH_MEMORY);
  const parsed = turnUpdateSchema.safeParse(change);
  if (!parsed.success)
    throw new InvalidInputError(
      `The update is not valid: ${describeIssues(parsed.error, Object.keys(turnUpdateSchema.shape), { namesKeys: true })}`,
    );
  const { outcomes } = await addTurns(session, newVersion(row, withoutUndefined(parsed.data)));
  const outcome = outcomes[0]!;
  if (outcome.status === 'rejected')
    throw new InvalidInputError(`The turn was not changed: ${outcome.reason}`);
  return (await memoryWithId(session, outcome.id))!;
}

/** Forgets turns and rejects facts. */
export async function deleteMemories(
  session: ScopeSession,
  ids: readonly string[],
  options: ForgetOptions,
): Promise<DeleteReport> {
  const { index } = await session.read();
  const distinct = [...new Set(ids)];
  const facts = distinct.filter((id) => isFact(id, index));
  const found = await Promise.all(distinct.map((id) => currentVersion(session, id)));
  const episodes = [...new Set(found.filter((id) => id !== null))];
  if (facts.length + found.filter((id) => id !== null).length < distinct.length)
    throw new InvalidInputError(NO_SUCH_MEMORY);
  const { author } = options;
  // Facts first: forgetting the turns that support them would remove them.
  for (const fact of facts) await new Corrections(session).rejectFact(fact, withoutUndefined({ author }));
  const supported = episodes.flatMap((id) => index.factsEvidencedBy(id)).filter((id) => isFact(id, index));
  if (episodes.length > 0) await forget(session, { episodes }, options);
  const { index: left } = await session.read();
  const removed = supported.filter((id) => !isFact(id, left));
  return { episodes: episodes.length, facts: new Set([...facts, ...removed]).size };
}

/** The current version of the turn that has a version with this id; null if memory has none. */
async function currentVersion(session: ScopeSession, id: string): Promise<string | null> {
  const { store, scope, index } = await session.read();
  if (index.episodes.isLive(id)) return id;
  const [row] = await store.get(scope, 'episode', [id]);
  if (row === undefined) return null;
  return (await store.episodesByKey(scope, [row.key])).get(row.key)?.id ?? null;
}

function newVersion(row: Episode, change: Partial<TurnInput>): TurnInput {
  const { content, speaker, role, trust, session, index, source, sourceId, validAt, metadata } = row;
  const attachments = row.attachments.map((attachment) => ({ ...attachment }));
  const place = { session, index, source, ...(sourceId === null ? {} : { sourceId }) };
  const at = parseTimestamp(row.atText) === validAt ? row.atText : validAt;
  return { content, speaker, role, trust, metadata, at, ...place, attachments, ...change };
}

function storedFact({ kind: factKind, ...fact }: Fact, { index }: IngestContext): StoredFact {
  return { kind: 'fact', factKind, ...fact, sources: index.evidenceOf(fact.id) };
}

function isFact(id: string, { facts }: ScopeIndex): boolean {
  const ordinal = facts.ids.ordinalOf(id);
  return ordinal !== undefined && facts.lexical.has(ordinal);
}

/** The live turns that a request is about, by time. */
function turnsOf({ episodes }: ScopeIndex, { session, filter }: ListRequest): Place[] {
  const { conversation, timeline, metadata, ids } = episodes;
  const passes = readFilter(filter ?? {});
  const turns: Place[] = [];
  for (let turn = 0; turn < episodes.length; turn++) {
    if (!conversation.isLive(turn)) continue;
    if (session !== undefined && timeline.sessions[timeline.session.at(turn)] !== session) continue;
    if (!passes(metadata.of(turn))) continue;
    turns.push({ at: timeline.validAt.at(turn), createdAt: 0, id: ids.idOf(turn) });
  }
  return turns;
}

/** The live facts that these turns support. Ids ascend with the time of learning (UUID version 7). */
function factsOf(index: ScopeIndex, turns: readonly Place[]): Place[] {
  const facts = new Set<string>(turns.flatMap(({ id }) => index.factsEvidencedBy(id)));
  return Array.from(facts, (id) => ({ at: 0, createdAt: 0, id }));
}

function idsOf(places: readonly Place[]): string[] {
  return places.map(({ id }) => id);
}
