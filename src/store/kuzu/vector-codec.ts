/**
 * Vectors are base64 of little-endian float32, bit-exact, spread over columns of 512 characters: one column
 * with all of a 1,024-number vector would make checkpoints outgrow the buffer pool (see `text-codec.ts`).
 */
export const VECTOR_COLUMNS = 16;
const CHARACTERS = 512;

export const vectorColumn = (index: number): string => `vector${index}`;

/** As many columns as the vector needs; whatever exceeds the last column's share (1,536 numbers) joins it. */
export function encodeVector(vector: Float32Array): string[] {
  const text = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64');
  const parts: string[] = [];
  for (let start = 0; start < text.length && parts.length < VECTOR_COLUMNS; start += CHARACTERS) {
    const last = parts.length === VECTOR_COLUMNS - 1;
    parts.push(text.slice(start, last ? undefined : start + CHARACTERS));
  }
  return parts;
}

export function decodeVector(text: string): Float32Array {
  const vector = new Float32Array(
    Math.floor(Buffer.byteLength(text, 'base64') / Float32Array.BYTES_PER_ELEMENT),
  );
  Buffer.from(vector.buffer).write(text, 'base64');
  return vector;
}
