import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import {
  fetchModel,
  listModels,
  removeInstalled,
  verifyInstalled,
} from '../../../src/inference/models/model-catalogue.ts';
import { BUNDLED_ENTRIES } from '../../../src/inference/models/model-reference.ts';
import { openEmbedder, openReranker } from '../../../src/inference/models/open-models.ts';
import { modelsFolderIn } from '../../../src/util/files.ts';
import {
  EMBEDDER_REPOSITORY,
  hubWithEmbedder,
  type ModelFiles,
  smallEmbedder,
  smallReranker,
} from '../../fakes/small-models.ts';

const root = mkdtempSync(join(tmpdir(), 'mnemis-models-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const freshFolder = () => join(root, `${++count}`);

function put(modelsFolder: string, name: string, files: ModelFiles, place = (path: string) => path): string {
  for (const [path, content] of Object.entries(files)) {
    const file = join(modelsFolder, name, place(path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return join(modelsFolder, name);
}

const NAME = 'all-minilm-l6-v2';
const files = smallEmbedder();
const open = (modelsFolder: string, name = NAME) => openEmbedder({ name, modelsFolder, device: 'cpu' });

describe('openEmbedder', () => {
  it.each([
    ['at their paths in the repository', (path: string) => path],
    ['side by side', (path: string) => basename(path)],
  ])('accepts files that were put into the folder by hand: %s', async (_where, place) => {
    const modelsFolder = freshFolder();
    put(modelsFolder, NAME, files, place);
    await using embedder = await open(modelsFolder);
    expect(embedder.fingerprint).toEqual({ model: NAME, dimension: 384 });
    expect(embedder.device).toBe('cpu');
    await using engine = await Mnemis.open({ path: ':memory:', embedder });
    const memory = engine.scope('ann');
    await memory.add({ content: 'I adopted a puppy.', at: '2024-01-01' });
    expect((await memory.search('puppy')).episodes).toHaveLength(1);
    expect(engine.describe().fingerprint).toEqual(embedder.fingerprint);
  });

  it('names the command that fetches a missing model, or the missing part of one', async () => {
    const modelsFolder = freshFolder();
    await expect(open(modelsFolder)).rejects.toMatchObject({
      code: 'model-missing',
      message: expect.stringMatching(
        /Fetch it with: mnemis models pull all-minilm-l6-v2 --models-folder \S+$/,
      ),
    });
    await expect(open(modelsFolder, `${NAME}:int8`)).rejects.toThrow(`pull ${NAME}:int8`);
    const home = put(modelsFolder, NAME, files);
    rmSync(join(home, 'tokenizer.json'));
    await expect(open(modelsFolder)).rejects.toThrow('(missing: tokenizer.json)');
  });

  it('does not load a model whose pull is incomplete', async () => {
    await using hub = await hubWithEmbedder();
    const modelsFolder = freshFolder();
    await fetchModel({ name: NAME, modelsFolder, mirror: hub.url });
    truncateSync(join(modelsFolder, NAME, 'onnx/model.onnx'), 1_000);
    await expect(open(modelsFolder)).rejects.toMatchObject({ code: 'model-missing' });
  });

  it.each([
    ['nothing', 'unknown-name', /known: static, hashing, all-minilm/],
    ['ms-marco-minilm-l-6-v2', 'unknown-name', /no embedder named/],
    [
      `${NAME}:fp64`,
      'unknown-name',
      /no precision of all-minilm-l6-v2 named "fp64"; known: fp32, fp16, int8/,
    ],
    [`${NAME}:fp32:x`, 'unknown-name', /no embedder/],
    ['../escape', 'unknown-name', /no embedder/],
    ['', 'unknown-name', /no embedder/],
    ['toString', 'unknown-name', /no embedder/],
  ])('rejects the name %j', async (name, code, message) => {
    await expect(open(freshFolder(), name)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('opens what is bundled without any folder', async () => {
    const modelsFolder = join(root, 'nowhere');
    await using embedder = await openEmbedder({ name: 'hashing', dimension: 64, modelsFolder });
    expect(embedder).toMatchObject({ fingerprint: { model: 'hashing-v1', dimension: 64 }, meaning: 'words' });
    expect((await embedder.embed(['a'], { as: 'query' }))[0]).toHaveLength(64);
  });

  it('uses the command line’s folder if none is named, and its short command', async () => {
    const name = 'qwen3-embedding-0.6b:fp32'; // too large to lie on any machine that runs tests
    const folder = join(modelsFolderIn(), 'qwen3-embedding-0.6b');
    await expect(openEmbedder({ name })).rejects.toMatchObject({
      code: 'model-missing',
      message: expect.stringMatching(/models pull qwen3-embedding-0\.6b:fp32$/),
    });
    await expect(openEmbedder({ name })).rejects.toThrow(`is incomplete in ${folder}`);
    await using embedder = await openEmbedder({ name: 'static' });
    expect(embedder.fingerprint.dimension).toBe(256);
    expect((await listModels()).find((each) => each.name === NAME)?.folder).toBe(
      join(modelsFolderIn(), NAME),
    );
  });

  it('prints the full path of the models, and quotes it for a shell', async () => {
    const opening = openEmbedder({ name: NAME, modelsFolder: 'no such folder' });
    const folder = resolve('no such folder');
    await expect(opening).rejects.toThrow(`is incomplete in ${join(folder, NAME)}`);
    await expect(opening).rejects.toThrow(`--models-folder "${folder}"`);
  });

  it.each<[what: string, options: object | undefined, says: RegExp]>([
    ['no options', undefined, /not valid/],
    ['no name', {}, /name: must be a model’s name/],
    ['another name', { name: 7 }, /name: must be/],
    ['another folder', { name: NAME, modelsFolder: 7 }, /modelsFolder: must be a path/],
    ['an empty folder', { name: NAME, modelsFolder: ' ' }, /modelsFolder: must be a path/],
    ['an unknown device', { name: NAME, device: 'abacus' }, /device: must be one of auto, cpu/],
    ['a broken dimension', { name: 'static', dimension: 1.5 }, /dimension: must be a whole number/],
    ['another logger', { name: NAME, logger: 'console' }, /logger: must be an object/],
    ['another signal', { name: NAME, signal: {} }, /signal: must be an AbortSignal/],
  ])('rejects %s', async (_what, options, says) => {
    const refused = { code: 'invalid-input', message: expect.stringMatching(says) };
    await expect(openEmbedder(options as never)).rejects.toMatchObject(refused);
    await expect(openReranker(options as never)).rejects.toMatchObject(refused);
  });

  it('opens the static embedder, which has one dimension only', async () => {
    const options = { name: 'static', modelsFolder: join(root, 'nowhere') };
    await using embedder = await openEmbedder(options);
    const { dimension } = embedder.fingerprint;
    expect((await embedder.embed(['a dog'], { as: 'query' }))[0]).toHaveLength(dimension);
    await (await openEmbedder({ ...options, dimension })).close();
    await expect(openEmbedder({ ...options, dimension: 17 })).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('refuses a dimension that the model cannot give', async () => {
    const modelsFolder = freshFolder();
    put(modelsFolder, NAME, files);
    const opening = openEmbedder({ name: NAME, modelsFolder, device: 'cpu', dimension: 100 });
    await expect(opening).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('does not load a model that fails its self-check', async () => {
    const modelsFolder = freshFolder();
    put(modelsFolder, NAME, smallEmbedder(1));
    await expect(open(modelsFolder)).rejects.toMatchObject({ code: 'self-check-failed' });
  });
});

it('openReranker opens a reranker, and no embedder', async () => {
  const [name, modelsFolder] = ['ms-marco-minilm-l-6-v2', freshFolder()];
  put(modelsFolder, name, smallReranker());
  await using reranker = await openReranker({ name, modelsFolder, device: 'cpu' });
  const scores = await reranker.rerank('who?', ['i', 'the train']);
  expect(scores.every((score) => score > 0 && score < 1)).toBe(true);
  await expect(openReranker({ name: NAME, modelsFolder })).rejects.toMatchObject({ code: 'unknown-name' });
});

describe('listModels', () => {
  it('reports the installed models, and on which devices each passed its self-check', async () => {
    const modelsFolder = freshFolder();
    const variant = async () => {
      const model = (await listModels(modelsFolder)).find(({ name }) => name === NAME)!;
      return model.variants.find(({ precision }) => precision === 'fp32')!;
    };
    expect(await variant()).toMatchObject({ installed: false, isDefault: true, selfCheckedOn: [] });
    const home = put(modelsFolder, NAME, files);
    expect(await variant()).toMatchObject({ installed: true, selfCheckedOn: [] });
    await (await open(modelsFolder)).close();
    expect((await variant()).selfCheckedOn).toEqual(['cpu']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    writeFileSync(join(home, 'onnx/model.onnx'), 'another');
    expect((await variant()).selfCheckedOn).toEqual([]);
  });

  it('does not fail on a folder that it cannot read', async () => {
    const modelsFolder = freshFolder();
    put(modelsFolder, NAME, { 'mnemis-model.json': Buffer.from('broken') });
    expect((await listModels(modelsFolder))[0]).toMatchObject({ name: NAME });
  });
});

describe('fetchModel', () => {
  it('uses a mirror at its address, and sends it no token', async () => {
    await using hub = await hubWithEmbedder();
    const modelsFolder = freshFolder();
    await fetchModel({ name: NAME, modelsFolder, mirror: hub.url, token: 'a-secret-token' });
    expect(hub.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    expect(hub.requests[0]?.url).toContain(`/api/models/${EMBEDDER_REPOSITORY}/tree/`);
    await (await open(modelsFolder)).close();
  });

  it('refuses the network when offline, but copies from a folder', async () => {
    await using hub = await hubWithEmbedder();
    const [carried, modelsFolder] = [freshFolder(), freshFolder()];
    put(carried, NAME, files);
    for (const mirror of [undefined, hub.url])
      await expect(fetchModel({ name: NAME, modelsFolder, mirror, offline: true })).rejects.toMatchObject({
        code: 'offline',
      });
    expect(hub.requests).toEqual([]);
    await fetchModel({ name: NAME, modelsFolder, mirror: carried, offline: true });
    await (await open(modelsFolder)).close();
  });
});

describe('options about models', () => {
  it.each<[what: string, options: object | undefined]>([
    ['no options', undefined],
    ['another name', { name: null }],
    ['another folder', { name: NAME, modelsFolder: [] }],
    ['another mirror', { name: NAME, mirror: 7 }],
    ['another switch', { name: NAME, offline: 'no' }],
  ])('are checked before anything is fetched: %s', async (_what, options) => {
    await expect(fetchModel(options as never)).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('are checked for a list too', async () => {
    await expect(listModels(7 as never)).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('do not fetch, verify or remove bundled models', async () => {
    const modelsFolder = freshFolder();
    for (const refused of [
      fetchModel({ name: 'static', modelsFolder, offline: true }),
      verifyInstalled(modelsFolder, 'static'),
      removeInstalled(modelsFolder, 'hashing'),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'model-bundled' });
    expect(existsSync(modelsFolder)).toBe(false);
  });

  it('list bundled models as such', async () => {
    for (const { name, dimension } of BUNDLED_ENTRIES) {
      await using embedder = await openEmbedder({ name });
      expect(embedder.fingerprint.dimension).toBe(dimension);
    }
  });
});
