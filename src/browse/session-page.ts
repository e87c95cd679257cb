import { InvalidInputError } from '../errors/index.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { Episode } from '../model/nodes.ts';
import type { Timeline } from '../search/timeline.ts';
import { turnsOfSession } from './session-list.ts';

/**
 * Which turns of a session: those around a turn, else those from a position of the session on. An `episode` names its
 * session, too.
 */
export interface SessionRequest {
  readonly session?: string | undefined;
  readonly episode?: string | undefined;
  /** Number of turns before it. Default 20. */
  readonly before?: number | undefined;
  /** Number of turns after it. Default 20, and 50 without an `episode`. */
  readonly after?: number | undefined;
  /** Position in the session to begin at, in place of a turn. Default 0. */
  readonly from?: number | undefined;
  /** Turns of this source are left out, such as those of a chat that continues the session. */
  readonly without?: string | undefined;
}

/** A part of a session, in order. */
export interface SessionPage {
  readonly session: string;
  readonly turns: readonly Episode[];
  /** Number of live turns of the session. */
  readonly total: number;
  /** Position in the session of the first turn of the page, from 0. */
  readonly first: number;
}

const AROUND = 20;
const FROM_START = 50;

/**
 * The live turns of a session around one of them. A superseded version of a turn stands for the current one; empty
 * for a session without turns.
 *
 * @throws InvalidInputError if neither a session nor a turn is named, or the turn is not of this scope or session.
 */
export async function sessionPage(
  context: IndexedScope,
  { session: named, episode, before = AROUND, after, from = 0, without }: SessionRequest,
): Promise<SessionPage> {
  const { store, scope, index } = context;
  const { ids } = index.episodes;
  const centre = episode === undefined ? null : await placeOf(context, episode);
  const session = centre?.session ?? named;
  if (session === undefined) throw new InvalidInputError('Name a session or a turn of it');
  if (named !== undefined && named !== session)
    throw new InvalidInputError('The turn is of another session than the one that was named');
  const turns = turnsOfSession(index.episodes, session, without);
  const at = centre === null ? from : positionOf(turns, index.episodes.timeline, centre.index);
  const first = Math.max(0, at - (centre === null ? 0 : before));
  const shown = turns.slice(first, at + 1 + (after ?? (centre === null ? FROM_START : AROUND)));
  const rows = await store.get(
    scope,
    'episode',
    shown.map((turn) => ids.idOf(turn)),
  );
  return { session, turns: rows, total: turns.length, first };
}

async function placeOf(
  { store, scope }: IndexedScope,
  episode: string,
): Promise<Pick<Episode, 'session' | 'index'>> {
  const [row] = await store.get(scope, 'episode', [episode]);
  if (row === undefined) throw new InvalidInputError('No turn of this scope has that id');
  return row;
}

/** The position of the turn with the index, else of the next one, else of the last. */
function positionOf(turns: readonly number[], timeline: Timeline, index: number): number {
  const at = turns.findIndex((turn) => timeline.index.at(turn) >= index);
  return at < 0 ? Math.max(0, turns.length - 1) : at;
}

/** The live turns of a session, in the order of their indices. */
export async function sessionTurns(
  { store, scope, index }: IndexedScope,
  session: string,
): Promise<readonly Episode[]> {
  const { ids } = index.episodes;
  const wanted = turnsOfSession(index.episodes, session).map((turn) => ids.idOf(turn));
  const rows = new Map((await store.get(scope, 'episode', wanted)).map((row) => [row.id as string, row]));
  return wanted.flatMap((id) => rows.get(id) ?? []);
}
