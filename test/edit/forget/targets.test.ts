import { describe, expect, it } from 'vitest';
import { RehearsalModel } from '../../../eval/rehearsal/rehearsal-model.ts';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { upToIds } from '../../engine/ingestion/graph-up-to-ids.ts';
import { memoryOver, watchedStore } from '../../engine/ingestion/memory-over.ts';
import { graphOf, reading, remember } from '../../engine/memory-fixture.ts';
import { expectWithout, idsOf, PLAIN, SECRET, SECRET_WORDS, session } from './forget-lab.ts';

async function filled(options: Parameters<typeof memoryOver>[1] = {}) {
  const watched = watchedStore();
  const { memory } = await memoryOver(watched.store, options);
  await remember(memory, [...SECRET, ...PLAIN]);
  return { ...watched, memory };
}

const TIERS = [
  { tier: 'local', options: () => ({}) },
  { tier: 'llm', options: () => ({ model: new RehearsalModel() }) },
];

describe.each(TIERS)('forgetting in the $tier tier', ({ options }) => {
  it('leaves no word of a session in any row, and says so', async () => {
    const { memory } = await filled(options());
    const before = await graphOf(memory);
    expect(SECRET_WORDS.filter((word) => JSON.stringify(before).includes(word))).toEqual(SECRET_WORDS);
    const report = await memory.forget({ session: 'secret' });
    expectWithout(await graphOf(memory), SECRET_WORDS);
    expect(report).toMatchObject({
      target: 'session',
      removed: { episode: 3, segment: 1 },
      tombstones: 3,
      reread: 0,
      proof: { clean: true, notSearched: 0, findings: [] },
      onDisk: 'nothing on disk',
    });
    expect(report.proof.searched).toBeGreaterThan(10);
  });

  it('keeps statements that other turns support', async () => {
    const { memory } = await filled(options());
    await memory.forget({ session: 'secret' });
    const alone = await memoryOver(watchedStore().store, options());
    await remember(alone.memory, PLAIN);
    const [left, fresh] = [upToIds(await graphOf(memory)), upToIds(await graphOf(alone.memory))];
    expect(left.facts).toEqual(fresh.facts);
    expect(left.segments).toEqual(fresh.segments);
    expect(left.entities).toEqual(fresh.entities);
    expect(left.descriptions).toEqual(fresh.descriptions);
  });

  it('lets the other turns of a topic be read again, without a word of the forgotten one', async () => {
    const { memory } = await filled(options());
    const [clinic] = await idsOf(memory, 'clinic');
    const report = await memory.forget({ episode: clinic! });
    expect(report).toMatchObject({ removed: { episode: 1, segment: 1 }, reread: 2, proof: { clean: true } });
    const gone = ['dermatology', 'clinic'];
    expectWithout(await graphOf(memory), gone, { waits: true });
    expect((await memory.stats()).enrichment.pending).toBe(2);
    await memory.flush();
    const after = await graphOf(memory);
    expectWithout(after, gone);
    expect(reading(after).facts.some(({ statement }) => statement.includes('Quentin'))).toBe(true);
    expect((await memory.stats()).enrichment.pending).toBe(0);
  });

  it('removes the facts about an entity, and keeps its turns', async () => {
    const { memory } = await filled(options());
    const report = await memory.forget({ entity: 'quentin marlowe' });
    expect(report).toMatchObject({ removed: { entity: 1 }, proof: { clean: true } });
    expect(report.removed.episode).toBeUndefined();
    const graph = await graphOf(memory);
    expect(graph.nodes.episode).toHaveLength(6);
    expect(graph.nodes.fact.filter(({ statement }) => statement.includes('Marlowe'))).toEqual([]);
    expect(graph.nodes.profile.filter((row) => JSON.stringify(row).includes('Marlowe'))).toEqual([]);
    // Reading the turns of then again does not bring it back.
    const [clinic] = await idsOf(memory, 'clinic');
    await memory.forget({ episode: clinic! });
    await memory.flush();
    const again = await graphOf(memory);
    expect(again.nodes.fact.filter(({ statement }) => statement.includes('Marlowe'))).toEqual([]);
    expect(again.nodes.profile.filter(({ name }) => name.includes('Marlowe'))).toEqual([]);
  });
});

describe('the target of a forgetting', () => {
  it('is a time range, its end excluded', async () => {
    const { memory } = await filled();
    const [first] = (await graphOf(memory)).nodes.episode.filter(({ session: name }) => name === 'plain');
    const before = new Date(first!.validAt + 60_000);
    const preview = await memory.previewForget({ before, after: first!.validAt });
    expect(preview.episodes).toEqual([first!.id]);
    expect((await memory.forget({ before: first!.validAt })).removed.episode).toBe(3);
    expectWithout(await graphOf(memory), SECRET_WORDS);
  });

  it('is the result of a search, as the preview showed it', async () => {
    const { memory } = await filled();
    const preview = await memory.previewForget({ query: 'dermatology clinic', limit: 1 });
    expect(preview.examples).toMatchObject([
      {
        session: 'secret',
        at: '2023-05-08T10:01:00.000Z',
        text: 'I visited the dermatology clinic in Ghent.',
      },
    ]);
    expect(preview.vanishing.map(({ name }) => name.toLowerCase()).join()).toContain('clinic');
    const report = await memory.forget({ episodes: preview.episodes });
    expect(report.removed).toEqual(preview.counts);
    expect(report.reread).toBe(preview.reread);
  });

  it('is an entity with every turn that mentions it', async () => {
    const { memory } = await filled();
    const preview = await memory.previewForget({ entity: 'Quentin Marlowe', episodes: true });
    expect(preview.episodes).toHaveLength(2);
    expect((await memory.forget({ entity: 'Quentin Marlowe', episodes: true })).proof.clean).toBe(true);
    await memory.flush();
    expectWithout(await graphOf(memory), ['Quentin', 'Marlowe', 'zither']);
  });

  it('is everything, except the record and the tombstones', async () => {
    const { memory } = await filled();
    const preview = await memory.previewForget({ all: true });
    const report = await memory.forget({ all: true }, { author: 'Ann' });
    expect(report.removed).toEqual(preview.counts);
    const { tombstone, correction, ...rest } = (await graphOf(memory)).nodes;
    expect(Object.values(rest).flat()).toEqual([]);
    expect(tombstone).toHaveLength(6);
    expect(correction).toMatchObject([{ kind: 'forget', author: 'Ann', targets: [] }]);
    expect((await memory.add([...SECRET, ...PLAIN])).rejected).toBe(6);
  });

  it('is a single existing target', async () => {
    const { memory, commits } = await filled();
    await memory.add(session('two', ['Cid: I met Quentin Marlowe.']));
    const before = commits.length;
    const wrong = [
      {},
      { session: 'secret', all: true },
      { episode: 'none' },
      { episodes: [] },
      { session: 'none' },
      { session: 5 },
      { entity: 'Nobody' },
      { before: 'yesterday or so' },
      { query: 'x', limit: 101 },
      { query: '' },
      { all: false },
      { session: 'secret', more: 1 },
    ];
    for (const target of wrong) {
      await expect(memory.forget(target as never)).rejects.toThrow(InvalidInputError);
      await expect(memory.previewForget(target as never)).rejects.toThrow(InvalidInputError);
    }
    await expect(memory.forget({ session: 'secret' }, { author: '' })).rejects.toThrow('author');
    expect(commits).toHaveLength(before);
  });

  it('may match nothing', async () => {
    const { memory, commits } = await filled();
    const before = commits.length;
    expect(await memory.forget({ before: '1990-01-01' })).toMatchObject({ removed: {}, tombstones: 0 });
    expect(commits).toHaveLength(before);
  });
});

describe('a forgotten turn', () => {
  it('is rejected later, while other words in its place are accepted', async () => {
    const { memory } = await filled();
    await memory.forget({ session: 'secret' });
    const again = await memory.add(SECRET);
    expect(again).toMatchObject({ added: 0, rejected: 3 });
    expect(again.outcomes[0]).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('forgotten'),
    });
    expect(await memory.preview(SECRET)).toMatchObject({ rejected: 3 });
    expect(await memory.add({ ...SECRET[0]!, content: 'I like tea.' })).toMatchObject({ added: 1 });
    expect(await memory.add(PLAIN)).toMatchObject({ known: 3 });
  });

  it('stays in other scopes', async () => {
    const { memory, store } = await filled();
    const other = await memoryOver(store, { scope: 'b' });
    await remember(other.memory, SECRET);
    const before = await graphOf(other.memory);
    expect(await memory.forget({ all: true })).toMatchObject({ proof: { clean: true } });
    expect(await graphOf(other.memory)).toEqual(before);
    expect(await other.memory.add(SECRET)).toMatchObject({ known: 3, rejected: 0 });
  });

  it('is removed in all its versions, with everything read from each', async () => {
    const { memory } = await filled();
    await remember(memory, { ...SECRET[1]!, content: 'I visited the cardiology ward in Bruges.' });
    const graph = await graphOf(memory);
    expect(JSON.stringify(graph.nodes.fact)).toContain('dermatology');
    const [id] = await idsOf(memory, 'cardiology');
    expect((await memory.previewForget({ episode: id! })).episodes).toHaveLength(2);
    expect(await memory.forget({ episode: id! })).toMatchObject({ tombstones: 2, proof: { clean: true } });
    expectWithout(await graphOf(memory), ['cardiology', 'Bruges', 'dermatology', 'clinic'], { waits: true });
  });

  it('is not described by its record', async () => {
    const { memory } = await filled();
    await memory.forget({ query: 'dermatology clinic in Ghent', limit: 1 }, { author: 'Ann' });
    const [record] = (await graphOf(memory)).nodes.correction;
    expect(record).toMatchObject({
      kind: 'forget',
      author: 'Ann',
      targets: [],
      finishedAt: expect.any(Number),
    });
    expect(JSON.parse(record!.detail)).toMatchObject({
      target: 'query',
      turns: [],
      regroup: [],
      counts: { episode: 1 },
    });
  });
});
