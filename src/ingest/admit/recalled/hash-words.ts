const TWO_32 = 0x1_0000_0000;

/**
 * 52 bits of a sequence of words, from two 32-bit lanes with different multipliers (MurmurHash3's finish). Among a
 * million held texts a foreign one is taken for one of them once in four thousand million times.
 */
export function hashWords(words: Iterable<string>, seed: number): number {
  let [low, high] = [0x9e3779b9 ^ seed, 0x85ebca6b ^ Math.imul(seed, 0x61c88647)];
  for (const word of words) {
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x5bd1e995) ^ (high >>> 15);
    }
    low = Math.imul(low ^ 0x20, 0x01000193);
    high = Math.imul(high ^ 0x20, 0x5bd1e995) ^ (high >>> 15);
  }
  const mixedLow = finish(low ^ (high >>> 7));
  const mixedHigh = finish(high ^ Math.imul(mixedLow, 0x9e3779b1));
  return (mixedHigh >>> 12) * TWO_32 + mixedLow;
}

function finish(lane: number): number {
  let mixed = lane;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
