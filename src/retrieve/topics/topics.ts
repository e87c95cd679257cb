import type { RouteInput, RouteResult } from '../route.ts';
import type { Anchors } from './anchors.ts';
import { Archive } from './archive.ts';
import { findCandidates } from './candidates.ts';
import { likenessOfTopics, likenessOfTurns } from './likeness.ts';
import { type RankedTurn, rankTurns } from './ranked-turns.ts';
import type { TopicsRoute } from './settings.ts';
import { namesOfTopics } from './texts.ts';
import { topicLists } from './topic-lists.ts';

/**
 * Graph-guided multi-factor retrieval (GAM §3.4): from the question to the topics nearest to it and their neighbours,
 * down to their archived turns, which are ranked by how probably they answer and by time, speaker and confidence. The
 * buffer is not read: evaluation flushes it first.
 */
export async function runTopics(input: RouteInput, route: TopicsRoute): Promise<RouteResult> {
  const { index } = input.context;
  const archive = new Archive(index, input.rows().eligible.episode);
  const likeness =
    route.candidates === 'turns' ? likenessOfTurns(input, archive, route) : likenessOfTopics(input, archive);
  const { units, anchors } = findCandidates({ ...input, index, archive, likeness }, route);
  input.limit.check();
  const ranked = await rankTurns(units, { input, route, archive, likeness });
  const most = Math.min(input.depth, route.results ?? input.depth);
  const turns = ranked.turns.slice(0, most);
  const paths = await pathsOf(turns.slice(0, input.k), anchors, input);
  input.limit.check();
  // Rows were waited for: what may be offered is what may be now.
  const { eligible } = input.rows();
  const offered = turns.filter(({ turn }) => eligible.episode?.[turn] !== 0);
  const pathOf = (turn: number) => paths.get(turn);
  const lists = topicLists(offered, { ...input, index, eligible, route, pathOf });
  const byWords = anchors.byWords && anchors.top.length > 0;
  const figures = {
    anchors: anchors.top.length,
    neighbours: anchors.neighbours.size,
    candidates: units.length,
    pairs: ranked.pairs,
  };
  const notes = [
    ...(byWords ? ['no vector speaks for a topic: words chose the anchors'] : []),
    ...ranked.notes,
  ];
  return { lists, report: { figures, notes } };
}

/**
 * For turns that are shown: the topic they are of, after the anchor that led to it. Of a time that is past nothing is
 * told, since a topic's keywords may have been said later.
 */
async function pathsOf(
  turns: readonly RankedTurn[],
  { top, neighbours }: Anchors,
  { context, view }: RouteInput,
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (view.saidBy !== null || top.length === 0) return new Map();
  const { index } = context;
  const topicOf = new Map(
    turns.flatMap(({ turn }) => {
      const segment = index.segmentOf(index.episodes.ids.idOf(turn));
      return segment === undefined ? [] : [[turn, index.segments.ids.ordinalOf(segment)!] as const];
    }),
  );
  const wayTo = (topic: number) => [neighbours.get(topic) ?? [], topic].flat();
  const names = await namesOfTopics(context, [...new Set([...topicOf.values()].flatMap(wayTo))]);
  return new Map(
    [...topicOf]
      .map(([turn, topic]) => [turn, wayTo(topic).flatMap((each) => names.get(each) ?? [])] as const)
      .filter(([, path]) => path.length > 0),
  );
}
