import { expect, it } from 'vitest';
import { killProgram } from '../child-program.ts';
import { seededRandom } from '../search/random.ts';
import { edges, freshPath, type Graph, graphOf, using } from './memory-fixture.ts';

const CHILD = new URL('../fixtures/engine/add-turns.ts', import.meta.url).pathname;

/**
 * Lets a process add turns, kills it a while after it has printed so many lines (the first one says that the
 * database is open, each further one acknowledges a turn), and gives what it acknowledged.
 */
async function addUntilKilled(
  path: string,
  { first, lines, milliseconds }: { first: number; lines: number; milliseconds: number },
): Promise<string[]> {
  const killed = await killProgram(
    CHILD,
    [path, String(first)],
    (printed) => printed.length >= lines,
    milliseconds,
  );
  expect([killed.signal, killed.errors]).toEqual(['SIGKILL', '']);
  return killed.lines.filter((line) => line !== 'open');
}

/**
 * No turn is there in part: its vector, and, once it is consolidated, its one segment, its facts with their evidence
 * and its mentions of entities that exist; before, none of them.
 */
function expectWhole(graph: Graph): void {
  const { episode, segment, fact, entity, profile, description, category, embedding } = graph.nodes;
  const embedded = new Set(embedding.map(({ owner, field }) => `${owner} ${field}`));
  const evidence = new Set(edges(graph, 'EVIDENCED_BY').map(({ from }) => from));
  const backed = new Set(edges(graph, 'EVIDENCED_BY').map(({ to }) => to));
  const mentioning = new Set(edges(graph, 'MENTIONS').map(({ from }) => from));
  const segmented = edges(graph, 'IN_SEGMENT').map(({ from }) => from);
  const inSegment = new Set(segmented);
  expect(segmented).toHaveLength(inSegment.size);
  for (const { id, status } of episode) {
    const isRead = status === 'extracted';
    expect(isRead || status === 'stored').toBe(true);
    expect([embedded.has(`${id} content`), backed.has(id), mentioning.has(id), inSegment.has(id)]).toEqual([
      true,
      isRead,
      isRead,
      isRead,
    ]);
  }
  for (const { id } of fact)
    expect([embedded.has(`${id} statement`), evidence.has(id)]).toEqual([true, true]);
  for (const { id } of profile)
    expect(embedded.has(`${id} name`) && embedded.has(`${id} summary`)).toBe(true);
  const rows = [...episode, ...segment, ...fact, ...entity, ...description, ...category];
  const ids = new Set<string>(rows.map(({ id }) => id));
  for (const { from, to } of graph.relationships) expect(ids.has(from) && ids.has(to)).toBe(true);
  const current = profile.filter(({ expiredAt }) => expiredAt === null).map(({ owner }) => owner);
  expect(current.toSorted()).toEqual([...entity, ...category].map(({ id }) => id).toSorted());
}

it.each([
  ['.db', 20],
  ['.sqlite', 4],
])(
  'loses no acknowledged turn, and keeps none in part: %s, %i kills',
  {
    timeout: 300_000,
  },
  async (ending, trials) => {
    const path = freshPath(ending);
    const random = seededRandom(20);
    const acknowledged: string[] = [];
    let stored = 0;
    for (let trial = 0; trial < trials; trial++) {
      // Every other process has acknowledged a turn when its time begins, however slow the machine is.
      const news = await addUntilKilled(path, {
        first: stored,
        lines: 1 + (trial % 2),
        milliseconds: random() * 400,
      });
      acknowledged.push(...news);
      await using(path, async (mnemis) => {
        const memory = mnemis.scope('a');
        const graph = await graphOf(memory);
        const numbers = graph.nodes.episode.map(({ sourceId }) => Number(sourceId)).sort((a, b) => a - b);
        // Each once and in a row: what was acknowledged, and at most one call whose acknowledgement was cut off.
        expect(numbers).toEqual(numbers.map((_, number) => number));
        expect(numbers.length).toBeGreaterThanOrEqual(acknowledged.length);
        expect(numbers.length - acknowledged.length).toBeLessThanOrEqual(20);
        expectWhole(graph);
        // What earlier processes left was consolidated at the end of the trial before; what this one left waits.
        const waiting = graph.nodes.episode.filter(({ status }) => status === 'stored');
        expect(waiting).toHaveLength(numbers.length - stored);
        expect((await memory.stats()).enrichment.pending).toBe(waiting.length);
        for (const number of new Set([...news.slice(-2), ...acknowledged.slice(0, 1)])) {
          const [found] = (await memory.search(`item${number}`, { k: 1 })).episodes;
          expect(found?.sourceId).toBe(number);
        }
        for (let number = acknowledged.length; number < numbers.length; number++)
          acknowledged.push(`${number}`);
        stored = numbers.length;
      });
    }
    await using(path, async (mnemis) => {
      const memory = mnemis.scope('a');
      expect((await memory.stats()).enrichment.pending).toBe(0);
      expectWhole(await graphOf(memory));
    });
    expect(new Set(acknowledged).size).toBe(stored);
    expect(stored).toBeGreaterThanOrEqual(trials / 2);
  },
);
