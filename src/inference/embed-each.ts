import { breathe } from '../util/breathe.ts';
import { refuseIfAborted } from './refuse-if-aborted.ts';

/** Some milliseconds of work, after which others get their turn (docs/design.md, "Responsiveness"). */
const TEXTS_PER_TURN = 128;

/** For embedders that compute in this thread: one text after another, scaled to unit length, with room for others. */
export async function embedEach(
  texts: readonly string[],
  signal: AbortSignal | undefined,
  embed: (text: string) => Float32Array | Promise<Float32Array>,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    if (vectors.length > 0 && vectors.length % TEXTS_PER_TURN === 0) await breathe();
    refuseIfAborted(signal);
    vectors.push(toUnitLength(await embed(text)));
  }
  return vectors;
}

/** In place; a vector of zeros stays as it is. */
function toUnitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares > 0) {
    const scale = 1 / Math.sqrt(squares);
    for (let position = 0; position < vector.length; position++) vector[position]! *= scale;
  }
  return vector;
}
