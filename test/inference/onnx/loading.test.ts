import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OnnxEmbedder, type OnnxEmbedderOptions } from '../../../src/inference/onnx/onnx-embedder.ts';
import { OnnxReranker } from '../../../src/inference/onnx/onnx-reranker.ts';
import type { EmbedderProfile } from '../../../src/inference/onnx/profile.ts';
import { SELF_CHECK_FILE } from '../../../src/inference/onnx/self-check.ts';
import { GraphWriter } from '../../fakes/onnx/graph-writer.ts';
import type { ModelFolder } from '../../fakes/onnx/model-folder.ts';
import { type ScriptedRuntime, scriptedRuntime } from '../../fakes/onnx/scripted-runtime.ts';
import {
  tinyEmbedderProfile as profile,
  tinyCrossEncoder,
  tinyEncoder,
  tinyRerankerProfile,
} from '../../fakes/onnx/tiny-models.ts';

let folder: ModelFolder;
beforeEach(() => {
  folder = tinyEncoder().write();
});
afterEach(() => folder.remove());

async function load(options: Partial<OnnxEmbedderOptions> = {}): Promise<OnnxEmbedder> {
  return OnnxEmbedder.load({ profile, folder: folder.path, device: 'cpu', ...options });
}

async function loadAndClose(options: Partial<OnnxEmbedderOptions> = {}): Promise<void> {
  await (await load(options)).close();
}

const fault = { code: 'model-fault' };

describe('the layout of a folder', () => {
  it('files side by side', async () => {
    renameSync(join(folder.path, 'onnx/model.onnx'), join(folder.path, 'model.onnx'));
    await loadAndClose();
  });

  it.each(['onnx/model.onnx', 'tokenizer.json', 'tokenizer_config.json'])(
    'without %s the error names the command that downloads it',
    async (file) => {
      rmSync(join(folder.path, file));
      await expect(load()).rejects.toMatchObject({
        code: 'model-missing',
        message: expect.stringContaining('mnemis models pull tiny-embedder'),
      });
    },
  );

  it.each(['', '{', '[]', '{"model":7}', '{"model":{"type":"Unheard"}}', '{"model":{"type":"WordPiece"}}'])(
    'an invalid tokenizer.json: %j',
    async (text) => {
      writeFileSync(join(folder.path, 'tokenizer.json'), text);
      await expect(load()).rejects.toMatchObject(fault);
    },
  );

  it('a graph that is truncated, empty, or another format', async () => {
    const path = join(folder.path, 'onnx/model.onnx');
    const whole = readFileSync(path);
    for (const bytes of [whole.subarray(0, whole.length / 2), Buffer.alloc(0), Buffer.from('<html>')]) {
      writeFileSync(path, bytes);
      await expect(load()).rejects.toMatchObject(fault);
    }
  });

  it('a graph with an unknown input, or of another width', async () => {
    const writer = new GraphWriter();
    const input = writer.input('pixel_values', { type: 'int64', dimensions: ['batch', 'sequence'] });
    writer.node('Identity', [input], { output: 'last_hidden_state' });
    writer.output('last_hidden_state', { type: 'int64', dimensions: ['batch', 'sequence'] });
    writeFileSync(join(folder.path, 'onnx/model.onnx'), writer.toBytes());
    await expect(load()).rejects.toMatchObject({
      ...fault,
      message: expect.stringContaining('pixel_values'),
    });
    const wide: EmbedderProfile = { ...profile, dimension: 64 };
    folder.remove();
    folder = tinyEncoder().write();
    await expect(load({ profile: wide })).rejects.toMatchObject(fault);
  });

  it('a token beyond the graph’s vocabulary', async () => {
    folder.remove();
    folder = tinyEncoder({ vocabulary: 10 }).write();
    await expect(load()).rejects.toMatchObject(fault);
  });
});

describe('options', () => {
  it.each([0, 17, 31, 33, Number.NaN])('rejects %d dimensions', async (dimension) => {
    await expect(load({ dimension })).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('rejects a precision that the profile does not have', async () => {
    await expect(load({ precision: 'q4' })).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('another precision of the same model has its own fingerprint, half precision does not', async () => {
    const variants = { fp16: profile.variants.fp32!, int8: profile.variants.fp32! };
    const names = { fp16: 'tiny-embedder', int8: 'tiny-embedder-int8' };
    for (const precision of ['fp16', 'int8'] as const) {
      await using embedder = await load({ profile: { ...profile, variants }, precision });
      expect(embedder.fingerprint).toEqual({ model: names[precision], dimension: 32 });
    }
  });
});

describe('self-check', () => {
  const impossible: EmbedderProfile = {
    ...profile,
    selfCheck: profile.selfCheck.map(({ query, nearer, farther }) => ({
      query,
      nearer: farther,
      farther: nearer,
    })),
  };

  async function runsOf(options: Partial<OnnxEmbedderOptions> = {}): Promise<number> {
    const runtime = counting(await scriptedRuntime({}));
    await loadAndClose({ runtime, ...options });
    return runtime.runs();
  }

  it('runs once, and again when files, profile or device of the runtime change', async () => {
    expect(await runsOf()).toBeGreaterThan(1);
    expect(existsSync(join(folder.path, SELF_CHECK_FILE))).toBe(true);
    expect(await runsOf()).toBe(1);
    utimesSync(join(folder.path, 'onnx/model.onnx'), 1, 1);
    expect(await runsOf()).toBeGreaterThan(1);
    expect(await runsOf()).toBe(1);
    expect(await runsOf({ profile: { ...profile, prefix: { query: 'a ', passage: '' } } })).toBeGreaterThan(
      1,
    );
  });

  it('a wrong order is an error each time, unless the check is skipped', async () => {
    for (let time = 0; time < 2; time++)
      await expect(load({ profile: impossible })).rejects.toMatchObject({
        code: 'self-check-failed',
        message: expect.stringContaining('2 of 2'),
      });
    await loadAndClose({ profile: impossible, selfCheck: 'skip' });
  });

  it('a damaged record of it is ignored', async () => {
    await loadAndClose();
    writeFileSync(join(folder.path, SELF_CHECK_FILE), '{"version":1,"passed":7}');
    expect(await runsOf()).toBeGreaterThan(1);
  });

  it('runs each time if the folder is read-only', async () => {
    mkdirSync(join(folder.path, SELF_CHECK_FILE));
    chmodSync(folder.path, 0o555);
    for (let time = 0; time < 2; time++) expect(await runsOf()).toBeGreaterThan(1);
    chmodSync(folder.path, 0o755);
  });

  it('also runs for a reranker', async () => {
    const pairs = tinyCrossEncoder().write();
    try {
      const options = {
        folder: pairs.path,
        device: 'cpu',
        selfCheck: 'skip',
        profile: tinyRerankerProfile,
      } as const;
      await using reranker = await OnnxReranker.load(options);
      const documents = ['paris', 'the train leaves at nine'] as const;
      const [first, second] = await reranker.rerank('who', documents);
      const [better, worse] = first! > second! ? documents : [documents[1], documents[0]];
      const checked = (check: { better: string; worse: string }) =>
        OnnxReranker.load({
          ...options,
          selfCheck: 'once',
          profile: { ...tinyRerankerProfile, selfCheck: [{ query: 'who', ...check }] },
        });
      await (await checked({ better, worse })).close();
      await expect(checked({ better: worse, worse: better })).rejects.toMatchObject({
        code: 'self-check-failed',
      });
    } finally {
      pairs.remove();
    }
  });
});

function counting(runtime: ScriptedRuntime): ScriptedRuntime & { runs(): number } {
  let runs = 0;
  return {
    ...runtime,
    runs: () => runs,
    open: async (graph, device) => {
      const session = await runtime.open(graph, device);
      return {
        device,
        inputs: session.inputs,
        outputs: session.outputs,
        close: () => session.close(),
        run: (feeds, output) => {
          runs++;
          return session.run(feeds, output);
        },
      };
    },
  };
}
