import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OnnxEmbedder, type OnnxEmbedderOptions } from '../../../src/inference/onnx/onnx-embedder.ts';
import type { EmbedderProfile } from '../../../src/inference/onnx/profile.ts';
import { embedderContract } from '../../contract/embedder.ts';
import { headOf, meanOf, statesOf, unit } from '../../fakes/onnx/forward-pass.ts';
import type { ModelFolder } from '../../fakes/onnx/model-folder.ts';
import {
  tinyEmbedderProfile as profile,
  type TinyModel,
  tinyDecoder,
  tinyEncoder,
} from '../../fakes/onnx/tiny-models.ts';
import { BERT } from '../../fakes/onnx/tiny-tokenizers.ts';
import type { GraphOptions } from '../../fakes/onnx/transformer-graph.ts';

const encoder = tinyEncoder();
const PASSAGES = [
  'the capital of france',
  'one',
  'ann moved to bergen in june, when the train leaves at nine',
  'paris',
  'i adopted a puppy in oslo.',
];

/** Vectors agree up to the last digits of single precision. */
function expectNear(vector: Float32Array, expected: readonly number[]): void {
  expect(vector).toHaveLength(expected.length);
  for (const [at, value] of expected.entries()) expect(Math.abs(vector[at]! - value)).toBeLessThan(2e-6);
}

function idsOf(model: TinyModel, words: string): number[] {
  const { vocab } = (model.tokenizer.tokenizer as { model: { vocab: Record<string, number> } }).model;
  return [BERT.start, ...words.split(' ').map((word) => vocab[word]!), BERT.end];
}

async function withEmbedder<T>(
  folder: ModelFolder,
  options: Partial<OnnxEmbedderOptions>,
  use: (embedder: OnnxEmbedder) => Promise<T>,
): Promise<T> {
  try {
    await using embedder = await OnnxEmbedder.load({
      profile,
      folder: folder.path,
      device: 'cpu',
      selfCheck: 'skip',
      ...options,
    });
    return await use(embedder);
  } finally {
    folder.remove();
  }
}

function embedWith(
  model: TinyModel,
  change: Partial<EmbedderProfile>,
  options: Partial<OnnxEmbedderOptions> & { texts: readonly string[]; graph?: GraphOptions },
): Promise<Float32Array[]> {
  const { texts, graph, ...rest } = options;
  return withEmbedder(model.write(graph), { profile: { ...profile, ...change }, ...rest }, (embedder) =>
    embedder.embed(texts, { as: 'passage' }),
  );
}

describe('OnnxEmbedder: contract', () => {
  const folder = encoder.write();
  const made: OnnxEmbedder[] = [];
  beforeAll(async () => {
    for (let count = 0; count < 2; count++)
      made.push(await OnnxEmbedder.load({ profile, folder: folder.path, device: 'cpu' }));
  });
  afterAll(async () => {
    for (const embedder of made) await embedder.close();
    folder.remove();
  });
  let calls = 0;
  embedderContract('OnnxEmbedder', () => made[calls++ % made.length]!);
});

describe('OnnxEmbedder: vectors match the formulas', () => {
  const WORDS = ['the capital of france', 'paris', 'i adopted a puppy in oslo .', 'one'];
  const states = WORDS.map((words) => statesOf(idsOf(encoder, words), encoder.shape, encoder.weights));

  it('mean: all tokens count equally, padding not at all', async () => {
    const vectors = await embedWith(encoder, {}, { texts: WORDS });
    for (const [at, vector] of vectors.entries()) expectNear(vector, unit(meanOf(states[at]!)));
  });

  it('cls: the first token', async () => {
    const vectors = await embedWith(encoder, { pooling: 'cls' }, { texts: WORDS });
    for (const [at, vector] of vectors.entries()) expectNear(vector, unit(states[at]![0]!));
  });

  it('last: the last token, for padding on either side', async () => {
    for (const padding of ['right', 'left'] as const) {
      const model = tinyDecoder();
      const texts = ['paris', 'a train that leaves at nine', 'no'];
      const vectors = await embedWith(
        model,
        { pooling: 'last', padding },
        { texts, graph: { withPast: padding === 'left' } },
      );
      for (const [at, vector] of vectors.entries())
        expectNear(vector, unit(statesOf(bytesOf(model, texts[at]!), model.shape, model.weights).at(-1)!));
    }
  });

  it('graph: the output of the graph itself', async () => {
    const model = tinyEncoder({ head: 'vector' });
    const vectors = await embedWith(model, { pooling: 'graph' }, { texts: WORDS });
    for (const [at, vector] of vectors.entries()) {
      const [first] = statesOf(idsOf(model, WORDS[at]!), model.shape, model.weights);
      expectNear(vector, unit(headOf(first!, model.weights)));
    }
  });

  it('a shorter dimension is the start of the full vector, normalized again', async () => {
    const [vector] = await embedWith(encoder, {}, { texts: ['paris'], dimension: 16 });
    expectNear(vector!, unit(meanOf(states[1]!).slice(0, 16)));
  });

  it('prefixes are prepended to queries and passages', async () => {
    const prefix = { query: 'who ', passage: 'the ' };
    await withEmbedder(encoder.write(), { profile: { ...profile, prefix } }, async (embedder) => {
      const [query] = await embedder.embed(['moved'], { as: 'query' });
      const [passage] = await embedder.embed(['moved'], { as: 'passage' });
      expectNear(query!, unit(meanOf(statesOf(idsOf(encoder, 'who moved'), encoder.shape, encoder.weights))));
      expectNear(
        passage!,
        unit(meanOf(statesOf(idsOf(encoder, 'the moved'), encoder.shape, encoder.weights))),
      );
    });
  });

  it('a long text is cut before its last special token', async () => {
    const [vector] = await embedWith(
      encoder,
      { maxTokens: 5 },
      { texts: ['the capital of france is paris'] },
    );
    expectNear(
      vector!,
      unit(meanOf(statesOf(idsOf(encoder, 'the capital of'), encoder.shape, encoder.weights))),
    );
  });

  it('a special token written in a text is ignored', async () => {
    const [plain, smuggled] = await embedWith(encoder, {}, { texts: ['paris one', 'paris [SEP] one [CLS]'] });
    expect(smuggled).toEqual(plain);
  });

  it('a past in half precision is passed as such', async () => {
    const model = tinyDecoder();
    const [vector] = await embedWith(
      model,
      { pooling: 'last' },
      { texts: ['yes'], graph: { withPast: true, pastType: 'float16' } },
    );
    expectNear(vector!, unit(statesOf(bytesOf(model, 'yes'), model.shape, model.weights).at(-1)!));
  });
});

/** Expected output of the byte-level tokenizer: bytes, its merged words, and the end. */
function bytesOf({ tokenizer }: TinyModel, text: string): number[] {
  const { vocab } = (tokenizer.tokenizer as { model: { vocab: Record<string, number> } }).model;
  const end = tokenizer.vocabulary - 3;
  if (text in vocab) return [vocab[text]!, end];
  return [
    ...[...Buffer.from(text)].map((byte) => vocab[byte === 32 ? 'Ġ' : String.fromCharCode(byte)]!),
    end,
  ];
}

describe('OnnxEmbedder: batches', () => {
  it('batching changes no vector and no order', async () => {
    const alone: Float32Array[] = [];
    for (const text of PASSAGES)
      alone.push(...(await embedWith(encoder, {}, { texts: [text], batchTokens: 1 })));
    for (const batchTokens of [1, 16, 40, 10_000]) {
      const together = await embedWith(encoder, {}, { texts: PASSAGES, batchTokens });
      for (const [at, vector] of together.entries()) expectNear(vector, [...alone[at]!]);
    }
  });

  it('more texts than a window are returned in order', async () => {
    await withEmbedder(encoder.write(), {}, async (embedder) => {
      const texts = Array.from({ length: 1_100 }, (_, at) => `${PASSAGES[at % 5]!} ${at}`);
      const vectors = await embedder.embed(texts, { as: 'passage' });
      expect(vectors).toHaveLength(texts.length);
      for (const at of [0, 511, 512, 1_023, 1_024, 1_099])
        expectNear(vectors[at]!, [...(await embedder.embed([texts[at]!], { as: 'passage' }))[0]!]);
    });
  });

  it('overlapping calls do not disturb each other', async () => {
    await withEmbedder(encoder.write(), { batchTokens: 16 }, async (embedder) => {
      const first = await embedder.embed(PASSAGES, { as: 'passage' });
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, at) => embedder.embed(PASSAGES, { as: at % 2 ? 'query' : 'passage' })),
      );
      for (const vectors of all)
        for (const [at, vector] of vectors.entries()) expectNear(vector, [...first[at]!]);
    });
  });

  it('a signal stops between batches, and a huge text is cut beforehand', async () => {
    await withEmbedder(encoder.write(), { batchTokens: 8 }, async (embedder) => {
      const abort = new AbortController();
      const work = embedder.embed(
        Array.from({ length: 4_000 }, (_, at) => `one ${at}`),
        { as: 'passage', signal: abort.signal },
      );
      setImmediate(() => abort.abort());
      await expect(work).rejects.toMatchObject({ code: 'cancelled' });
      const [vector] = await embedder.embed(['paris '.repeat(2_000_000)], { as: 'passage' });
      expect(Math.hypot(...vector!)).toBeCloseTo(1, 5);
    });
  });

  it('queries are cached, and a duplicate in one call is computed once', async () => {
    await withEmbedder(encoder.write(), {}, async (embedder) => {
      const [first, second] = await embedder.embed(['paris', 'paris'], { as: 'query' });
      expect(second).toEqual(first);
      expect(second).not.toBe(first);
      first!.fill(0);
      expect((await embedder.embed(['paris'], { as: 'query' }))[0]).toEqual(second);
    });
  });
});

describe('OnnxEmbedder: closing', () => {
  it('a call after closing fails with a typed error, an open one finishes or fails, and closing twice is harmless', async () => {
    await withEmbedder(encoder.write(), { batchTokens: 8 }, async (embedder) => {
      const work = embedder.embed(PASSAGES, { as: 'passage' }).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
      await Promise.all([embedder.close(), embedder.close()]);
      expect(['done', 'model-closed']).toContain(await work);
      await expect(embedder.embed(['one'], { as: 'passage' })).rejects.toMatchObject({
        code: 'model-closed',
      });
    });
  });
});
