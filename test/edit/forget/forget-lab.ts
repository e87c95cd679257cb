import { expect } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { problemsOf } from '../../engine/ingestion/invariants.ts';
import { type Graph, graphOf } from '../../engine/memory-fixture.ts';

const MINUTE = 60_000;
const FIRST = Date.UTC(2023, 4, 8, 10);

/** Turns of a session, a minute apart: "Ann: I moved to Oslo." */
export function session(name: string, lines: readonly string[], day = 0): TurnInput[] {
  return lines.map((line, index) => {
    const [speaker, content] = line.split(/: (.*)/s) as [string, string];
    return { speaker, content, session: name, index, at: FIRST + day * 24 * 60 * MINUTE + index * MINUTE };
  });
}

/** Two sessions; Quentin, the zither and the clinic stand in the first one alone, Ann and Bob in both. */
export const SECRET = session('secret', [
  'Ann: I take zither lessons from Quentin Marlowe.',
  'Bob: I visited the dermatology clinic in Ghent.',
  'Ann: Quentin Marlowe lives in Ghent.',
]);
export const PLAIN = session(
  'plain',
  [
    'Ann: I moved to Oslo in March 2022.',
    'Bob: My sister Carla works as a nurse in Lisbon.',
    'Ann: I adopted a beagle called Rex.',
  ],
  3,
);
export const SECRET_WORDS = ['zither', 'Quentin', 'Marlowe', 'dermatology', 'clinic', 'Ghent', 'secret'];

export async function idsOf(memory: MemoryScope, part: string): Promise<string[]> {
  const { nodes } = await graphOf(memory);
  return nodes.episode.filter(({ content }) => content.includes(part)).map(({ id }) => id);
}

/** Every row and edge in one text, vectors left out. */
export function wordsIn({ nodes, relationships }: Graph): string {
  const { embedding, ...rows } = nodes;
  return JSON.stringify([rows, relationships]);
}

/**
 * That a graph holds no such word, and that nothing in it points at what is gone.
 * @param waits Whether turns wait to be read again: entities that they mention keep their names until then.
 */
export function expectWithout(graph: Graph, words: readonly string[], { waits = false } = {}): void {
  const text = wordsIn(graph).toLowerCase();
  expect(words.filter((word) => text.includes(word.toLowerCase()))).toEqual([]);
  const owners = new Set(
    Object.entries(graph.nodes).flatMap(([kind, rows]) =>
      kind === 'embedding' ? [] : rows.map(({ id }) => id as string),
    ),
  );
  expect(graph.nodes.embedding.filter(({ owner }) => !owners.has(owner))).toEqual([]);
  expect(graph.nodes.profile.filter(({ owner }) => !owners.has(owner))).toEqual([]);
  const problems = problemsOf(graph);
  expect(waits ? problems.filter((problem) => !problem.includes('not told of')) : problems).toEqual([]);
}
