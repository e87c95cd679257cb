import { fold } from './fold.ts';

/** What two statements that say the same have in common: their words, case, accents and punctuation aside. */
export function statementKey(statement: string): string {
  return fold(statement)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** 53 bits of a text; equal for equal texts. Two multiplicative hashes side by side, after MurmurHash3's finalizer. */
export function hashOf(text: string): number {
  let [a, b] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0xcc9e2d51) + a;
  }
  return (finish(b) & 0x1fffff) * 0x1_0000_0000 + finish(a);
}

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
