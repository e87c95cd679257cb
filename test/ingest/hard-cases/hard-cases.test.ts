import { describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { Mnemis } from '../../../src/engine.ts';
import type { Fact } from '../../../src/model/nodes.ts';
import { edges, freshPath, type Graph, graphOf, reading } from '../../engine/memory-fixture.ts';
import { inTier } from '../../tier.ts';
import { type ExpectedFact, type HardCase, KINDS, readHardCases, turnsOf } from './hard-case.ts';

const CASES = readHardCases();
const STORES = inTier({
  fast: [':memory:'],
  slow: ['a file that was closed and opened again', ':memory:'],
});

/** Adds the sessions one by one; for a file store, reopens it before reading. */
async function remember(hardCase: HardCase, store: string, look: (memory: MemoryScope) => Promise<void>) {
  const path = store === ':memory:' ? store : freshPath();
  let mnemis = await Mnemis.open({ path });
  try {
    const memory = mnemis.scope('x');
    for (const session of turnsOf(hardCase)) {
      await memory.add(session);
      await memory.flush();
    }
    if (path !== ':memory:') {
      await mnemis.close();
      mnemis = await Mnemis.open({ path });
    }
    await look(mnemis.scope('x'));
  } finally {
    await mnemis.close();
  }
}

/** The facts that hold now. */
const believed = (graph: Graph) =>
  graph.nodes.fact.filter(({ expiredAt, invalidAt }) => expiredAt === null && invalidAt === null);
const holds = ({ statement }: Pick<Fact, 'statement'>, words: readonly string[]) =>
  words.every((word) => statement.toLowerCase().includes(word));
const isoDay = (time: number) => new Date(time).toISOString().slice(0, 10);

function checkFact(graph: Graph, expected: ExpectedFact): void {
  const all = believed(graph);
  const found = all.filter((fact) => holds(fact, expected.words));
  const told = `${expected.words.join(' + ')} in:\n${all.map(({ statement }) => statement).join('\n')}`;
  expect(found.length, told).toBeGreaterThan(0);
  if (expected.count !== undefined) expect(found.length, told).toBe(expected.count);
  const fact = found[0]!;
  const { event, validFrom, rests, about, notAbout, relation, confidence } = expected;
  if (event !== undefined) {
    expect(fact.event && [isoDay(fact.event.start), isoDay(fact.event.end)], fact.statement).toEqual(event);
  }
  if (validFrom !== undefined) expect(isoDay(fact.validAt), fact.statement).toBe(validFrom);
  if (rests !== undefined) expect(evidence(graph, fact), fact.statement).toEqual(rests);
  const names = entitiesOf(graph, fact);
  for (const name of about ?? []) expect(names, fact.statement).toContain(name);
  for (const name of notAbout ?? []) expect(names, fact.statement).not.toContain(name);
  if (relation !== undefined) expect(fact.relation, fact.statement).toMatch(new RegExp(relation));
  if (confidence !== undefined) {
    expect(fact.confidence, fact.statement).toBeGreaterThanOrEqual(confidence[0]);
    expect(fact.confidence, fact.statement).toBeLessThanOrEqual(confidence[1]);
  }
}

function evidence(graph: Graph, { id }: Pick<Fact, 'id'>): string[] {
  const cited = new Set(
    edges(graph, 'EVIDENCED_BY').flatMap(({ from, to }) => (from === id ? [to as string] : [])),
  );
  return graph.nodes.episode
    .filter((episode) => cited.has(episode.id))
    .map(({ session, index }) => `${session}:${index}`)
    .sort();
}

/** Names and aliases of all entities of a fact. */
function entitiesOf(graph: Graph, { id }: Pick<Fact, 'id'>): string[] {
  const { current } = reading(graph);
  const owners = new Set(
    edges(graph, 'ABOUT').flatMap(({ from, to }) => (from === id ? [to as string] : [])),
  );
  return current.filter(({ owner }) => owners.has(owner)).map(({ name }) => name);
}

/** The entities with this name or alias. */
function called(graph: Graph, name: string): string[] {
  return reading(graph)
    .current.filter((profile) => [profile.name, ...profile.aliases].includes(name))
    .map(({ owner }) => owner);
}

function checkEntities(graph: Graph, { one, apart, present, absent }: HardCase['entities']): void {
  const names = reading(graph).current.map(({ name }) => name);
  for (const group of one) {
    expect(new Set(group.flatMap((name) => called(graph, name))).size, group.join(' = ')).toBe(1);
    for (const name of group) expect(called(graph, name), `${name} in ${names.join('; ')}`).toHaveLength(1);
  }
  for (const [first, second] of apart) {
    const [a, b] = [called(graph, first), called(graph, second)];
    expect([a.length, b.length], `${first}, ${second} in ${names.join('; ')}`).toEqual([1, 1]);
    expect(a[0]).not.toBe(b[0]);
  }
  for (const name of present) expect(called(graph, name), `${name} in ${names.join('; ')}`).toHaveLength(1);
  for (const name of absent)
    expect(names.map((each) => each.toLowerCase())).not.toContain(name.toLowerCase());
}

function checkAbsence(graph: Graph, { never, neverWithout, doubted }: HardCase): void {
  const all = believed(graph);
  for (const words of never) expect(all.filter((fact) => holds(fact, words)).map(stated)).toEqual([]);
  for (const { words, unless } of neverWithout) {
    const bare = all.filter((fact) => holds(fact, words) && !unless.some((word) => holds(fact, [word])));
    expect(bare.map(stated), `${words.join(' + ')} without ${unless.join(' or ')}`).toEqual([]);
  }
  for (const words of doubted)
    for (const fact of all.filter((each) => holds(each, words)))
      expect(fact.confidence).toBeLessThanOrEqual(0.4);
}

const stated = ({ statement }: Pick<Fact, 'statement'>) => statement;

async function checkReading(memory: MemoryScope, { search, ask }: HardCase): Promise<void> {
  for (const { query, turns, facts } of search) {
    const result = await memory.search(query);
    const first = result.episodes.slice(0, 3).map(({ session, index }) => `${session}:${index}`);
    if (turns.length > 0)
      expect(turns.filter((turn) => first.includes(turn)).length, `${query}: ${first}`).toBeGreaterThan(0);
    const statements = result.facts.slice(0, 3).map(({ statement }) => statement.toLowerCase());
    for (const words of facts) expect(statements.join('\n'), query).toContain(words);
  }
  for (const { question, says } of ask) {
    const answer = await memory.ask(question);
    expect(answer.answered, question).toBe(true);
    for (const word of says) expect(answer.text, question).toContain(word);
  }
}

it('there are two prepared cases of each kind', () => {
  for (const kind of KINDS)
    expect(CASES.filter(({ hardCase }) => hardCase.kind === kind).length, kind).toBeGreaterThanOrEqual(2);
});

describe.each(STORES)('hard cases in %s', (store) => {
  it.each(CASES)('$hardCase.kind: $hardCase.title ($file)', ({ hardCase }) => meets(hardCase));

  async function meets(hardCase: HardCase): Promise<void> {
    await remember(hardCase, store, async (memory) => {
      const graph = await graphOf(memory);
      expect(graph.nodes.episode.map(({ content }) => content).sort()).toEqual(
        turnsOf(hardCase)
          .flat()
          .map(({ content }) => content)
          .sort(),
      );
      for (const expected of hardCase.facts) checkFact(graph, expected);
      checkAbsence(graph, hardCase);
      checkEntities(graph, hardCase.entities);
      await checkReading(memory, hardCase);
    });
  }
});
