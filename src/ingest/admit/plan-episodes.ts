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

/** Inputs that parsed, with the key they will be stored under; a rejected input is its outcome. */
type PlacedInput = PlacedTurn | Extract<AddOutcome, { status: 'rejected' }>;

export const isRejected = (input: PlacedInput): input is Extract<AddOutcome, { status: 'rejected' }> =>
  'status' in input;

/** The key of a turn that its source names, wherever it stands; null for one that is known by its place. */
export function sourceKey(turn: ReadTurn): string | null {
  return turn.sourceId === undefined ? null : turnKey({ ...turn, index: 0 });
}

/**
 * Gives each turn without an index its place: the one that it has already, if its source names it and memory
 * knows it (`named`, by key), else the next of its session.
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
  /** New rows, those that a later input of the same call supersedes included (they carry `expiredAt`). */
  readonly episodes: readonly Episode[];
  /** Stored episodes that a new version supersedes. */
  readonly superseded: readonly Episode[];
}

interface PlanOptions {
  readonly now: Milliseconds;
  readonly newId: () => string;
  /** How far a turn will be read for facts. Default: to its end. */
  readonly readUpTo?: ((content: string) => number) | undefined;
  /** Whether the same turn with the same content was forgotten: it must not come back. */
  readonly wasForgotten: (turn: Pick<Episode, 'key' | 'contentHash'>) => boolean;
}

const FORGOTTEN = 'this turn was forgotten, and stays so';

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
    if (before !== undefined && before.contentHash === hash) return { status: 'known', id: before.id };
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
 * NEXT edges that put new turns into their sessions (GAM's event progression graph): from the turn before each
 * to it. A turn that arrives between two others gets an edge from the one and to the other; theirs stays, as
 * "later in the session" remains true. A superseded turn gets no new neighbours.
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

/** Stored turns of a session, superseded ones left out, from the last one before `first` on. */
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
 * What became of one input of `add`. `redacted`: secrets that were blacked out before it was stored. `readUpTo`: the
 * character up to which so long a turn is read for facts; all of it is stored and found by search. Left out where the
 * whole turn is read.
 */
export type AddOutcome =
  | {
      readonly status: 'added';
      readonly id: EpisodeId;
      readonly redacted?: readonly FoundSecret[];
      readonly readUpTo?: number;
    }
  /** The same turn with the same content was there already. */
  | { readonly status: 'known'; readonly id: EpisodeId }
  /** The same turn with other content: a new version, and the old one is kept as superseded. */
  | {
      readonly status: 'superseding';
      readonly id: EpisodeId;
      readonly superseded: EpisodeId;
      readonly redacted?: readonly FoundSecret[];
      readonly readUpTo?: number;
    }
  | { readonly status: 'rejected'; readonly reason: string };

/** What became of the turns of one `add`, or with `preview` would. The counts are those of `outcomes` by status. */
export interface AddResult {
  /** One outcome per input, in order. */
  readonly outcomes: readonly AddOutcome[];
  readonly added: number;
  readonly known: number;
  readonly superseding: number;
  readonly rejected: number;
  /** Turns of the scope that wait to be consolidated: they are found by search, and not yet read for facts. */
  readonly pending: number;
}

const FIELDS = Object.keys(turnInputSchema.shape);

export interface ReadTurn extends Omit<Turn, 'at' | 'speaker' | 'trust'> {
  readonly speaker: string;
  readonly trust: Trust;
  readonly validAt: Milliseconds;
  readonly atText: string;
  /** What was blacked out of it, if anything. */
  readonly redacted?: readonly FoundSecret[];
}

export type TurnReading =
  | { readonly ok: true; readonly turn: ReadTurn }
  | { readonly ok: false; readonly reason: string };

/** Parses one input of `add`. The reason of a rejection names fields, never what stood in them. */
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
      // A lone surrogate has no UTF-8 form: it becomes U+FFFD here, once, and not in each layer below.
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

/** Two versions of a turn with equal hashes say the same. */
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
