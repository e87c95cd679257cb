import type { EpisodeId, Milliseconds } from '../../model/ids.ts';
import type { Attachment, Episode } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { CONVERSATION_TITLE, type TurnMetadata } from '../../model/turn-metadata.ts';
import type { EpisodeIndex } from '../../search/episode-index.ts';
import { NONE, type Timeline } from '../../search/timeline.ts';
import { groupBy } from '../../util/collections.ts';
import { sha256 } from '../../util/digest-of.ts';
import type { ReadTurn, TurnReading } from './read-turn.ts';
import type { FoundSecret } from './redact-secrets.ts';

interface PlacedTurn extends ReadTurn {
  readonly index: number;
  /** Whether the caller named its source or its place. */
  readonly isNamed: boolean;
  readonly key: string;
}

/** A parsed input with the key that it will be stored under, or the outcome of a rejected input. */
type PlacedInput = PlacedTurn | Extract<AddOutcome, { status: 'rejected' }>;

export const isRejected = (input: PlacedInput): input is Extract<AddOutcome, { status: 'rejected' }> =>
  'status' in input;

/**
 * The key of a turn that its source identifies, independent of its place; null for a turn that its place identifies.
 */
export function sourceKey(turn: ReadTurn): string | null {
  return turn.sourceId === undefined ? null : turnKey({ ...turn, index: 0 });
}

/** Whether only its time and its words can say that memory has a turn. */
function isTimedOnly(turn: ReadTurn): boolean {
  return turn.hasTime && turn.index === undefined && turn.sourceId === undefined;
}

/** The live turns of the sessions and times of turns that neither a source nor an index identifies. */
export function turnsAtSameTimes(
  readings: readonly TurnReading[],
  { timeline, ids }: Pick<EpisodeIndex, 'timeline' | 'ids'>,
): EpisodeId[] {
  const turns = readings.flatMap((reading) =>
    reading.ok && isTimedOnly(reading.turn) ? [reading.turn] : [],
  );
  return [...groupBy(turns, ({ session }) => session)].flatMap(([session, timed]) => {
    const times = new Set(timed.map(({ validAt }) => validAt));
    const first = Math.min(...times);
    const found: EpisodeId[] = [];
    // Sessions are read in order, so that an older turn means that all before it are older.
    for (let at = timeline.lastTurn(session); at !== NONE && timeline.validAt.at(at) >= first; ) {
      if (times.has(timeline.validAt.at(at))) found.push(ids.idOf(at) as EpisodeId);
      at = timeline.previous.at(at);
    }
    return found.reverse();
  });
}

/** What says that a turn is known where its caller gave neither a source nor an index. */
function words(turn: Pick<Episode, 'session' | 'validAt'>, hash: string): string {
  return JSON.stringify([turn.session, turn.validAt, hash]);
}

/** Stored turns that say where an input belongs. */
interface KnownPlaces {
  /** By the key of their source. */
  readonly named: ReadonlyMap<string, Pick<Episode, 'session' | 'index'>>;
  /** Of the sessions and times of inputs that have neither source nor index: see `turnsAtSameTimes`. */
  readonly timed: readonly Episode[];
}

/**
 * Gives each turn without an index its place: that of the stored turn which its source identifies, or which says the
 * same at the same time; else the next index of its session. Of equal turns in one call, each finds another stored one.
 */
export function placeTurns(
  readings: readonly TurnReading[],
  { named, timed }: KnownPlaces,
  timeline: Timeline,
): PlacedInput[] {
  const places = new Map(named);
  const said = groupBy(timed, (turn) => words(turn, turn.contentHash));
  const nextIndex = new Map<string, number>();
  return readings.map((reading) => {
    if (!reading.ok) return { status: 'rejected', reason: reading.reason };
    const { turn } = reading;
    const { session } = turn;
    const same = isTimedOnly(turn) ? said.get(words(turn, contentHash(turn)))?.shift() : undefined;
    if (same !== undefined) return { ...turn, index: same.index, key: same.key, isNamed: false };
    const name = sourceKey(turn);
    const place = name === null ? undefined : places.get(name);
    const expected = nextIndex.get(session) ?? timeline.nextIndex(session);
    const index = turn.index ?? (place?.session === session ? place.index : expected);
    nextIndex.set(session, Math.max(expected, index + 1));
    if (name !== null) places.set(name, { session, index });
    const isNamed = name !== null || turn.index !== undefined;
    return { ...turn, index, key: turnKey({ ...turn, index }), isNamed };
  });
}

export interface EpisodePlan {
  readonly outcomes: readonly AddOutcome[];
  /** New rows, including those that a later input of the same call supersedes (they carry `expiredAt`). */
  readonly episodes: readonly Episode[];
  /** Stored episodes that a new version supersedes. */
  readonly superseded: readonly Episode[];
}

interface PlanOptions {
  readonly now: Milliseconds;
  readonly newId: () => string;
  /** Number of characters that will be read for facts. Default: all. */
  readonly readUpTo?: ((content: string) => number) | undefined;
  /** When the same turn with the same content was forgotten; null if it was not. */
  readonly forgottenAt: (turn: Pick<Episode, 'key' | 'contentHash'>) => Milliseconds | null;
  /** Whether the turns come from a record of what was said, such as a file, and nobody says them now. */
  readonly isImport: boolean;
}

/** Why a forgotten turn is not stored again. */
export const TURN_FORGOTTEN =
  'this turn was forgotten; to store the same words again, add them as said now, without a sourceId, an index or a time before the forgetting';
/** Why a known turn is not stored again. */
export const TURN_KNOWN = 'memory has this turn already';

/**
 * Decides for each input whether it is new, known, forgotten, or a new version (docs/design.md, "A turn's identity").
 */
export function planEpisodes(
  inputs: readonly PlacedInput[],
  known: ReadonlyMap<string, Episode>,
  { now, newId, forgottenAt, isImport, readUpTo }: PlanOptions,
): EpisodePlan {
  const current = new Map(known);
  const created = new Map<EpisodeId, Episode>();
  const superseded: Episode[] = [];
  const outcomes = inputs.map((input): AddOutcome => {
    if (isRejected(input)) return input;
    const before = current.get(input.key);
    const hash = contentHash(input);
    if (before !== undefined && (before.contentHash === hash || isSameUnnamed(input, before)))
      return { status: 'known', id: before.id };
    const forgotten = forgottenAt({ key: input.key, contentHash: hash });
    if (forgotten !== null && !(isSaidSince(input, forgotten) || (!isImport && isSaidNow(input))))
      return { status: 'rejected', reason: TURN_FORGOTTEN };
    const episode = newEpisode(input, before, { hash, now, id: newId() as EpisodeId });
    if (before !== undefined) {
      if (created.has(before.id)) created.set(before.id, { ...before, expiredAt: now });
      else superseded.push(before);
    }
    current.set(input.key, episode);
    created.set(episode.id, episode);
    const read = readUpTo?.(input.content) ?? input.content.length;
    const notes = {
      ...(input.redacted === undefined ? {} : { redacted: input.redacted }),
      ...(read < input.content.length ? { readUpTo: read } : {}),
    };
    return before === undefined
      ? { status: 'added', id: episode.id, ...notes }
      : { status: 'superseding', id: episode.id, superseded: before.id, ...notes };
  });
  return { outcomes, episodes: [...created.values()], superseded };
}

/**
 * Whether a turn is the stored one, said by "user" or another role instead of by a name: what does not name its speaker,
 * such as an import without the name that an earlier one had, renames nobody.
 */
function isSameUnnamed(turn: PlacedTurn, before: Episode): boolean {
  if (turn.speaker !== turn.role || turn.role !== before.role) return false;
  return contentHash({ ...turn, speaker: before.speaker }) === before.contentHash;
}

/** Whether its own time says that it was said after the same words were forgotten, and no source names it. */
function isSaidSince({ sourceId, hasTime, validAt }: PlacedTurn, forgotten: Milliseconds): boolean {
  return sourceId === undefined && hasTime && validAt > forgotten;
}

/** Whether somebody says it now: nothing says that a record holds it. */
function isSaidNow({ isNamed, hasTime }: PlacedTurn): boolean {
  return !isNamed && !hasTime;
}

function newEpisode(
  turn: PlacedTurn,
  before: Episode | undefined,
  { hash, now, id }: { hash: string; now: Milliseconds; id: EpisodeId },
): Episode {
  return {
    id,
    key: turn.key,
    version: (before?.version ?? 0) + 1,
    session: turn.session,
    index: turn.index,
    content: turn.content,
    speaker: turn.speaker,
    role: turn.role,
    validAt: turn.validAt,
    atText: turn.atText,
    createdAt: now,
    expiredAt: null,
    source: turn.source,
    sourceId: turn.sourceId ?? null,
    contentHash: hash,
    attachments: turn.attachments,
    metadata: turn.metadata,
    gate: 'unjudged',
    verified: false,
    status: 'stored',
    trust: turn.trust,
  };
}

/**
 * NEXT edges that link new turns into their sessions (GAM's event progression graph): from each turn's predecessor to
 * the turn. A turn that arrives between two others gets one edge from and one edge to its neighbours. The edge
 * between the neighbours stays, because "later in the session" remains true. A superseded turn gets no new
 * neighbours.
 */
export function nextEdges(
  episodes: readonly Episode[],
  index: EpisodeIndex,
  superseded: ReadonlySet<string>,
): Relationship[] {
  const sessions = groupBy(episodes, (episode) => episode.session);
  return [...sessions.entries()].flatMap(([session, added]) => {
    const first = Math.min(...added.map((episode) => episode.index));
    const neighbours = storedFrom(session, first, { index, superseded });
    const ordered = [...neighbours, ...added].sort((a, b) => a.index - b.index);
    const isNew = new Set<string>(added.map((episode) => episode.id));
    return ordered.slice(1).flatMap((to, position) => {
      const from = ordered[position]!;
      return isNew.has(from.id) || isNew.has(to.id) ? [next(from.id, to.id)] : [];
    });
  });
}

/** Stored turns of a session without superseded ones, starting with the last one before `first`. */
function storedFrom(
  session: string,
  first: number,
  { index: { timeline, ids }, superseded }: { index: EpisodeIndex; superseded: ReadonlySet<string> },
): { id: string; index: number }[] {
  const turns: { id: string; index: number }[] = [];
  let ordinal = timeline.lastTurn(session);
  while (ordinal !== NONE) {
    const [id, index] = [ids.idOf(ordinal), timeline.index.at(ordinal)];
    if (!superseded.has(id)) {
      turns.push({ id, index });
      if (index < first) break;
    }
    ordinal = timeline.previous.at(ordinal);
  }
  return turns;
}

function next(from: string, to: string): Relationship {
  return { kind: 'NEXT', fromKind: 'episode', from, toKind: 'episode', to };
}

/**
 * The outcome of one input of `add`. `redacted`: kinds of secrets that were redacted before storing. `readUpTo`: the
 * number of characters of a long turn that are read for facts; the whole turn is stored and searchable. Absent where
 * the whole turn is read.
 */
export type AddOutcome =
  | {
      readonly status: 'added';
      readonly id: EpisodeId;
      readonly redacted?: readonly FoundSecret[];
      readonly readUpTo?: number;
    }
  /** The same turn with the same content is already stored. */
  | { readonly status: 'known'; readonly id: EpisodeId }
  /** The same turn with other content: a new version. The old one is kept as superseded. */
  | {
      readonly status: 'superseding';
      readonly id: EpisodeId;
      readonly superseded: EpisodeId;
      readonly redacted?: readonly FoundSecret[];
      readonly readUpTo?: number;
    }
  | { readonly status: 'rejected'; readonly reason: string };

/** An input of `add` that was not stored, by its position in the call, and why; `reason` never quotes it. */
export interface NotStored {
  readonly input: number;
  readonly status: 'known' | 'rejected';
  readonly reason: string;
}

/** The inputs without a row of their own, in order. */
export function notStoredAmong(outcomes: readonly AddOutcome[]): NotStored[] {
  return outcomes.flatMap((outcome, input): NotStored[] => {
    const { status } = outcome;
    if (status === 'known') return [{ input, status, reason: TURN_KNOWN }];
    return status === 'rejected' ? [{ input, status, reason: outcome.reason }] : [];
  });
}

/**
 * The outcomes of one `add`, or with `preview` the outcomes that it would have. The counts are those of `outcomes` by
 * status.
 */
export interface AddResult {
  /** Number of inputs that were stored: `added` and `superseding`. */
  readonly stored: number;
  /** Every input that was not stored, with its reason; empty if all were. */
  readonly notStored: readonly NotStored[];
  /** One outcome per input, in order. */
  readonly outcomes: readonly AddOutcome[];
  readonly added: number;
  readonly known: number;
  readonly superseding: number;
  readonly rejected: number;
  /** Number of pending turns of the scope: they are searchable, but not yet read for facts. */
  readonly pending: number;
}

/**
 * What makes two inputs the same turn within a scope (docs/design.md, "A turn's identity"): source and sourceId, else
 * session and index. JSON keeps ("a b", "c") apart from ("a", "b c").
 */
function turnKey(turn: {
  readonly source: string;
  readonly sourceId?: string | null | undefined;
  readonly session: string;
  readonly index: number;
}): string {
  return turn.sourceId === undefined || turn.sourceId === null
    ? JSON.stringify(['turn', turn.session, turn.index])
    : JSON.stringify(['source', turn.source, turn.sourceId]);
}

/** Equal for two versions of a turn with the same content. */
export function contentHash(turn: {
  readonly content: string;
  readonly speaker: string;
  readonly attachments: readonly Attachment[];
  readonly metadata: TurnMetadata;
}): string {
  // A conversation that is renamed says nothing new.
  const { [CONVERSATION_TITLE]: _, ...metadata } = turn.metadata;
  const said = JSON.stringify([
    turn.speaker,
    turn.content,
    turn.attachments.map((attachment) => [attachment.kind, attachment.description, attachment.uri ?? null]),
    // Turns without metadata keep the hash that files of earlier versions hold.
    ...(Object.keys(metadata).length === 0 ? [] : [sortedFields(metadata)]),
  ]);
  return sha256(said).slice(0, 24);
}

function sortedFields(metadata: TurnMetadata): unknown {
  return Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
}
