import { createHash } from 'node:crypto';
import type { EpisodeId, Milliseconds } from '../../model/ids.ts';
import type { Attachment, Episode, Trust } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { type Turn, turnInputSchema } from '../../model/turn-input.ts';
import type { EpisodeIndex } from '../../search/episode-index.ts';
import { NONE, type Timeline } from '../../search/timeline.ts';
import { groupBy } from '../../util/collections.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import type { FoundSecret } from './redact-secrets.ts';
import { trustOf } from './trust.ts';

interface PlacedTurn extends ReadTurn {
  readonly index: number;
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

/**
 * Gives each turn without an index its place: its stored place if its source identifies it and memory has it
 * (`named`, by key), else the next index of its session.
 */
export function placeTurns(
  readings: readonly TurnReading[],
  named: ReadonlyMap<string, Pick<Episode, 'session' | 'index'>>,
  timeline: Timeline,
): PlacedInput[] {
  const places = new Map(named);
  const nextIndex = new Map<string, number>();
  return readings.map((reading) => {
    if (!reading.ok) return { status: 'rejected', reason: reading.reason };
    const { turn } = reading;
    const { session } = turn;
    const name = sourceKey(turn);
    const place = name === null ? undefined : places.get(name);
    const expected = nextIndex.get(session) ?? timeline.nextIndex(session);
    const index = turn.index ?? (place?.session === session ? place.index : expected);
    nextIndex.set(session, Math.max(expected, index + 1));
    if (name !== null) places.set(name, { session, index });
    return { ...turn, index, key: turnKey({ ...turn, index }) };
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
  /** Whether the same turn with the same content was forgotten: such a turn is rejected. */
  readonly wasForgotten: (turn: Pick<Episode, 'key' | 'contentHash'>) => boolean;
}

const FORGOTTEN = 'this turn was forgotten and cannot be added again';

/**
 * Decides for each input whether it is new, known, forgotten, or a new version (docs/design.md, "A turn's identity").
 */
export function planEpisodes(
  inputs: readonly PlacedInput[],
  known: ReadonlyMap<string, Episode>,
  { now, newId, wasForgotten, readUpTo }: PlanOptions,
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
    if (wasForgotten({ key: input.key, contentHash: hash })) return { status: 'rejected', reason: FORGOTTEN };
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

/**
 * The outcomes of one `add`, or with `preview` the outcomes that it would have. The counts are those of `outcomes` by
 * status.
 */
export interface AddResult {
  /** One outcome per input, in order. */
  readonly outcomes: readonly AddOutcome[];
  readonly added: number;
  readonly known: number;
  readonly superseding: number;
  readonly rejected: number;
  /** Number of pending turns of the scope: they are searchable, but not yet read for facts. */
  readonly pending: number;
}

const FIELDS = Object.keys(turnInputSchema.shape);

export interface ReadTurn extends Omit<Turn, 'at' | 'speaker' | 'trust'> {
  readonly speaker: string;
  readonly trust: Trust;
  readonly validAt: Milliseconds;
  readonly atText: string;
  /** Kinds of secrets that were redacted, if any. */
  readonly redacted?: readonly FoundSecret[];
}

export type TurnReading =
  | { readonly ok: true; readonly turn: ReadTurn }
  | { readonly ok: false; readonly reason: string };

/** Parses one input of `add`. A rejection reason names fields, never their values. */
export function readTurn(input: unknown): TurnReading {
  const parsed = turnInputSchema.safeParse(input);
  if (!parsed.success) return { ok: false, reason: describeIssues(parsed.error, FIELDS) };
  const { at, speaker, ...turn } = parsed.data;
  const validAt = parseTimestamp(at);
  if (validAt === null) return { ok: false, reason: 'at is not a time' };
  if (turn.content.trim() === '' && turn.attachments.length === 0)
    return { ok: false, reason: 'content is empty' };
  return {
    ok: true,
    turn: {
      ...turn,
      // A lone surrogate has no UTF-8 form. It is replaced by U+FFFD here, so that no later layer has to.
      content: turn.content.toWellFormed(),
      session: turn.session.toWellFormed(),
      trust: turn.trust ?? trustOf(turn.role),
      speaker: (speaker ?? turn.role).toWellFormed(),
      source: turn.source.toWellFormed(),
      ...(turn.sourceId === undefined ? {} : { sourceId: turn.sourceId.toWellFormed() }),
      attachments: turn.attachments.map((attachment) => ({
        ...attachment,
        description: attachment.description.toWellFormed(),
      })),
      validAt,
      atText: at instanceof Date ? at.toISOString() : String(at),
    },
  };
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
}): string {
  const said = JSON.stringify([
    turn.speaker,
    turn.content,
    turn.attachments.map((attachment) => [attachment.kind, attachment.description, attachment.uri ?? null]),
  ]);
  return createHash('sha256').update(said).digest('base64url').slice(0, 24);
}
