import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Mnemis } from '../../src/engine.ts';
import { checkMemory } from '../../src/files/backup/check-memory.ts';
import { openStoreAt } from '../../src/files/open-store.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import type { Embedder, EmbedOptions } from '../../src/inference/embedder.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { passagesOf } from '../../src/search/passages.ts';
import { contents, freshPath, graphOf, open, turn } from './memory-fixture.ts';

const MOST_TOKENS = 200;

/** It sees the first 800 characters of a text, and says so unless it is the one of an earlier version. */
class ShortSighted implements Embedder {
  readonly meaning = 'text';
  readonly maxTokens: number;
  readonly fingerprint;
  readonly passages: string[] = [];
  readonly #hashing: HashingEmbedder;

  constructor({ says = true, dimension = 256 } = {}) {
    this.maxTokens = says ? MOST_TOKENS : Number.MAX_SAFE_INTEGER;
    this.fingerprint = { model: 'short-sighted', dimension };
    this.#hashing = new HashingEmbedder({ analyze, dimension });
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    if (options.as === 'passage') this.passages.push(...texts);
    const seen = texts.map((text) => text.slice(0, 4 * MOST_TOKENS));
    return this.#hashing.embed(seen, options);
  }
}

const FILLER = [
  'The caretaker swept the corridor and locked the gymnasium.',
  'Parliament debated tariffs on steel until midnight.',
  'A glacier retreats some metres in each warm decade.',
  'Bakers knead dough before sunrise in most villages.',
  'The orchestra tuned while ushers closed the doors.',
];
/** They are not read for facts, whose vectors would find them too. Some 3,400 characters, with a sentence behind what the embedder sees. */
const mail = (sentence: string, first: number) => {
  const filler = Array.from(
    { length: 60 },
    (_, at) => FILLER[(first + at * (1 + (first % 3))) % FILLER.length],
  );
  filler[50] = sentence;
  return filler.join(' ');
};
const WALRUS = mail('Rosa adopted a walrus called Otto.', 0);
const MAILS = [
  mail('The plumber mends the boiler.', 1),
  mail('Tickets for the ferry cost nine crowns.', 2),
  WALRUS,
  mail('My cousin paints lighthouses.', 3),
  mail('Grandmother keeps a diary in Latin.', 4),
];
const QUESTION = 'walrus Otto adopted';

async function remembered(path: string, embedder: Embedder): Promise<Mnemis> {
  const mnemis = await open(path, { embedder, automatic: false });
  const memory = mnemis.scope('mails');
  for (const [at, content] of MAILS.entries())
    await memory.add([
      turn(content, { session: `mail ${at}`, speaker: 'Pat' }),
      turn('Fine.', { session: `mail ${at}` }),
    ]);
  return mnemis;
}

const byVectors = async (mnemis: Mnemis, question = QUESTION) =>
  contents(await mnemis.scope('mails').search(question, { recipe: 'system1-vector', k: 3 }));
const passagesIn = async (mnemis: Mnemis) =>
  (await graphOf(mnemis.scope('mails'))).nodes.embedding.filter(({ field }) => field === 'passage');

describe('the passages of turns that an embedder does not see whole', () => {
  it('have vectors, and short turns have none', async () => {
    const embedder = new ShortSighted();
    await using mnemis = await remembered(':memory:', embedder);
    const texts = MAILS.flatMap((each) =>
      [...passagesOf(each)].map(({ start, end }) => each.slice(start, end).trim()),
    );
    expect(texts.length).toBeGreaterThan(5 * MAILS.length);
    for (const text of texts) expect(embedder.passages).toContain(text);
    expect(await passagesIn(mnemis)).toHaveLength(texts.length);
  });

  it('are none of an assistant’s reply', async () => {
    await using mnemis = await open(':memory:', { embedder: new ShortSighted(), automatic: false });
    await mnemis
      .scope('mails')
      .add([turn('Who is Otto?', { role: 'user' }), turn(WALRUS, { role: 'assistant' })]);
    expect(await passagesIn(mnemis)).toEqual([]);
  });

  it('are none for an embedder that sees all', async () => {
    await using mnemis = await remembered(':memory:', new ShortSighted({ says: false }));
    expect(await passagesIn(mnemis)).toEqual([]);
    expect((await byVectors(mnemis))[0]).not.toBe(WALRUS);
  });

  it('find a turn by what its embedder does not see of it, also after opening it again', async () => {
    const path = freshPath();
    const mnemis = await remembered(path, new ShortSighted());
    expect((await byVectors(mnemis))[0]).toBe(WALRUS);
    await mnemis.close();
    for (const from of ['the snapshot', 'the graph']) {
      if (from === 'the graph') rmSync(`${path}.indexes`, { recursive: true });
      await using again = await open(path, { embedder: new ShortSighted(), automatic: false });
      expect((await byVectors(again))[0], from).toBe(WALRUS);
    }
  });

  it('are gone with their turn', async () => {
    const path = freshPath();
    const mnemis = await remembered(path, new ShortSighted());
    const memory = mnemis.scope('mails');
    const before = await passagesIn(mnemis);
    const { id } = (await memory.search(QUESTION)).episodes[0]!;
    await memory.forget({ episode: id });
    const after = await passagesIn(mnemis);
    expect(after.length).toBeLessThan(before.length);
    expect(after.filter(({ owner }) => owner === id)).toEqual([]);
    expect(await byVectors(mnemis)).not.toContain(WALRUS);
    await mnemis.close();
    await expectSound(path);
  });

  it('are added to a file without them by `reembed`, once', async () => {
    const path = freshPath();
    await (await remembered(path, new ShortSighted({ says: false }))).close();
    const embedder = new ShortSighted();
    {
      await using mnemis = await open(path, { embedder, automatic: false });
      expect((await byVectors(mnemis))[0]).not.toBe(WALRUS);
      // A reader that stops: what was added is kept.
      for await (const event of mnemis.reembed()) if (event.type === 'progress') break;
      for await (const event of mnemis.reembed())
        if (event.type === 'progress') expect(event.done).toBeLessThanOrEqual(event.total);
      expect((await byVectors(mnemis))[0]).toBe(WALRUS);
      expect(embedder.passages).toHaveLength((await passagesIn(mnemis)).length);
      const seen = embedder.passages.length;
      for await (const event of mnemis.reembed()) if (event.type === 'done') expect(event.embedded).toBe(0);
      expect(embedder.passages).toHaveLength(seen);
    }
    await expectSound(path);
  });

  it('are left behind by a move to an embedder that sees all', async () => {
    const path = freshPath();
    await using mnemis = await remembered(path, new ShortSighted());
    const all = new HashingEmbedder({ analyze, dimension: 64 });
    for await (const event of mnemis.reembed({ embedder: all }))
      if (event.type === 'done') expect(event.removed).toBeGreaterThan(event.texts);
    expect(await passagesIn(mnemis)).toEqual([]);
  });
});

async function expectSound(path: string): Promise<void> {
  const store = await openStoreAt(path);
  const { findings } = await checkMemory({ store, snapshotFolder: `${path}.indexes` });
  await store.close();
  expect(findings).toEqual([]);
}
