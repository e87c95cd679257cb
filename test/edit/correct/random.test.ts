import { describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { InvalidInputError } from '../../../src/errors/index.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { problemsOf } from '../../engine/ingestion/invariants.ts';
import { memoryOver } from '../../engine/ingestion/memory-over.ts';
import { type Graph, graphOf } from '../../engine/memory-fixture.ts';
import { seededRandom } from '../../search/random.ts';
import { inTier } from '../../tier.ts';
import { STORY, withoutCorrections } from './corrected-memory.ts';

const SAYINGS: readonly (readonly [string, string])[] = [
  ['Nora', 'I love coffee.'],
  ['Nora', 'I moved to Rome.'],
  ['Nora', 'I live in Oslo.'],
  ['Nora', 'I hate coffee now.'],
  ['Ben', 'Mel sings well.'],
  ['Ben', 'My friend Melanie works at the library.'],
  ['Ben', 'Rex ate my shoe.'],
  ['Ben', 'I adopted a dog called Rex.'],
  ['Ben', 'Alex Kim visited Mel in Ghent.'],
];

/** Does at random what people and conversations do to memory. */
class Dice {
  readonly #random: () => number;
  readonly memory: MemoryScope;
  readonly open: string[] = [];
  #session = 0;

  constructor(seed: number, memory: MemoryScope) {
    this.#random = seededRandom(seed);
    this.memory = memory;
  }

  pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)]!;
  }

  /** Turns of a new session, or other words for a turn of one before. */
  async talk(): Promise<void> {
    const isNew = this.#session === 0 || this.#random() < 0.6;
    if (isNew) this.#session++;
    const session = isNew ? this.#session : 1 + Math.floor(this.#random() * this.#session);
    const turns = Array.from({ length: isNew ? 3 : 1 }, (_, index): TurnInput => {
      const [speaker, content] = this.pick(SAYINGS);
      return {
        session: `s${session}`,
        index,
        speaker,
        content,
        at: Date.parse('2023-05-01') + session * 86_400_000,
      };
    });
    await this.memory.add(turns);
    await this.memory.flush();
  }

  /** Whether there was anything to correct. */
  async correct(): Promise<boolean> {
    const made = await this.#attempt(await graphOf(this.memory)).catch((error: unknown) => {
      if (InvalidInputError.isInstance(error)) return null;
      throw error;
    });
    if (made !== null) this.open.push(made.correction);
    return made !== null;
  }

  async undoAny(): Promise<void> {
    const id = this.pick(this.open);
    const isDone = await this.memory.corrections.undo(id).then(
      () => true,
      (error: unknown) => {
        if (InvalidInputError.isInstance(error)) return false;
        throw error;
      },
    );
    if (isDone) this.open.splice(this.open.indexOf(id), 1);
  }

  async #attempt({ nodes, relationships }: Graph): Promise<{ readonly correction: string }> {
    const { corrections } = this.memory;
    const facts = nodes.fact.filter(({ expiredAt }) => expiredAt === null);
    const named = nodes.profile.filter(({ expiredAt }) => expiredAt === null).map(({ owner }) => owner);
    const [fact, one, other] = [this.pick(facts).id, this.pick(named), this.pick(named)];
    const turns = relationships
      .filter(({ kind, to }) => kind === 'MENTIONS' && to === one)
      .map(({ from }) => from);
    const kinds = [
      () =>
        corrections.editFact(fact, {
          statement: this.pick(['Nora likes tea', 'Ben likes milk', 'Rex sleeps']),
        }),
      () => corrections.editFact(fact, { validAt: this.pick(['2022-05-01', '2023-05-02']) }),
      () => corrections.rejectFact(fact),
      () => corrections.pinFact(fact),
      () => corrections.editProfile(one, { name: this.pick(['Rexy', 'Norie', 'Benny']) }),
      () => corrections.editProfile(one, { aliases: [this.pick(['Mellie', 'Lexi'])], tags: ['pet'] }),
      () => corrections.mergeEntities(one, other),
      () => corrections.splitEntity(one, { name: this.pick(['Other', 'Alex']), episodes: turns.slice(0, 1) }),
      () => corrections.splitEntity(one, { name: 'Another', facts: [fact] }),
      () => corrections.keepApart(one, other),
    ];
    return this.pick(kinds)();
  }
}

async function dice(seed: number): Promise<Dice> {
  const { memory } = await memoryOver(new InMemoryStore());
  await memory.add(STORY);
  await memory.flush();
  return new Dice(seed, memory);
}

const seeds = Array.from({ length: inTier({ fast: 2, slow: 12, long: 60 }) }, (_, at) => at + 1);

const manySeeds = [
  ...Array.from({ length: inTier({ fast: 3, slow: 30, long: 140 }) }, (_, at) => at + 1),
  142,
];

/** Without the profile versions, and their vectors, that have come and gone since. */
function withoutNewHistory({ nodes, relationships }: Graph, before: Graph): Graph {
  const known = new Set(before.nodes.profile.map(({ id }) => id));
  const profile = nodes.profile.filter(({ id, expiredAt }) => expiredAt === null || known.has(id));
  const gone = new Set<string>(nodes.profile.filter((row) => !profile.includes(row)).map(({ id }) => id));
  const embedding = nodes.embedding.filter(({ owner }) => !gone.has(owner));
  return { nodes: { ...nodes, profile, embedding }, relationships };
}

describe('at random', () => {
  it.each(seeds)('undoing corrections in reverse restores every state (%i)', async (seed) => {
    const random = await dice(seed);
    await random.talk();
    const states: string[][] = [];
    for (let step = 0; step < 8; step++) {
      const before = withoutCorrections(await graphOf(random.memory));
      if (await random.correct()) states.push(before);
    }
    expect(states.length).toBeGreaterThan(2);
    for (const before of states.reverse()) {
      await random.memory.corrections.undo(random.open.pop()!);
      expect(withoutCorrections(await graphOf(random.memory))).toEqual(before);
    }
  });

  it.each(manySeeds)(
    'undoing corrections in any allowed order restores the first state (%i)',
    async (seed) => {
      const random = await dice(2000 + seed);
      await random.talk();
      const first = await graphOf(random.memory);
      for (let step = 0; step < 7; step++) await random.correct();
      const made = random.open.length;
      expect(made).toBeGreaterThan(1);
      for (let tries = 0; random.open.length > 0 && tries < 200; tries++) await random.undoAny();
      expect(random.open).toEqual([]);
      const last = await graphOf(random.memory);
      expect(withoutCorrections(withoutNewHistory(last, first))).toEqual(withoutCorrections(first));
      expect(problemsOf(last)).toEqual(problemsOf(first));
    },
  );

  it.each(seeds)('memory stays valid through turns, corrections and undos (%i)', async (seed) => {
    const random = await dice(1000 + seed);
    for (let step = 0; step < 16; step++) {
      const what = random.pick(['talk', 'correct', 'correct', 'undo']);
      if (what === 'talk') await random.talk();
      else if (what === 'correct') await random.correct();
      else if (random.open.length > 0) await random.undoAny();
      // Two facts may come to say the same once their entities are one, or somebody made them say it.
      const problems = problemsOf(await graphOf(random.memory)).filter(
        (each) => !/^the fact .* stands twice$/.test(each),
      );
      expect(problems, `${what} in step ${step}`).toEqual([]);
    }
    // What is open can be undone, the newest first, whatever was said since.
    for (const id of random.open.reverse()) await random.memory.corrections.undo(id);
    expect(
      problemsOf(await graphOf(random.memory)).filter((each) => !/^the fact .* stands twice$/.test(each)),
    ).toEqual([]);
  });
});
