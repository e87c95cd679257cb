import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { StaticEmbedder } from '../../../src/inference/embedder/static-embedder.ts';
import { openEmbedder } from '../../../src/inference/models/open-models.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { embedderContract } from '../../contract/embedder.ts';

const WEIGHTS = join(import.meta.dirname, '../../../../shared/models');
const FILES = ['tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'];
/** Links, because the self-check writes beside the files. */
const folder = mkdtempSync(join(tmpdir(), 'mnemis-weights-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(['all-minilm-l6-v2', 'bge-small-en-v1.5', 'e5-small-v2'])('%s:int8, real weights', (name) => {
  const isHere = FILES.every((file) => existsSync(join(WEIGHTS, name, file)));
  if (!isHere) {
    it.skip(`skipped: ${join(WEIGHTS, name)} is not there`, () => undefined);
    return;
  }
  for (const file of FILES) {
    mkdirSync(dirname(join(folder, name, file)), { recursive: true });
    symlinkSync(join(WEIGHTS, name, file), join(folder, name, file));
  }
  const opened = openEmbedder({ name: `${name}:int8`, modelsFolder: folder, device: 'cpu' });
  afterAll(async () => (await opened).close());

  it('passes its self-check', async () => {
    expect((await opened).fingerprint).toEqual({ model: `${name}-int8`, dimension: 384 });
    expect(existsSync(join(folder, name, 'mnemis-self-check.json'))).toBe(true);
  });

  it('answers a question before passages that wait', async () => {
    const embedder = await opened;
    const texts = Array.from(
      { length: 300 },
      (_, at) => `Turn ${at}: we talked about the garden and its roses.`,
    );
    const ends: string[] = [];
    const passages = embedder.embed(texts, { as: 'passage' }).then(() => ends.push('passages'));
    await embedder.embed([`What grows in the garden of ${name}?`], { as: 'query' });
    ends.push('question');
    await passages;
    expect(ends).toEqual(['question', 'passages']);
  });

  it('takes over a memory of the table, also after an interruption', async () => {
    const path = join(folder, `${name}.db`);
    const table = await StaticEmbedder.load(analyze);
    const old = await Mnemis.open({ path, embedder: table, automatic: false });
    const turns = Array.from({ length: 600 }, (_, at) => ({
      ...{ content: `We bought chair ${at} for room ${at % 7}.`, speaker: 'Ann', at: '2024-03-05' },
    }));
    await old
      .scope('s')
      .add([...turns, { content: 'My puppy is called Rex.', speaker: 'Ann', at: '2024-03-06' }]);
    const embedder = await opened;
    const stop = new AbortController();
    const first = (async () => {
      for await (const event of old.reembed({ embedder, signal: stop.signal }))
        if (event.type === 'progress') stop.abort();
    })();
    await expect(first).rejects.toMatchObject({ code: 'cancelled' });
    await old.close();
    await using engine = await Mnemis.open({
      path,
      embedder,
      whenEmbedderDiffers: 'words-only',
      automatic: false,
    });
    const result = await engine.reembed();
    expect(result).toMatchObject({ texts: 601, to: embedder.fingerprint });
    expect(result.embedded).toBeLessThan(601);
    const { episodes } = await engine.scope('s').search('What is the name of the young dog?', { k: 3 });
    expect(episodes.map(({ content }) => content)).toContain('My puppy is called Rex.');
  });

  embedderContract(name, () => ({
    fingerprint: { model: `${name}-int8`, dimension: 384 },
    embed: async (texts, options) => (await opened).embed(texts, options),
  }));
});
