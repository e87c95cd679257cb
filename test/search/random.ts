/** Numbers from 0 to 1 that are the same on every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function randomVector(random: () => number, dimension: number): Float32Array {
  const vector = Float32Array.from({ length: dimension }, () => random() + random() + random() - 1.5);
  const norm = Math.hypot(...vector) || 1;
  return vector.map((value) => value / norm);
}
