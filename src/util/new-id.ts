import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const BYTES_OF_ID = 16;
/** Random bytes for some hundred ids: to ask the system for each id takes longer than the rest of it. */
const pool = new Uint8Array(256 * BYTES_OF_ID);
let used = pool.length;
let millisecond = Number.NEGATIVE_INFINITY;
let sequence = 0;
/** The sequence within a millisecond begins below this, which leaves room for as many ids. */
const FIRST_SEQUENCES = 2 ** 31;

/** A new UUID of version 7; those of one process ascend (RFC 9562, §6.2, method 1). */
export function newId(): string {
  const random = nextBytes();
  const now = Date.now();
  if (now > millisecond) {
    millisecond = now;
    sequence = new DataView(random.buffer, random.byteOffset).getUint32(6) % FIRST_SEQUENCES;
  } else if (++sequence === 2 ** 32) {
    millisecond += 1;
    sequence = 0;
  }
  return v7({ random, msecs: millisecond, seq: sequence });
}

function nextBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES_OF_ID;
  return pool.subarray(used - BYTES_OF_ID, used);
}
