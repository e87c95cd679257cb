import type { Relationship } from '../../../src/model/relationships.ts';
import { groupBy } from '../../../src/util/collections.ts';
import type { Graph } from '../memory-fixture.ts';

export interface GraphUpToIds {
  readonly episodes: readonly string[];
  readonly segments: readonly string[];
  readonly entities: readonly string[];
  readonly facts: readonly string[];
  readonly descriptions: readonly string[];
  readonly edges: readonly string[];
}

/**
 * What is live in a graph in words that two memories of the same turns share: turns go by their key and version,
 * all else by what it says and rests on. Of profiles only the name is in it: when a new version of one is due depends
 * on how turns fall into commits.
 */
export function upToIds(graph: Graph): GraphUpToIds {
  const { episode, segment, fact, description, profile, entity } = graph.nodes;
  const words = new Map<string, string>();
  const edgesOf = edgeReader(graph);
  const isLive = ({ expiredAt }: { expiredAt: number | null }) => expiredAt === null;
  const list = <Row extends { id: string }>(rows: readonly Row[], say: (row: Row) => string) => {
    for (const row of rows) words.set(row.id, say(row));
    return rows.map(({ id }) => words.get(id)!).sort();
  };
  const wordsOf = (ids: readonly string[]) => ids.flatMap((id) => words.get(id) ?? []).sort();

  const episodes = list(episode.filter(isLive), ({ session, index, version, content, ...row }) =>
    json(session, index, version, content, row.status, row.gate, row.verified, row.speaker),
  );
  const nameOf = new Map(profile.filter(isLive).map(({ owner, name }) => [owner as string, name]));
  const named = entity.filter(({ id }) => nameOf.has(id));
  const entities = list(named, ({ id }) =>
    json(nameOf.get(id), wordsOf(edgesOf('MENTIONS', 'to', id).map(({ from }) => from))),
  );
  const segments = list(segment.filter(isLive), ({ id, session, keywords, summary, startAt, endAt }) =>
    json(session, keywords, summary, startAt, endAt, wordsOf(turnsOf(edgesOf, id))),
  );
  const facts = list(fact.filter(isLive), ({ id, kind, statement, relation, event, confidence, ...row }) => {
    const evidence = wordsOf(edgesOf('EVIDENCED_BY', 'from', id).map(({ to }) => to));
    // What was said more than once holds from whichever was read first.
    const from = evidence.length > 1 ? null : row.validAt;
    return json(kind, statement, relation, event, confidence, from, row.invalidAt, evidence);
  });
  const live = description.filter(({ segment: id }) => words.has(id));
  const descriptions = list(live, ({ id, text, entity: of, segment: by }) => {
    const cited = wordsOf(edgesOf('EVIDENCED_BY', 'from', id).map(({ to }) => to));
    return json(text, words.get(of), words.get(by), cited);
  });
  const edges = graph.relationships.flatMap(({ kind, from, to, role, relation, confidence }) => {
    const ends = [words.get(from), words.get(to)];
    if (ends.includes(undefined)) return [];
    // Of two segments the later one is related to the earlier: which was read later is not of the turns.
    if (kind === 'RELATED') ends.sort();
    return json(kind, ends[0], ends[1], role, relation, confidence);
  });
  return { episodes, segments, entities, facts, descriptions, edges: edges.sort() };
}

type EdgesOf = (kind: Relationship['kind'], end: 'from' | 'to', id: string) => readonly Relationship[];

export function edgeReader({ relationships }: Graph): EdgesOf {
  const from = groupBy(relationships, (edge) => `${edge.kind} from ${edge.from}`);
  const to = groupBy(relationships, (edge) => `${edge.kind} to ${edge.to}`);
  return (kind, end, id) => (end === 'from' ? from : to).get(`${kind} ${end} ${id}`) ?? [];
}

function turnsOf(edgesOf: EdgesOf, segment: string): string[] {
  return edgesOf('IN_SEGMENT', 'to', segment).map(({ from }) => from);
}

const json = (...values: unknown[]) => JSON.stringify(values);
