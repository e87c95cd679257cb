import type { EpisodeId, Milliseconds } from '../model/ids.ts';
import type { Episode } from '../model/nodes.ts';
import type { Timeline } from '../search/timeline.ts';
import type { AddOutcome } from './add-outcome.ts';
import type { ReadTurn, TurnReading } from './read-turn.ts';
import { contentHash, turnKey } from './turn-key.ts';

interface PlacedTurn extends ReadTurn {
  readonly index: number;
  readonly key: string;
}

/** Inputs that parsed, with the key they will be stored under; a rejected input is its outcome. */
export type PlacedInput = PlacedTurn | Extract<AddOutcome, { status: 'rejected' }>;

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

export interface PlanOptions {
  readonly now: Milliseconds;
  readonly newId: () => string;
  /** How far a turn will be read for facts. Default: to its end. */
  readonly readUpTo?: ((content: string) => number) | undefined;
  /** Whether the same turn with the same content was forgotten: it must not come back. */
  readonly wasForgotten: (turn: Pick<Episode, 'key' | 'contentHash'>) => boolean;
}

const FORGOTTEN = 'this turn was forgotten, and stays so';

/** Decides for each input whether it is new, known, forgotten, or a new version (DESIGN §8.3). */
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
