import { describe, expect, it } from 'vitest';
import { CancelledError, DiskFullError, ForgettingStoppedError } from '../../../src/errors/index.ts';
import { diskFull, memoryOver, watchedStore } from '../../engine/ingestion/memory-over.ts';
import { graphOf, remember } from '../../engine/memory-fixture.ts';
import { expectWithout, PLAIN, SECRET, SECRET_WORDS, session, wordsIn } from './forget-lab.ts';

/** More turns than one step removes. */
const LONG = session(
  'long',
  Array.from({ length: 620 }, (_, at) => `Ann: I take zither lesson ${at}.`),
  5,
);

async function filled(turns = [...SECRET, ...PLAIN]) {
  const watched = watchedStore();
  const { memory } = await memoryOver(watched.store);
  await remember(memory, turns);
  return { watched, memory };
}

describe('an interrupted forgetting', () => {
  it('has no effect if its first step fails', async () => {
    const { watched, memory } = await filled();
    const before = await graphOf(memory);
    watched.before = diskFull;
    await expect(memory.forget({ session: 'secret' })).rejects.toThrow(DiskFullError);
    watched.before = () => undefined;
    expect(await graphOf(memory)).toEqual(before);
  });

  it.each([
    ['between two steps', 1],
    ['before its last step', 2],
  ])('%s, is completed before the reopened memory is searched', async (_, stored) => {
    const { watched, memory } = await filled([...LONG, ...PLAIN]);
    const done = watched.commits.length + stored;
    watched.before = () => {
      if (watched.commits.length >= done) diskFull();
    };
    const failure = await memory.forget({ session: 'long' }).then(null, (error: unknown) => error);
    expect(failure).toBeInstanceOf(ForgettingStoppedError);
    expect((failure as Error).message).toContain(`${stored === 1 ? 500 : 620} of 620 turns are removed`);
    expect((failure as Error).message).toContain('mnemis resume');
    expect((failure as Error).cause).toBeInstanceOf(DiskFullError);
    // As long as it cannot be completed nothing of it is shown, and the rest is.
    const hidden = await memory.search('Oslo and zither lessons');
    expect(hidden.episodes).toHaveLength(3);
    expect(JSON.stringify([hidden.episodes, hidden.entities, hidden.facts])).not.toContain('zither');
    const exported = wordsIn(await graphOf(memory));
    for (const word of ['zither', '"long"']) expect(exported).not.toContain(word);
    watched.before = () => undefined;
    const again = await memoryOver(watched.store);
    const { episodes, entities, facts } = await again.memory.search('zither lesson');
    expect(episodes).not.toEqual([]);
    expect(JSON.stringify([episodes, entities, facts])).not.toContain('zither');
    const graph = await graphOf(again.memory);
    expectWithout(graph, ['zither', '"long"']);
    expect(graph.nodes.correction).toMatchObject([{ kind: 'forget', finishedAt: expect.any(Number) }]);
    expect(await again.memory.add(LONG)).toMatchObject({ rejected: 620 });
    expect((await memory.search('zither')).episodes.some(({ content }) => content.includes('zither'))).toBe(
      false,
    );
  });

  it('rejects its turns when they are added again, and is completed by resume and by an add, too', async () => {
    for (const use of ['resume', 'add'] as const) {
      const { watched, memory } = await filled([...LONG, ...PLAIN]);
      const done = watched.commits.length + 1;
      watched.before = () => {
        if (watched.commits.length >= done) diskFull();
      };
      await expect(memory.forget({ session: 'long' })).rejects.toThrow(ForgettingStoppedError);
      watched.before = () => undefined;
      const { memory: again } = await memoryOver(watched.store);
      if (use === 'add') expect(await again.add(LONG)).toMatchObject({ added: 0, rejected: 620 });
      else await again.resume();
      const rows = [];
      for await (const batch of watched.store.scan(again.name, 'episode')) rows.push(...batch);
      expect(rows).toHaveLength(3);
    }
  });

  it('is the same when the acknowledgement of a step is lost', async () => {
    const { watched, memory } = await filled();
    let commits = 0;
    watched.after = () => {
      if (++commits === 1) diskFull();
    };
    await expect(memory.forget({ session: 'secret' })).rejects.toThrow(DiskFullError);
    expectWithout(await graphOf(memory), SECRET_WORDS);
    expect((await graphOf(memory)).nodes.correction).toMatchObject([{ finishedAt: expect.any(Number) }]);
  });

  it('may be cancelled before it begins, and later between steps', async () => {
    const { memory } = await filled([...LONG, ...PLAIN]);
    const before = await graphOf(memory);
    await expect(memory.forget({ session: 'long' }, { signal: AbortSignal.abort() })).rejects.toThrow(
      CancelledError,
    );
    expect(await graphOf(memory)).toEqual(before);
    const stop = new AbortController();
    const events: string[] = [];
    const running = async () => {
      for await (const event of memory.forget({ session: 'long' }, { signal: stop.signal })) {
        events.push(event.type);
        stop.abort();
      }
    };
    await expect(running()).rejects.toThrow('the rest is removed before');
    expect(events).not.toContain('done');
    expectWithout(await graphOf(memory), ['zither']);
  });

  it('reports progress and the result', async () => {
    const { memory } = await filled([...LONG, ...PLAIN]);
    const events = [];
    for await (const event of memory.forget({ session: 'long' })) events.push(event);
    expect(events.map((event) => (event.type === 'done' ? 'done' : `${event.step} ${event.done}`))).toEqual([
      'removing 500',
      'removing 620',
      'checking 620',
      'done',
    ]);
  });
});

const CALL = { signal: undefined, budget: null, oneByOne: false };

describe('consolidation under way', () => {
  it('writes nothing that it read from turns forgotten meanwhile, or beside them', async () => {
    const watched = watchedStore();
    const { memory } = await memoryOver(watched.store);
    await memory.add(SECRET);
    const steps = memory.ingestionSteps();
    const { units } = await steps.plan({ ended: true, sessions: null }, CALL);
    expect(await steps.read(units, CALL)).toMatchObject({ failed: [] });
    const { entities } = await steps.resolve(units, CALL);
    expect(entities.map(({ name }) => name).join()).toContain('zither');
    await steps.build(units, CALL);
    const { nodes } = await graphOf(memory);
    const ids = nodes.episode.filter(({ content }) => !content.includes('clinic')).map(({ id }) => id);
    // One commit begins before the turns are removed, with what was read, and others afterwards.
    let early: ReturnType<typeof steps.commit> | undefined;
    watched.before = () => {
      early ??= steps.commit(units, { ...CALL, isLast: true });
    };
    await memory.forget({ episodes: ids });
    expect(await early).toMatchObject({ stale: [], counts: { consolidated: 0 } });
    for (const isLast of [false, true])
      expect(await steps.commit(units, { ...CALL, isLast })).toMatchObject({ counts: { consolidated: 0 } });
    expectWithout(await graphOf(memory), ['Marlowe', 'zither'], { waits: true });
    await memory.flush();
    const after = await graphOf(memory);
    expectWithout(after, ['Marlowe', 'zither']);
    expect(wordsIn(after)).toContain('clinic');
  });
});
