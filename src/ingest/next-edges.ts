import type { Episode } from '../model/nodes.ts';
import type { Relationship } from '../model/relationships.ts';
import type { EpisodeIndex } from '../search/episode-index.ts';
import { NONE } from '../search/timeline.ts';
import { groupBy } from '../util/group-by.ts';

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
