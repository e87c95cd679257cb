import { createHash } from 'node:crypto';
import type { KuzuRow } from './kuzu-connection.ts';
import type { RawColumn } from './raw-tables.ts';

const MASK = (1n << 128n) - 1n;

/** How many rows a table has and a sum of their hashes: equal for equal rows, in whatever order they come. */
export class TableDigest {
  #rows = 0;
  #sum = 0n;
  readonly #fields: readonly RawColumn[];

  constructor(fields: readonly RawColumn[]) {
    this.#fields = fields;
  }

  add(row: KuzuRow): void {
    const values = this.#fields.map(({ name }) => exact(row[name] ?? null));
    const hash = createHash('sha256').update(JSON.stringify(values)).digest();
    this.#rows += 1;
    this.#sum = (this.#sum + hash.readBigUInt64LE(0) + (hash.readBigUInt64LE(8) << 64n)) & MASK;
  }

  get rows(): number {
    return this.#rows;
  }

  toString(): string {
    return `${this.#rows} ${this.#sum.toString(16)}`;
  }
}

/** JSON writes -0 as 0. */
function exact(value: string | number | null): string | number | null {
  return Object.is(value, -0) ? '-0' : value;
}
