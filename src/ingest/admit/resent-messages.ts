import type { EpisodeId } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import type { EpisodeIndex } from '../../search/episode-index.ts';
import { NONE } from '../../search/timeline.ts';
import { groupBy } from '../../util/collections.ts';
import type { ReadTurn, TurnReading } from './read-turn.ts';

/** The most turns of a session that are compared. */
const MOST_COMPARED = 1_000;
/** The most pairs of a turn and a message: fewer turns are compared with a long history. */
const MOST_PAIRS = 4_000_000;
/** Of what others than the assistant said since the first turn that a history has, more than this share is in it. */
const LEAST_SHARE = 2 / 3;

/**
 * The messages of a call by session, where they may be a history that is sent again: two or more, none with a name or a
 * time.
 */
function historiesOf(readings: readonly TurnReading[]): ReadonlyMap<string, readonly ReadTurn[]> {
  const turns = readings.flatMap((reading) => (reading.ok ? [reading.turn] : []));
  const sessions = [...groupBy(turns, ({ session }) => session)];
  return new Map(
    sessions.filter(([, said]) => said.length > 1 && said.every(({ isOfConversation }) => isOfConversation)),
  );
}

/** The last turns of the sessions of such histories, twice as many as a history has. */
export function turnsBefore(
  readings: readonly TurnReading[],
  { timeline, ids }: Pick<EpisodeIndex, 'timeline' | 'ids'>,
): EpisodeId[] {
  return [...historiesOf(readings)].flatMap(([session, said]) => {
    const found: EpisodeId[] = [];
    const most = Math.min(2 * said.length, MOST_COMPARED, Math.ceil(MOST_PAIRS / said.length));
    for (
      let at = timeline.lastTurn(session);
      at !== NONE && found.length < most;
      at = timeline.previous.at(at)
    )
      found.push(ids.idOf(at) as EpisodeId);
    return found.reverse();
  });
}

/** Why a message of a history is not stored: its time is over. */
const TOO_LATE = 'memory has what was said after it in this conversation; add it alone to keep it';

/**
 * Places the messages of a conversation that is sent whole, or in its last part, with each request: those that memory
 * has stay the turns that they are, and new ones follow. One that was forgotten is known by its place. A history goes on
 * where what others than the assistant said last is in it, with most of what stands between: a reply may have been
 * written again. A single message is said now.
 *
 * @param before The turns of `turnsBefore`.
 */
export function placeResent(
  readings: readonly TurnReading[],
  before: readonly Episode[],
): readonly TurnReading[] {
  const placed = new Map<ReadTurn, TurnReading>();
  const stored = groupBy(before, ({ session }) => session);
  for (const [session, said] of historiesOf(readings)) {
    const turns = stored.get(session) ?? [];
    const known = sameTurns(turns, said);
    if (turns.length > 0 && known === null) continue;
    const places = new Places(turns);
    const last = said.findLastIndex((message) => known?.has(message));
    for (const [at, message] of said.entries()) {
      const turn = known?.get(message);
      const index = turn?.index ?? (at > last ? places.after() : places.free());
      if (turn !== undefined) places.passed(turn);
      if (index === null) placed.set(message, { ok: false, reason: TOO_LATE, isMalformed: false });
      else placed.set(message, { ok: true, turn: turn ? asStored(message, turn) : { ...message, index } });
    }
  }
  return placed.size === 0
    ? readings
    : readings.map((reading) => (reading.ok ? placed.get(reading.turn) : undefined) ?? reading);
}

/** The places of a session among and after its turns. */
class Places {
  readonly #taken: ReadonlySet<number>;
  readonly #last: number;
  #next = Number.POSITIVE_INFINITY;
  #after: number;

  constructor(turns: readonly Episode[]) {
    this.#taken = new Set(turns.map(({ index }) => index));
    this.#last = turns.at(-1)?.index ?? -1;
    this.#after = this.#last;
  }

  passed({ index }: Episode): void {
    this.#next = index + 1;
  }

  after(): number {
    return ++this.#after;
  }

  /** The place of a forgotten turn after the passed one; null if there is none. */
  free(): number | null {
    return this.#next > this.#last || this.#taken.has(this.#next) ? null : this.#next++;
  }
}

/** A message as its turn was stored: by its name or place, its speaker, files and metadata. */
function asStored(
  message: ReadTurn,
  { index, source, sourceId, speaker, attachments, metadata }: Episode,
): ReadTurn {
  const name = sourceId === null ? { index } : { source, sourceId };
  return { ...message, ...name, speaker, attachments: [...attachments], metadata };
}

/**
 * The stored turn of each message that has one, by the longest common subsequence; null if it does not show that the
 * messages go on from the turns.
 */
function sameTurns(
  turns: readonly Episode[],
  said: readonly ReadTurn[],
): ReadonlyMap<ReadTurn, Episode> | null {
  const isSame = (turn: Episode, message: ReadTurn) =>
    turn.role === message.role && turn.content === message.content;
  const width = said.length + 1;
  const lengths = new Uint16Array((turns.length + 1) * width);
  for (const [row, turn] of turns.entries())
    for (const [column, message] of said.entries()) {
      const at = (row + 1) * width + column + 1;
      lengths[at] = isSame(turn, message)
        ? lengths[at - width - 1]! + 1
        : Math.max(lengths[at - width]!, lengths[at - 1]!);
    }
  const same = new Map<Episode, ReadTurn>();
  let [row, column] = [turns.length, said.length];
  while (row > 0 && column > 0) {
    const [turn, message] = [turns[row - 1]!, said[column - 1]!];
    const at = row * width + column;
    if (isSame(turn, message)) {
      same.set(turn, message);
      row--;
      column--;
    } else if (lengths[at - width]! > lengths[at - 1]!) row--;
    else column--;
  }
  return goesOn(turns, same) ? new Map([...same].map(([turn, message]) => [message, turn])) : null;
}

function goesOn(turns: readonly Episode[], same: ReadonlyMap<Episode, ReadTurn>): boolean {
  const first = turns.findIndex((turn) => same.has(turn));
  if (first < 0) return false;
  const asked = turns.filter(({ role }) => role !== 'assistant');
  const since = turns.slice(first).filter(({ role }) => role !== 'assistant' || asked.length === 0);
  const found = since.filter((turn) => same.has(turn)).length;
  if (found === 0 || !same.has(since.at(-1)!)) return false;
  return found === asked.length || (same.size > 1 && found > LEAST_SHARE * since.length);
}
