import type { IndexedScope } from '../ingest/ingest-context.ts';
import type { Milliseconds } from '../model/ids.ts';
import { CONVERSATION_TITLE } from '../model/turn-metadata.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { NONE } from '../search/timeline.ts';
import { Breather } from '../util/breathe.ts';
import { BY_TIME, type Page, type PageRequest, pageGradually } from './history/page.ts';

/** Which sessions to list, the latest first. */
export interface SessionListRequest extends PageRequest {
  /** Only those of this source, such as an importer. */
  readonly source?: string | undefined;
  /** Sessions that are left out. */
  readonly except?: ReadonlySet<string> | undefined;
}

/** A conversation that memory took from elsewhere. */
export interface SessionLine {
  readonly session: string;
  readonly source: string;
  /** The title that its source gave it, else its name there, else its first words. */
  readonly title: string;
  /** Number of live turns, without those that chats of the app added. */
  readonly turns: number;
  /** When its first and its last turn were said. */
  readonly from: Milliseconds;
  readonly to: Milliseconds;
}

export interface SessionListing extends Page<SessionLine> {
  /** How many sessions each source has, the source with the most first. */
  readonly sources: readonly { readonly source: string; readonly sessions: number }[];
}

/** Under which chats of the app are stored: they are no sessions from elsewhere. */
export const APP_SOURCE = 'assistant';

interface Indexed extends Omit<SessionLine, 'title'> {
  /** Null where only its words can name it. */
  readonly title: string | null;
  /** Ordinal of its first turn. */
  readonly first: number;
}

interface Known {
  readonly revision: number;
  readonly sessions: readonly Indexed[];
}

/** The index drops the list with the titles that it has, once one of them is removed. */
const KNOWN = Symbol('sessions');

/**
 * The sessions that came from elsewhere, page by page. Goes through the turns of the index once for each revision, and
 * reads rows only of the page.
 *
 * @throws InvalidInputError for an invalid limit or cursor.
 */
export async function sessionsListed(
  context: IndexedScope,
  { source, except, limit, after }: SessionListRequest = {},
): Promise<SessionListing> {
  const all = (await sessionsIn(context.index)).filter(({ session }) => !except?.has(session));
  const counts = new Map<string, number>();
  for (const each of all) counts.set(each.source, (counts.get(each.source) ?? 0) + 1);
  const sources = [...counts]
    .map(([name, sessions]) => ({ source: name, sessions }))
    .toSorted((a, b) => b.sessions - a.sessions || (a.source < b.source ? -1 : 1));
  const placeOf = (each: Indexed) =>
    source === undefined || each.source === source
      ? { at: -each.to, createdAt: -each.first, id: each.session }
      : null;
  const page = await pageGradually(all, { order: BY_TIME, placeOf }, { limit, after });
  return { ...page, items: await titled(context, page.items), sources };
}

/** One session from elsewhere; null if it has no live turns. */
export async function sessionLine(context: IndexedScope, session: string): Promise<SessionLine | null> {
  const found = (await sessionsIn(context.index)).find((each) => each.session === session);
  if (found === undefined) return null;
  const [line] = await titled(context, [found]);
  return line ?? null;
}

/** Sessions that have a name of their own, from the index alone. */
export async function sessionsNamed(index: ScopeIndex): Promise<readonly SessionLine[]> {
  return (await sessionsIn(index)).flatMap(({ first: _, title, ...line }) =>
    title === null ? [] : [{ ...line, title }],
  );
}

/** Sessions by their names, as a search shows where a turn is from. */
export async function sessionTitles(
  context: IndexedScope,
  sessions: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const wanted = (await sessionsIn(context.index)).filter(({ session }) => sessions.has(session));
  return new Map((await titled(context, wanted)).map(({ session, title }) => [session, title]));
}

async function sessionsIn(index: ScopeIndex): Promise<readonly Indexed[]> {
  const { revision } = index;
  const kept = index.made.get(KNOWN) as Known | undefined;
  if (kept?.revision === revision) return kept.sessions;
  const { timeline, length } = index.episodes;
  const found = new Map<number, { first: number; turns: number; from: number; to: number }>();
  const app = timeline.sources.indexOf(APP_SOURCE);
  const breather = new Breather();
  for (let turn = 0; turn < length; turn++) {
    if (turn % 8_192 === 0) await breather.breathe();
    if (!index.episodes.conversation.isLive(turn) || timeline.source.at(turn) === app) continue;
    const session = timeline.session.at(turn);
    const at = timeline.validAt.at(turn);
    const one = found.get(session);
    if (one === undefined) found.set(session, { first: turn, turns: 1, from: at, to: at });
    else {
      one.turns++;
      if (timeline.index.at(turn) < timeline.index.at(one.first)) one.first = turn;
      one.from = Math.min(one.from, at);
      one.to = Math.max(one.to, at);
    }
  }
  const sessions = [...found].map(([number, one]) => {
    const session = timeline.sessions[number]!;
    const source = timeline.sources[timeline.source.at(one.first)]!;
    return { ...one, session, source, title: nameOf(index, { first: one.first, session, source }) };
  });
  // A commit may have come between.
  if (index.revision === revision) index.made.set(KNOWN, { revision, sessions } satisfies Known);
  return sessions;
}

/** A name that says something to a person: no number, digest or id of another program. */
const OPAQUE = /^(?:unnamed-.*|[\d_-]+|[0-9a-f-]{16,}|[\w-]*\d[\w-]{18,})$/i;
/** An attachment's session begins with the id of its upload. */
const UPLOAD = /^[\w-]{20,24} (?=\S)/;
const LONGEST = 80;

/** The title that its source gave it, else its name there; null where that says nothing. */
function nameOf(
  { episodes: { metadata } }: ScopeIndex,
  { first, session, source }: Pick<Indexed, 'first' | 'session' | 'source'>,
): string | null {
  const title = metadata.of(first)[CONVERSATION_TITLE];
  if (typeof title === 'string' && title !== '') return title;
  const name = session.replace(`${source}/`, '').replace(UPLOAD, '');
  return OPAQUE.test(name) ? null : name;
}

async function titled(
  { store, scope, index }: IndexedScope,
  sessions: readonly Indexed[],
): Promise<SessionLine[]> {
  const { ids } = index.episodes;
  const wanted = sessions.flatMap(({ first, title }) => (title === null ? [ids.idOf(first)] : []));
  const rows = wanted.length === 0 ? [] : await store.get(scope, 'episode', wanted);
  const words = new Map(rows.map(({ id, content }) => [id as string, beginningOf(content)]));
  return sessions.map(({ first, title, ...line }) => ({
    ...line,
    title: title ?? words.get(ids.idOf(first)) ?? '',
  }));
}

/** The first line, cut after a word. */
function beginningOf(content: string): string {
  const line = content
    .slice(0, 1_000)
    .trim()
    .split('\n', 1)[0]!
    .replace(/^[#>*\s]+/, '');
  if (line.length <= LONGEST) return line;
  const cut = line.slice(0, LONGEST);
  const end = cut.lastIndexOf(' ');
  return `${(end > LONGEST / 2 ? cut.slice(0, end) : cut).toWellFormed().trimEnd()}…`;
}

/** Ordinals of the live turns of a session in order, without those of one source. */
export function turnsOfSession(
  { timeline }: Pick<ScopeIndex['episodes'], 'timeline'>,
  session: string,
  without?: string,
): number[] {
  const source = without === undefined ? NONE : timeline.sources.indexOf(without);
  const turns: number[] = [];
  for (let turn = timeline.lastTurn(session); turn !== NONE; turn = timeline.previous.at(turn))
    if (source === NONE || timeline.source.at(turn) !== source) turns.push(turn);
  return turns.reverse();
}
