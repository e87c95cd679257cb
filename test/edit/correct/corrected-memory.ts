import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { Mnemis, type OpenOptions } from '../../../src/engine.ts';
import type { Fact } from '../../../src/model/nodes.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { asSet, type Graph, graphOf } from '../../engine/memory-fixture.ts';

/** Every row, edge and vector of a graph but the corrections themselves. */
export const withoutCorrections = ({ nodes, relationships }: Graph): string[] =>
  asSet({ nodes: { ...nodes, correction: [] }, relationships });

export const say = (
  session: string,
  index: number,
  [speaker, content]: readonly [string, string],
): TurnInput => ({
  session,
  index,
  speaker,
  content,
  at: session === 'one' ? '2023-01-01T10:00:00Z' : '2023-03-01T10:00:00Z',
});

/** Two sessions in which Nora moves from Oslo to Ghent, and Melanie is once called Mel. */
export const STORY: readonly TurnInput[] = [
  say('one', 0, ['Nora', 'I live in Oslo.']),
  say('one', 1, ['Ben', 'I adopted a dog called Rex.']),
  say('one', 2, ['Nora', 'I love coffee.']),
  say('one', 3, ['Ben', 'My friend Melanie works at the library.']),
  say('two', 0, ['Ben', 'My friend Mel baked a cake.']),
  say('two', 1, ['Nora', 'I moved to Ghent.']),
];

export async function storyIn(memory: MemoryScope, turns: readonly TurnInput[] = STORY): Promise<void> {
  await memory.add(turns);
  await memory.flush();
}

/** A memory of the story; nothing happens in it by itself. */
export async function storyMemory(
  options: Partial<OpenOptions> = {},
): Promise<{ engine: Mnemis; memory: MemoryScope }> {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false, ...options });
  const memory = engine.scope('story');
  await storyIn(memory);
  return { engine, memory };
}

export const liveFacts = ({ nodes }: Graph): readonly Fact[] =>
  nodes.fact.filter(({ expiredAt }) => expiredAt === null);

export async function factSaying(memory: MemoryScope, statement: string): Promise<Fact> {
  const found = (await graphOf(memory)).nodes.fact.filter((fact) => fact.statement === statement);
  const live = found.find(({ expiredAt }) => expiredAt === null) ?? found[0];
  if (live === undefined) throw new Error(`nothing says ${statement}`);
  return live;
}

export async function entityCalled(memory: MemoryScope, name: string): Promise<string> {
  const { profile } = (await graphOf(memory)).nodes;
  const found = profile.find((row) => row.expiredAt === null && row.name === name);
  if (found === undefined) throw new Error(`nobody is called ${name}`);
  return found.owner;
}

export async function profileOf(memory: MemoryScope, entity: string) {
  const { profile } = (await graphOf(memory)).nodes;
  return profile.find((row) => row.expiredAt === null && row.owner === entity);
}

/** Corrects a turn, so that the other turns of its segment are read again. */
export async function readAgain(memory: MemoryScope, turn: TurnInput): Promise<void> {
  await memory.add(turn);
  await memory.flush();
}

/** Names of those whom a fact is about. */
export function namesAbout({ nodes, relationships }: Graph, fact: string): string[] {
  const about = relationships.filter(({ kind, from }) => kind === 'ABOUT' && from === fact);
  return about
    .map(({ to }) => nodes.profile.find((row) => row.owner === to && row.expiredAt === null)?.name ?? to)
    .sort();
}

/** Contents of the turns that a fact rests on. */
export function evidenceOf({ nodes, relationships }: Graph, fact: string): string[] {
  const edges = relationships.filter(({ kind, from }) => kind === 'EVIDENCED_BY' && from === fact);
  return edges.map(({ to }) => nodes.episode.find(({ id }) => id === to)!.content).sort();
}
