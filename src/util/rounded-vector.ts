/** The greatest integer of a rounded vector. */
const MOST = 127;

/** Longer vectors could overflow the inner products of float32 numbers. */
const LONGEST = 1e18;

/** With a smaller scale all numbers become 0: dividing by it could overflow. */
const LEAST_SCALE = 2 ** -107;

/** The bytes of the scale that are kept: sign, exponent and 15 bits of the fraction. */
const SCALE_BYTES = 3;

const word = new DataView(new ArrayBuffer(4));

/** Whether memory can hold the vector: all its numbers are finite, and it is no longer than 1e18. */
export function isUsableVector(vector: Float32Array): boolean {
  let squares = 0;
  for (let place = 0; place < vector.length; place++) squares += vector[place]! * vector[place]!;
  return Math.sqrt(squares) <= LONGEST;
}

/**
 * Writes the vector to `out` as integers from −127 to 127 and returns their scale, the value of one step. The scale has
 * 16 significant bits, so that its products with the integers are exact in float32, and a vector that was rounded
 * stays the same when it is rounded again.
 */
export function roundVector(vector: Float32Array, out: Int8Array): number {
  let largest = 0;
  for (let place = 0; place < vector.length; place++) {
    const size = Math.abs(vector[place]!);
    if (size > largest) largest = size;
  }
  word.setFloat32(0, largest / MOST);
  word.setUint32(0, (word.getUint32(0) + 0x80) & 0xffffff00);
  const scale = word.getFloat32(0);
  if (!(scale >= LEAST_SCALE)) {
    out.fill(0);
    return 0;
  }
  for (let place = 0; place < vector.length; place++) out[place] = Math.round(vector[place]! / scale);
  return scale;
}

/** The float32 numbers of a rounded vector. */
export function scaledVector(integers: Int8Array, scale: number): Float32Array {
  const vector = new Float32Array(integers.length);
  for (let place = 0; place < vector.length; place++) vector[place] = integers[place]! * scale;
  return vector;
}

/** The vector as memory keeps it: what `roundVector` makes of it. */
export function roundedVector(vector: Float32Array): Float32Array {
  const integers = new Int8Array(vector.length);
  const scale = roundVector(vector, integers);
  return scaledVector(integers, scale);
}

/**
 * The bytes of a vector in a store, which give back the same numbers. A rounded vector is its integers and the first
 * three bytes of its scale as a big-endian float32. Any other vector, and one of an odd dimension, is its float32
 * numbers in the byte order of the machine: their length is even, and that of a rounded vector is odd.
 */
export function encodeVector(vector: Float32Array): Uint8Array {
  return encodeRounded(vector) ?? new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength).slice();
}

function encodeRounded(vector: Float32Array): Uint8Array | null {
  const { length } = vector;
  if (length % 2 === 1) return null;
  const bytes = new Uint8Array(length + SCALE_BYTES);
  const integers = new Int8Array(bytes.buffer, 0, length);
  const scale = roundVector(vector, integers);
  for (let place = 0; place < length; place++)
    if (!Object.is(integers[place]! * scale, vector[place])) return null;
  word.setFloat32(0, scale);
  bytes.set(new Uint8Array(word.buffer, 0, SCALE_BYTES), length);
  return bytes;
}

/** The vector of the bytes of `encodeVector`; bytes that it cannot have written give some other vector. */
export function decodeVector(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes;
  if (byteLength % 2 === 0 || byteLength < SCALE_BYTES)
    return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength - (byteLength % 4)));
  const length = byteLength - SCALE_BYTES;
  word.setUint32(0, 0);
  new Uint8Array(word.buffer).set(bytes.subarray(length));
  return scaledVector(new Int8Array(buffer, byteOffset, length), word.getFloat32(0));
}
