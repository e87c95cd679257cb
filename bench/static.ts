import { readStaticModel, StaticEmbedder } from '../src/inference/embedder/static-embedder.ts';
import { analyze } from '../src/search/analyzer.ts';
import { calibrate, medianMilliseconds } from './calibration.ts';
import { randomNumbers } from './synthetic-turns.ts';

const TEXTS = 20_000;
const WORDS = 12;

/**
 * Short texts per second through the static embedder on one thread, compared with the analyzer alone and bare row sums.
 */
export async function benchStatic() {
  const started = performance.now();
  const model = await readStaticModel();
  const loadMs = performance.now() - started;
  const texts = shortTexts([...model.rowOf.keys()]);
  const embedder = new StaticEmbedder({ analyze, model });
  const whole: number[] = [];
  for (let run = 0; run < 6; run++) {
    const begin = performance.now();
    await embedder.embed(texts, { as: 'passage' });
    whole.push(performance.now() - begin);
  }
  const embedMs = whole.slice(1).sort((a, b) => a - b)[2]!;
  const analyzeMs = medianMilliseconds(5, () => {
    for (const text of texts) analyze(text);
  });
  return {
    texts: TEXTS,
    wordsPerText: WORDS,
    loadMs,
    textsPerSecond: Math.round((1000 * TEXTS) / embedMs),
    analyzeShare: analyzeMs / embedMs,
    /** The lower bound for this kind of embedder: summing known rows. */
    limit: { textsPerSecond: Math.round((1000 * TEXTS) / rowSumsMs(model.rows, model.dimension)) },
    calibration: await calibrate(),
  };
}

/** Words by rank in the vocabulary, with a frequency distribution as in speech. */
function shortTexts(words: readonly string[]): string[] {
  const random = randomNumbers(7);
  const word = () => words[Math.floor(words.length ** random()) - 1]!;
  return Array.from({ length: TEXTS }, () => Array.from({ length: WORDS }, word).join(' '));
}

function rowSumsMs(rows: Int8Array, dimension: number): number {
  const random = randomNumbers(9);
  const chosen = Uint32Array.from({ length: TEXTS * WORDS }, () =>
    Math.floor((random() * rows.length) / dimension),
  );
  return medianMilliseconds(5, () => {
    for (let text = 0; text < TEXTS; text++) {
      const sum = new Float32Array(dimension);
      for (let word = 0; word < WORDS; word++) {
        const start = chosen[text * WORDS + word]! * dimension;
        for (let place = 0; place < dimension; place++) sum[place]! += 0.5 * rows[start + place]!;
      }
    }
  });
}
