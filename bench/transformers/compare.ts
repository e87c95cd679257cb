import { basename, dirname } from 'node:path';
import { OnnxEmbedder } from '../../src/inference/onnx/onnx-embedder.ts';
import { inTurns, ratio } from '../onnx.ts';
import { benchEmbedder, benchTexts, writeBenchModel } from '../onnx-model.ts';

/**
 * Embedding through `@huggingface/transformers` and through Mnemis: the same random-weight model, the same texts, the
 * same process, in turns. Install with `npm ci` in this folder first. npm start [-- rounds]
 */
const PACKAGE = '@huggingface/transformers';
const rounds = Number(process.argv[2] ?? 15);

/** The used part of the package, which is not a dependency of the project, so its types are not available. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; localModelPath: string };
  pipeline(task: string, model: string, options: object): Promise<Extractor>;
}
type Extractor = (texts: readonly string[], options: object) => Promise<{ tolist(): number[][] }>;

const folder = writeBenchModel('states');
try {
  const { env, pipeline } = (await import(PACKAGE)) as Transformers;
  env.allowRemoteModels = false;
  env.localModelPath = dirname(folder.path);
  const extract = await pipeline('feature-extraction', basename(folder.path), {
    dtype: 'fp32',
    device: 'cpu',
  });
  await using embedder = await OnnxEmbedder.load({
    profile: benchEmbedder,
    folder: folder.path,
    device: 'cpu',
  });
  const shapes = [];
  for (const tokens of [32, 128]) {
    const texts = benchTexts(32, tokens);
    const theirs = () => extract(texts, { pooling: 'mean', normalize: true });
    const ours = () => embedder.embed(texts, { as: 'passage' });
    const [theirTimes, ourTimes] = await inTurns(rounds, [theirs, ours]);
    const cosine = leastCosine((await theirs()).tolist(), await ours());
    shapes.push({
      texts: 32,
      tokens,
      milliseconds: { theirs: theirTimes!, ours: ourTimes! },
      timesAsFast: ratio(theirTimes!, ourTimes!),
      leastCosine: cosine,
    });
  }
  process.stdout.write(`${JSON.stringify({ rounds, shapes }, null, 2)}\n`);
} finally {
  folder.remove();
}

/** Both give unit vectors. */
function leastCosine(theirs: readonly number[][], ours: readonly Float32Array[]): number {
  const cosines = theirs.map((vector, row) =>
    vector.reduce((sum, value, at) => sum + value * ours[row]![at]!, 0),
  );
  return Math.min(...cosines);
}
