import { describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { expectConsistent } from '../../engine/ingestion/invariants.ts';
import { freshPath, graphOf, open, withoutTime } from '../../engine/memory-fixture.ts';
import {
  entityCalled,
  factSaying,
  profileOf,
  say,
  storyIn,
  storyMemory,
  withoutCorrections,
} from './corrected-memory.ts';

type Correct = (memory: MemoryScope) => Promise<{ readonly correction: string }>;

const id = async (memory: MemoryScope, statement: string) => (await factSaying(memory, statement)).id;
const turnSaying = async (memory: MemoryScope, content: string) =>
  (await graphOf(memory)).nodes.episode.find((row) => row.content === content)!.id;

const KINDS: readonly (readonly [string, Correct])[] = [
  [
    'a statement edited',
    async (memory) =>
      memory.corrections.editFact(await id(memory, 'Nora moved to Ghent'), {
        statement: 'Nora moved to Bruges',
      }),
  ],
  [
    'times edited',
    async (memory) =>
      memory.corrections.editFact(await id(memory, 'Nora moved to Ghent'), {
        validAt: '2023-02-10',
        invalidAt: '2024-01-01',
      }),
  ],
  [
    'a fact rejected that had ended another',
    async (memory) => memory.corrections.rejectFact(await id(memory, 'Nora moved to Ghent')),
  ],
  ['a fact pinned', async (memory) => memory.corrections.pinFact(await id(memory, 'Nora loves coffee'))],
  [
    'two merged that share turns and facts',
    async (memory) =>
      memory.corrections.mergeEntities(await entityCalled(memory, 'Rex'), await entityCalled(memory, 'dog')),
  ],
  [
    'two merged that are possibly the same',
    async (memory) => {
      const [{ entities }] = (await memory.corrections.uncertain()) as [
        Awaited<ReturnType<typeof memory.corrections.uncertain>>[0],
      ];
      return memory.corrections.mergeEntities(entities[1].id, entities[0].id);
    },
  ],
  [
    'turns split off',
    async (memory) =>
      memory.corrections.splitEntity(await entityCalled(memory, 'Nora'), {
        name: 'Nora Berg',
        episodes: [await turnSaying(memory, 'I love coffee.')],
      }),
  ],
  [
    'a fact split off',
    async (memory) =>
      memory.corrections.splitEntity(await entityCalled(memory, 'Ben'), {
        name: 'Benjamin',
        facts: [await id(memory, 'Ben adopted a dog called Rex')],
      }),
  ],
  [
    'two kept apart',
    async (memory) => {
      const [pair] = await memory.corrections.uncertain();
      return memory.corrections.keepApart(pair!.entities[0].id, pair!.entities[1].id);
    },
  ],
  [
    'a profile edited',
    async (memory) =>
      memory.corrections.editProfile(await entityCalled(memory, 'Rex'), {
        name: 'Rexy',
        aliases: ['Rex the dog'],
        summary: 'A dog.',
        tags: ['pet'],
      }),
  ],
];

describe('undoing', () => {
  it.each(KINDS)('%s restores every row, edge and vector', async (name, correct) => {
    const { engine, memory } = await storyMemory();
    const before = await graphOf(memory);
    const searched = await memory.search('Where does Nora live with Rex and Mel?');
    const { correction } = await correct(memory);
    const between = await graphOf(memory);
    if (name !== 'a fact pinned') expect(withoutCorrections(between)).not.toEqual(withoutCorrections(before));
    expectConsistent(between);
    await memory.corrections.undo(correction);
    const after = await graphOf(memory);
    expect(withoutCorrections(after)).toEqual(withoutCorrections(before));
    expect(after.nodes.correction.map(({ kind, undoneAt }) => [kind, undoneAt === null])).toEqual([
      [between.nodes.correction[0]!.kind, false],
      ['undo', true],
    ]);
    // The index is that of before as well.
    const again = await memory.search('Where does Nora live with Rex and Mel?');
    expect(withoutTime(again)).toEqual(withoutTime(searched));
    await engine.close();
  });

  it('undoes one after another on disk, with a restart between any two', async () => {
    const path = freshPath();
    const made: { correction: string; before: string[] }[] = [];
    const during = async (job: (memory: MemoryScope) => Promise<void>) => {
      await using engine = await open(path, { automatic: false });
      await job(engine.scope('story'));
    };
    await during((memory) => storyIn(memory));
    // Those that stand beside each other: the merge of the uncertain pair settles it.
    const chosen = KINDS.filter(([name]) => !/times|two kept apart|a fact rejected/.test(name));
    for (const [, correct] of chosen)
      await during(async (memory) => {
        const before = withoutCorrections(await graphOf(memory));
        made.push({ before, ...(await correct(memory)) });
      });
    expect(made).toHaveLength(7);
    for (const { correction, before } of made.reverse())
      await during(async (memory) => {
        await memory.corrections.undo(correction, { author: 'Ann' });
        expect(withoutCorrections(await graphOf(memory))).toEqual(before);
      });
  });

  describe('two of one profile, the earlier one first', () => {
    const live = async (memory: MemoryScope) =>
      (await graphOf(memory)).nodes.profile
        .filter(({ expiredAt }) => expiredAt === null)
        .map(({ id }) => id)
        .sort();

    it('is rejected if the earlier one decides which entity a name means, before and after', async () => {
      const { engine, memory } = await storyMemory();
      const before = withoutCorrections(await graphOf(memory));
      const merge = async () =>
        memory.corrections.mergeEntities(
          await entityCalled(memory, 'Melanie'),
          await entityCalled(memory, 'Mel'),
        );
      const reject = async (words: string) => {
        const { fact } = (await graphOf(memory)).nodes;
        return memory.corrections.rejectFact(fact.find(({ statement }) => statement.includes(words))!.id);
      };
      for (const [one, other] of [
        [merge, () => reject('works at the library')],
        [() => reject('works at the library'), merge],
      ] as const) {
        const [first, second] = [await one(), await other()];
        await expect(memory.corrections.undo(first.correction)).rejects.toThrow(
          `undo these first, in this order: ${second.correction}`,
        );
        await memory.corrections.undo(second.correction);
        await memory.corrections.undo(first.correction);
        expect(withoutCorrections(await graphOf(memory))).toEqual(before);
      }
      await engine.close();
    });

    it('keeps the other correction, and restores the first version with it', async () => {
      const { engine, memory } = await storyMemory();
      const before = await live(memory);
      const nora = await entityCalled(memory, 'Nora');
      const named = await memory.corrections.editProfile(nora, { name: 'Nora Berg', tags: ['place'] });
      const rejected = await memory.corrections.rejectFact(await id(memory, 'Nora loves coffee'));
      await memory.corrections.undo(named.correction);
      const between = await profileOf(memory, nora);
      expect(between).toMatchObject({ name: 'Nora', aliases: [] });
      expect(between!.tags[0]).toBe('person');
      expect(between!.summary).not.toContain('coffee');
      await memory.corrections.undo(rejected.correction);
      expect(await live(memory)).toEqual(before);
      await engine.close();
    });

    it('considers what was read since: former names are not restored', async () => {
      const { engine, memory } = await storyMemory();
      const nora = await entityCalled(memory, 'Nora');
      const named = await memory.corrections.editProfile(nora, { name: 'Nora Berg' });
      const rejected = await memory.corrections.rejectFact(await id(memory, 'Nora loves coffee'));
      await memory.corrections.undo(named.correction);
      await storyIn(
        memory,
        ['I bought a boat.', 'I sing well.', 'I hate rain.', 'I play chess.'].map((content, index) =>
          say('three', index, ['Nora', content]),
        ),
      );
      await memory.corrections.undo(rejected.correction);
      expect(await profileOf(memory, nora)).toMatchObject({ name: 'Nora', aliases: [] });
      expect((await profileOf(memory, nora))!.summary).toContain('coffee');
      expectConsistent(await graphOf(memory));
      await engine.close();
    });
  });
});
