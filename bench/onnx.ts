import { padBatch } from '../src/inference/onnx/batches.ts';
import { loadOnnxRuntime } from '../src/inference/onnx/load-runtime.ts';
import { cutToUnit, OnnxEmbedder, pool } from '../src/inference/onnx/onnx-embedder.ts';
import type { OnnxSession } from '../src/inference/onnx/onnx-runtime.ts';
import { OnnxTokenizer } from '../src/inference/onnx/onnx-tokenizer.ts';
import { findModel } from '../src/inference/onnx/open-model.ts';
import { calibrate } from './calibration.ts';
import { benchEmbedder, benchTexts, writeBenchModel } from './onnx-model.ts';

const ROWS = 32;
const LENGTHS = [32, 128];
const OUTPUT = 'last_hidden_state';

export interface OnnxBenchOptions {
  readonly rounds: number;
}

/**
 * Overhead of the embedding path: the same texts as prepared tensors, through the whole path, and through the path
 * without the session, in turns.
 */
export async function benchOnnx({ rounds }: OnnxBenchOptions) {
  const folder = writeBenchModel('states');
  try {
    const runtime = await loadOnnxRuntime();
    const paths = findModel(folder.path, benchEmbedder, 'fp32');
    const tokenizer = await OnnxTokenizer.read({ ...paths, model: benchEmbedder.name, maxTokens: 512 });
    const session = await runtime.open(paths.graph, 'cpu');
    await using embedder = await OnnxEmbedder.load({
      profile: benchEmbedder,
      folder: folder.path,
      device: 'cpu',
    });
    const shapes = [];
    for (const length of LENGTHS)
      shapes.push(await benchShape({ session, tokenizer, embedder, length, rounds }));
    await session.close();
    return { runtime: runtime.version, node: process.version, calibration: await calibrate(), shapes };
  } finally {
    folder.remove();
  }
}

interface Subject {
  readonly session: OnnxSession;
  readonly tokenizer: OnnxTokenizer;
  readonly embedder: OnnxEmbedder;
  readonly length: number;
  readonly rounds: number;
}

async function benchShape({ session, tokenizer, embedder, length, rounds }: Subject) {
  const texts = benchTexts(ROWS, length);
  const prepare = () => {
    const batch = padBatch(
      session.inputs,
      texts.map((text) => tokenizer.encode(text)),
      { side: 'right', id: 0 },
    );
    if (typeof batch === 'string') throw new TypeError(`unknown input ${batch}`);
    return batch;
  };
  const { feeds, spans } = prepare();
  const output = await session.run(feeds, OUTPUT);
  const [bare, full, host] = await inTurns(rounds, [
    () => session.run(feeds, OUTPUT),
    () => embedder.embed(texts, { as: 'passage' }),
    () => {
      prepare();
      return pool(output, spans, 'mean')!.map((vector) => cutToUnit(vector, vector.length));
    },
  ]);
  return {
    texts: ROWS,
    tokens: length,
    milliseconds: { bareSession: bare!, embed: full!, tokenizingAndPooling: host! },
    textsPerSecond: (ROWS / full!.median) * 1_000,
    embedToBare: ratio(full!, bare!),
    tokenizingAndPoolingToBare: ratio(host!, bare!),
  };
}

export function ratio(of: Duration, to: Duration): Duration {
  return { median: of.median / to.median, least: of.least / to.least };
}

/** Milliseconds. Disturbances only add time, so `least` is the more stable figure on a busy machine. */
export interface Duration {
  readonly median: number;
  readonly least: number;
}

/** Times each function in every round, in alternating order, so that disturbances affect all equally. */
export async function inTurns(rounds: number, works: readonly (() => unknown)[]): Promise<Duration[]> {
  const times = works.map((): number[] => []);
  for (let round = -2; round < rounds; round++) {
    const order = [...works.keys()];
    for (const at of round % 2 === 0 ? order : order.reverse()) {
      const started = performance.now();
      await works[at]!();
      if (round >= 0) times[at]!.push(performance.now() - started);
    }
  }
  return times.map((list) => {
    list.sort((a, b) => a - b);
    return { median: list[Math.floor(list.length / 2)]!, least: list[0]! };
  });
}
