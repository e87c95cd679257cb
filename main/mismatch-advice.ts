import { type EmbedderSetting, EmbeddingMismatchError } from '../src/errors/index.ts';
import type { Config } from './config.ts';

/** The same error with advice that can be typed as it stands. */
export function withTypedAdvice(error: EmbeddingMismatchError, config: Config): EmbeddingMismatchError {
  const { found, wanted, move, madeWith } = error;
  const { embedder, embedderDimension: dimension, path } = config;
  const target: EmbedderSetting =
    dimension === undefined ? { name: embedder } : { name: embedder, dimension };
  const open = madeWith === null ? `an embedder that gives ${found}` : flags(madeWith);
  const advice = `Open it with ${open}, or move it with: mnemis reembed --path ${shellWord(path)} ${flags(target)}`;
  return new EmbeddingMismatchError(found, wanted, { move, madeWith, advice });
}

function flags({ name, dimension }: EmbedderSetting): string {
  return `--embedder ${shellWord(name)}${dimension === undefined ? '' : ` --embedder-dimension ${dimension}`}`;
}

/** A word as a shell takes it; quoted only where it must be. */
function shellWord(word: string): string {
  return /^[\w./:\\@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
