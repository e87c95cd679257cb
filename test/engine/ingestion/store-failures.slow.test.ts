import { describe, expect, it } from 'vitest';
import { graphOf } from '../memory-fixture.ts';
import { dialogue, FIRST, MINUTE, pendingOf, TWO_TOPICS } from './dialogues.ts';
import { type GraphUpToIds, upToIds } from './graph-up-to-ids.ts';
import { expectConsistent } from './invariants.ts';
import { diskFull, memoryOver, watchedStore } from './memory-over.ts';
import { openRehearsedLab } from './rehearsed-lab.ts';

/** Two batches of work: 384 turns and the rest. */
const TURNS = Array.from({ length: 72 }, (_, day) =>
  dialogue(TWO_TOPICS, { session: `day ${day}`, start: FIRST + day * 24 * 60 * MINUTE }),
).flat();

let whole: Promise<GraphUpToIds> | undefined;
/** What memory holds of these turns when no disk is ever full. */
const undisturbed = () => {
  whole ??= consolidated();
  return whole;
};

async function consolidated(): Promise<GraphUpToIds> {
  const { memory } = await memoryOver(watchedStore().store);
  await memory.add(TURNS);
  await memory.flush();
  return upToIds(await graphOf(memory));
}

describe.each(['before', 'after'] as const)('a disk that is full %s a batch is written', (moment) => {
  it.each([
    [1, 576, 192],
    [2, 192, 0],
  ])(
    'at commit %i of a run: the turns of the batch wait, and the next flush completes',
    async (commit, unwritten, written) => {
      const watched = watchedStore();
      const { memory } = await memoryOver(watched.store);
      await memory.add(TURNS);
      watched[moment] = (number) => {
        if (number === commit + 1) diskFull();
      };
      await expect(memory.flush()).rejects.toMatchObject({ code: 'disk-full' });
      // A batch whose acknowledgement alone was lost is there.
      const left = moment === 'before' ? unwritten : written;
      expect(await pendingOf(memory)).toBe(left);
      // The index follows the graph, whichever of the two happened.
      expect((await memory.add([])).pending).toBe(left);
      expectConsistent(await graphOf(memory));
      const opened = (await memoryOver(watched.store)).memory;
      const questions = ['ferns', 'night train', 'Ann'];
      for (const question of questions) {
        const [here, anew] = [await memory.search(question), await opened.search(question)];
        expect(here.facts.map(({ id }) => id)).toEqual(anew.facts.map(({ id }) => id));
        expect(here.entities.map(({ id }) => id)).toEqual(anew.entities.map(({ id }) => id));
      }
      watched[moment] = () => undefined;
      expect((await memory.flush()).counts.consolidated).toBe(left);
      const graph = await graphOf(memory);
      expectConsistent(graph);
      expect(upToIds(graph)).toEqual(await undisturbed());
    },
  );
});

it('a full disk loses no reading of a model', async () => {
  const readings = async (fails: boolean) => {
    await using lab = await openRehearsedLab();
    const watched = watchedStore();
    const { memory } = await memoryOver(watched.store, { model: lab.model });
    await memory.add(TURNS.slice(0, 192)); // a batch of 128, and the rest
    if (fails) {
      watched.before = diskFull;
      await expect(memory.flush()).rejects.toMatchObject({ code: 'disk-full' });
      watched.before = () => undefined;
      expect(lab.asked).toContain('read-segments');
    }
    await memory.flush();
    expect(await pendingOf(memory)).toBe(0);
    return lab.asked.filter((prompt) => prompt === 'read-segments').length;
  };
  expect(await readings(true)).toBe(await readings(false));
});

it('a full disk while turns are stored stores none of the call', async () => {
  const watched = watchedStore();
  const { memory } = await memoryOver(watched.store);
  await memory.add(TURNS.slice(0, 8));
  watched.before = diskFull;
  await expect(memory.add(TURNS.slice(8, 16))).rejects.toMatchObject({ code: 'disk-full' });
  watched.before = () => undefined;
  expect(await pendingOf(memory)).toBe(8);
  expect((await memory.add(TURNS.slice(8, 16))).added).toBe(8);
});

it('a full disk when set-aside turns are to be tried again leaves them set aside', async () => {
  const watched = watchedStore();
  const fails = { read: () => Promise.reject(new TypeError('no')) };
  const { memory } = await memoryOver(watched.store, { stages: () => ({ reader: fails }) });
  await memory.add(TURNS.slice(0, 8));
  expect((await memory.flush()).counts.setAside).toBe(8);
  watched.before = diskFull;
  const retrying = async () => {
    await memory.resume({ retry: true });
  };
  await expect(retrying()).rejects.toMatchObject({ code: 'disk-full' });
  watched.before = () => undefined;
  expect((await memory.stats()).enrichment).toMatchObject({ pending: 0, setAside: 8 });
  const healed = (await memoryOver(watched.store)).memory;
  await healed.resume({ retry: true });
  expect((await healed.stats()).enrichment).toEqual({ pending: 0, setAside: 0, failures: [] });
  expectConsistent(await graphOf(healed));
});
