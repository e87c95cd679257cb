import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readLocomoDataset } from '../eval/datasets/locomo.ts';
import { Mnemis } from '../src/engine.ts';
import type { Embedder } from '../src/inference/embedder.ts';
import { modelHome } from '../src/inference/hub/installed-model.ts';
import { embedderReference } from '../src/inference/models/model-reference.ts';
import { type OpenedEmbedder, openEmbedder } from '../src/inference/models/open-models.ts';
import { padBatch, planBatches } from '../src/inference/onnx/batches.ts';
import { outputOf } from '../src/inference/onnx/onnx-embedder.ts';
import { openSession } from '../src/inference/onnx/onnx-session.ts';
import { OnnxTokenizer } from '../src/inference/onnx/onnx-tokenizer.ts';
import { BATCH_TOKENS, findModel } from '../src/inference/onnx/open-model.ts';
import type { TurnInput } from '../src/model/turn-input.ts';
import { round, SCOPE } from './temporary-memory.ts';

interface EmbeddingBenchOptions {
  /** Of files, with its precision. */
  readonly embedder: string;
  readonly modelsFolder: string;
  /** LoCoMo's file, and how many of its conversations. */
  readonly data: string;
  readonly conversations: number;
  readonly rounds: number;
}

type Turns = readonly (readonly TurnInput[])[];

/**
 * Ingestion of LoCoMo's conversations with an embedder of files on the processor, compared with the bundled table and
 * with the floor: the bare session on the same tokens, each text once. In turns in one process, the least of the rounds.
 */
export async function benchEmbedding({
  embedder: name,
  modelsFolder,
  data,
  conversations,
  rounds,
}: EmbeddingBenchOptions) {
  const { cases } = await readLocomoDataset(data, {});
  const turns = cases.slice(0, conversations).map((each) => each.turns);
  const texts = new Set<string>();
  const open = () => openEmbedder({ name, modelsFolder, device: 'cpu' });
  const ingestWith = async (opened: Promise<OpenedEmbedder>) => {
    await using embedder = await opened;
    await ingest(turns, embedder);
  };
  {
    await using embedder = await open();
    await ingest(turns, recording(embedder, texts));
  }
  const floor = await prepareFloor({ name, modelsFolder, texts: [...texts] });
  const holds = monitorEventLoopDelay({ resolution: 5 });
  const [table, model, bare] = await leastOf(rounds, [
    () => ingestWith(openEmbedder({ name: 'static' })),
    () => ingestWith(open()),
    floor.run,
  ]);
  await floor.close();
  await using embedder = await open();
  holds.enable();
  await ingest(turns, embedder);
  holds.disable();
  const count = turns.flat().length;
  const ratio = (of: keyof Cost) => round(model![of] / (table![of] + bare![of]));
  return {
    embedder: name,
    turns: count,
    texts: texts.size,
    tokens: floor.tokens,
    table,
    model,
    floor: bare,
    turnsPerSecond: { table: round(count / table!.seconds), model: round(count / model!.seconds) },
    /** `seconds` are below 1 where the session runs beside the rest. */
    modelToTableAndFloor: { seconds: ratio('seconds'), processorSeconds: ratio('processorSeconds') },
    holdMs: { longest: Math.round(holds.max / 1e6), p99: Math.round(holds.percentile(99) / 1e6) },
  };
}

interface Cost {
  readonly seconds: number;
  /** Of all threads: nearly the same on a busy machine. */
  readonly processorSeconds: number;
}

/** The least of some rounds, in each of which every work has its turn. */
async function leastOf(rounds: number, works: readonly (() => Promise<void>)[]): Promise<Cost[]> {
  const least = works.map(() => ({ seconds: Infinity, processorSeconds: Infinity }));
  for (let at = 0; at < rounds * works.length; at++) {
    const cost = least[at % works.length]!;
    const [started, before] = [performance.now(), process.cpuUsage()];
    await works[at % works.length]!();
    const { user, system } = process.cpuUsage(before);
    cost.seconds = Math.min(cost.seconds, round((performance.now() - started) / 1_000));
    cost.processorSeconds = Math.min(cost.processorSeconds, round((user + system) / 1e6));
  }
  return least;
}

async function ingest(conversations: Turns, embedder: Embedder): Promise<void> {
  await using engine = await Mnemis.open({ path: ':memory:', automatic: false, embedder });
  for (const [at, turns] of conversations.entries()) {
    const scope = engine.scope(`${SCOPE}-${at}`);
    await scope.add(turns);
    await scope.flush();
  }
}

function recording(embedder: Embedder, texts: Set<string>): Embedder {
  return {
    fingerprint: embedder.fingerprint,
    embed: (given, options) => {
      for (const text of given) texts.add(text);
      return embedder.embed(given, options);
    },
  };
}

async function prepareFloor({
  name,
  modelsFolder,
  texts,
}: Pick<EmbeddingBenchOptions, 'modelsFolder'> & { name: string; texts: readonly string[] }) {
  const { profile, precision } = embedderReference(name);
  const paths = findModel(modelHome(modelsFolder, profile.name), profile, precision);
  const tokenizer = await OnnxTokenizer.read({ ...paths, model: name, maxTokens: profile.maxTokens });
  const session = await openSession(paths.graph, 'cpu');
  const output = outputOf(profile, session.outputs);
  const encodings = texts.map((text) => tokenizer.encode(profile.prefix.passage + text));
  const lengths = encodings.map(({ ids }) => ids.length);
  const batches = planBatches(lengths, BATCH_TOKENS.processor).map(({ rows }) => {
    const batch = padBatch(
      session.inputs,
      rows.map((row) => encodings[row]!),
      { side: profile.padding, id: tokenizer.padId },
    );
    if (typeof batch === 'string') throw new TypeError(`unknown input ${batch}`);
    return batch.feeds;
  });
  return {
    tokens: lengths.reduce((sum, length) => sum + length, 0),
    run: async () => {
      for (const feeds of batches) await session.run(feeds, output);
    },
    close: () => session.close(),
  };
}
