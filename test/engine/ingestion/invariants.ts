import { expect } from 'vitest';
import { statementKey } from '../../../src/search/fact-index.ts';
import { edges, type Graph } from '../memory-fixture.ts';
import { edgeReader } from './graph-up-to-ids.ts';

/** What holds of a graph at any time, whatever was added, corrected, cut off or set aside. */
export function expectConsistent(graph: Graph): void {
  expect(problemsOf(graph)).toEqual([]);
}

/** Every broken rule as one line, empty where all hold. */
export function problemsOf(graph: Graph): string[] {
  return [
    ...danglingEdges(graph),
    ...turns(graph),
    ...segments(graph),
    ...facts(graph),
    ...descriptions(graph),
    ...entities(graph),
    ...vectors(graph),
    ...relations(graph),
    ...failures(graph),
  ];
}

const isLive = ({ expiredAt }: { expiredAt: number | null }) => expiredAt === null;
const idsOf = (rows: readonly { id: string }[]) => new Set<string>(rows.map(({ id }) => id));

function danglingEdges({ nodes, relationships }: Graph): string[] {
  const ids = idsOf(Object.values(nodes).flat());
  const seen = new Set<string>();
  return relationships.flatMap(({ kind, from, to, role }) => {
    const edge = `${kind} ${from} ${to} ${role ?? ''}`;
    if (seen.has(edge)) return [`${edge} stands twice`];
    seen.add(edge);
    return ids.has(from) && ids.has(to) ? [] : [`${edge} has no end`];
  });
}

/** An extracted turn is in one live segment and judged; any other is judged by nobody and has nothing of its own. */
function turns(graph: Graph): string[] {
  const liveSegments = idsOf(graph.nodes.segment.filter(isLive));
  const edgesOf = edgeReader(graph);
  const keys = new Set<string>();
  return graph.nodes.episode.filter(isLive).flatMap(({ id, key, status, gate, verified }) => {
    const problems: string[] = [];
    if (keys.has(key)) problems.push(`the turn ${key} is live twice`);
    keys.add(key);
    const inSegments = edgesOf('IN_SEGMENT', 'from', id).filter(({ to }) => liveSegments.has(to));
    if (status === 'extracted' && inSegments.length !== 1)
      problems.push(`the extracted turn ${id} is in ${inSegments.length} live segments`);
    if (status === 'extracted' && gate === 'unjudged')
      problems.push(`the extracted turn ${id} is not judged`);
    if (status === 'set-aside' && inSegments.length > 0)
      problems.push(`the turn ${id} is set aside and in a live segment`);
    if (verified && gate === 'unjudged') problems.push(`the turn ${id} is verified and not judged`);
    return problems;
  });
}

/** A live segment has turns of its session alone; its times are theirs. */
function segments(graph: Graph): string[] {
  const turnById = new Map(graph.nodes.episode.map((row) => [row.id as string, row]));
  const edgesOf = edgeReader(graph);
  return graph.nodes.segment.filter(isLive).flatMap(({ id, session, startAt, endAt }) => {
    const members = edgesOf('IN_SEGMENT', 'to', id).map(({ from }) => turnById.get(from)!);
    const problems: string[] = [];
    if (members.some((turn) => turn.session !== session))
      problems.push(`the segment ${id} has turns of another session`);
    const times = members.map(({ validAt }) => validAt);
    if (startAt !== Math.min(...times) || endAt !== Math.max(...times))
      problems.push(`the segment ${id} has other times than its turns`);
    return problems;
  });
}

/** A segment whose turns were all corrected tells of nothing any more. */
export function emptySegments(graph: Graph): string[] {
  const liveTurns = idsOf(graph.nodes.episode.filter(isLive));
  const edgesOf = edgeReader(graph);
  return graph.nodes.segment.filter(isLive).flatMap(({ id }) => {
    const isTold = edgesOf('IN_SEGMENT', 'to', id).some(({ from }) => liveTurns.has(from));
    return isTold ? [] : [`the live segment ${id} has no live turn`];
  });
}

/** A live fact rests on a live turn; no two say the same of the same entities at the same time, with the same end. */
function facts(graph: Graph): string[] {
  const liveTurns = idsOf(graph.nodes.episode.filter(isLive));
  const named = new Set(graph.nodes.profile.filter(isLive).map(({ owner }) => owner as string));
  const edgesOf = edgeReader(graph);
  const said = new Set<string>();
  return graph.nodes.fact.flatMap(({ id, statement, event, invalidAt, expiredAt }) => {
    const evidence = edgesOf('EVIDENCED_BY', 'from', id);
    if (expiredAt !== null) return [];
    const about = edgesOf('ABOUT', 'from', id).map(({ to }) => to);
    const key = JSON.stringify([
      statementKey(statement),
      event?.start,
      event?.end,
      invalidAt,
      [...new Set(about)].sort(),
    ]);
    const problems: string[] = [];
    if (said.has(key)) problems.push(`the fact ${key} stands twice`);
    said.add(key);
    if (!evidence.some(({ to }) => liveTurns.has(to))) problems.push(`the fact ${id} rests on no live turn`);
    for (const entity of about)
      if (!named.has(entity)) problems.push(`the fact ${id} is about ${entity}, which has no profile`);
    return problems;
  });
}

/** A description cites turns of its segment, and some at all. */
function descriptions(graph: Graph): string[] {
  const edgesOf = edgeReader(graph);
  const entityIds = idsOf(graph.nodes.entity);
  const said = new Set<string>();
  return graph.nodes.description.flatMap(({ id, entity, segment }) => {
    const members = new Set(edgesOf('IN_SEGMENT', 'to', segment).map(({ from }) => from));
    const cited = edgesOf('EVIDENCED_BY', 'from', id).map(({ to }) => to);
    const problems: string[] = [];
    if (cited.length === 0) problems.push(`the description ${id} cites nothing`);
    if (!cited.every((turn) => members.has(turn)))
      problems.push(`the description ${id} cites a turn of another segment`);
    if (!entityIds.has(entity)) problems.push(`the description ${id} is of nobody`);
    if (said.has(`${segment} ${entity}`)) problems.push(`the segment ${segment} describes ${entity} twice`);
    said.add(`${segment} ${entity}`);
    return problems;
  });
}

/** An entity that a live turn mentions or a live fact is about has one current profile, any other has none. */
function entities(graph: Graph): string[] {
  const liveTurns = idsOf(graph.nodes.episode.filter(isLive));
  const liveFacts = idsOf(graph.nodes.fact.filter(isLive));
  const edgesOf = edgeReader(graph);
  const current = graph.nodes.profile.filter(isLive).map(({ owner }) => owner as string);
  const problems = current.flatMap((owner, at) =>
    current.indexOf(owner) === at ? [] : [`the entity ${owner} has two current profiles`],
  );
  const named = new Set(current);
  for (const { id } of graph.nodes.entity) {
    const isTold =
      edgesOf('MENTIONS', 'to', id).some(({ from }) => liveTurns.has(from)) ||
      edgesOf('ABOUT', 'to', id).some(({ from }) => liveFacts.has(from));
    if (isTold !== named.has(id))
      problems.push(
        `the entity ${id} is ${isTold ? '' : 'not '}told of, and ${named.has(id) ? 'has a' : 'no'} profile`,
      );
  }
  return problems;
}

function vectors(graph: Graph): string[] {
  const { episode, fact, segment, profile, embedding } = graph.nodes;
  const stored = new Set(embedding.map(({ owner, field }) => `${owner} ${field}`));
  const wanted = [
    ...episode.filter(isLive).map(({ id }) => `${id} content`),
    ...fact.filter(isLive).map(({ id }) => `${id} statement`),
    ...segment.filter(isLive).map(({ id }) => `${id} summary`),
    ...profile.filter(isLive).map(({ id }) => `${id} name`),
  ];
  return [
    ...wanted.filter((key) => !stored.has(key)).map((key) => `${key} has no vector`),
    ...(stored.size === embedding.length ? [] : ['a text has two vectors']),
  ];
}

/** RELATED is above the threshold, and goes from or to a segment to at most five that were there before it. */
function relations(graph: Graph): string[] {
  const older = new Map<string, number>();
  const pairs = new Set<string>();
  const problems: string[] = [];
  for (const { from, to, confidence } of edges(graph, 'RELATED')) {
    if (!(confidence! > 0.6)) problems.push(`RELATED ${from} ${to} has ${confidence}`);
    const [first, second] = [from, to].sort();
    if (first === second || pairs.has(`${first} ${second}`))
      problems.push(`RELATED ${from} ${to} is one too many`);
    pairs.add(`${first} ${second}`);
    older.set(second!, (older.get(second!) ?? 0) + 1);
  }
  for (const [segment, count] of older)
    if (count > 5) problems.push(`${segment} is related to ${count} segments before it`);
  return problems;
}

/** A turn is set aside exactly while a failure of it is open. */
function failures(graph: Graph): string[] {
  const open = idsOf(graph.nodes.failure.filter(isLive));
  const edgesOf = edgeReader(graph);
  return graph.nodes.episode.filter(isLive).flatMap(({ id, status }) => {
    const count = edgesOf('FAILED_IN', 'from', id).filter(({ to }) => open.has(to)).length;
    return count === (status === 'set-aside' ? 1 : 0)
      ? []
      : [`the ${status} turn ${id} has ${count} failures`];
  });
}
