import { STATIC_MODEL_MAGIC, type StaticModelHeader } from '../../src/inference/embedder/static-embedder.ts';
import type { WordVectors } from './word-vectors.ts';

const LARGEST = 127;

/** The file that `readStaticModel` reads, with each unit row rounded to 8 bits over its own largest number. */
export function encodeStaticModel(
  name: string,
  { words, weights, rows }: WordVectors,
  dimension: number,
): Buffer {
  const list = Buffer.from(words.join('\n'), 'utf8');
  const header: StaticModelHeader = {
    format: 1,
    name,
    dimension,
    words: words.length,
    wordBytes: list.length,
  };
  const json = Buffer.from(JSON.stringify(header), 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  const head = Buffer.concat([Buffer.from(STATIC_MODEL_MAGIC, 'latin1'), length, json, list]);
  const factors = Buffer.alloc(4 * words.length);
  const numbers = new Int8Array(rows.length);
  for (let row = 0; row < words.length; row++) {
    const vector = rows.subarray(row * dimension, (row + 1) * dimension);
    const scale = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / LARGEST;
    if (scale > 0)
      numbers.set(
        Int8Array.from(vector, (value) => Math.round(value / scale)),
        row * dimension,
      );
    factors.writeFloatLE(weights[row]! * scale, 4 * row);
  }
  const padding = Buffer.alloc((4 - (head.length % 4)) % 4);
  return Buffer.concat([head, padding, factors, Buffer.from(numbers.buffer)]);
}
