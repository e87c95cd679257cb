import { createHash } from 'node:crypto';
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { inBatches } from '../../util/collections.ts';
import { CheckpointFileError, type SqliteFile } from './sqlite-file.ts';

/** Refers to a stored value; `UNDEFINED` to none, since many serializers cannot express undefined. */
export type Reference = number;
const UNDEFINED: Reference = 0;

/** A serialised value that is stored as one blob. */
export interface Leaf {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A serialised value, not yet stored: an array by its elements, anything else whole, null for undefined. */
export type Dumped = Leaf | readonly (Leaf | null)[] | null;

/** Type null: a node of a list (`nodeOf`). */
interface Blob {
  readonly type: string | null;
  readonly bytes: Uint8Array;
}

const HASH_BYTES = 16;
/** Parameters in one query. */
const BATCH = 1000;
const SHORTEST_NODE = 16;
const LONGEST_NODE = 128;

/** Serialises before it returns for the first time, so that later changes of the value have no effect. */
export async function dump(serde: SerializerProtocol, value: unknown): Promise<Dumped> {
  const isList = Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype;
  if (!isList) return leafOf(await dumpTyped(serde, value));
  const elements = await Promise.all(Array.from(value, (element) => dumpTyped(serde, element)));
  return elements.map(leafOf);
}

/** Functions and symbols are dropped, as JSON drops them. Not async: a promise more for each message is slow. */
function dumpTyped(serde: SerializerProtocol, value: unknown) {
  const isDropped = value === undefined || typeof value === 'function' || typeof value === 'symbol';
  return isDropped ? null : serde.dumpsTyped(value);
}

function leafOf(typed: readonly [string, Uint8Array] | null): Leaf | null {
  return typed === null ? null : { type: typed[0], bytes: typed[1] };
}

/**
 * The values of channels and writes, each stored once in a thread under the hash of its bytes.
 *
 * An array is a list: each element is a blob, and the references to the elements form a tree of nodes, which are blobs
 * too. The content decides where a node ends, so a list that grows, or loses its first elements, shares all nodes but
 * a few with its earlier version.
 */
export class CheckpointBlobs {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** Within a transaction. */
  store(thread: number, values: readonly Dumped[]): readonly Reference[] {
    const leaves = values.flatMap((value) => (isList(value) ? value : [value]));
    const references = this.#intern(thread, leaves);
    let at = 0;
    return values.map((value) => {
      if (!isList(value)) return references[at++]!;
      at += value.length;
      return this.#storeList(thread, references.slice(at - value.length, at));
    });
  }

  /** Reads now what the references need; the function returned decodes each, as a value or its promise. */
  read(references: readonly Reference[], load: (leaf: Leaf) => Promise<unknown>) {
    const blobs = new Map<Reference, Blob>();
    for (let wanted = references; wanted.length > 0; ) {
      const found = this.#fetch(wanted.filter((reference) => !blobs.has(reference)));
      for (const [reference, blob] of found) blobs.set(reference, blob);
      wanted = [...found.values()].flatMap((blob) => (blob.type === null ? childrenOf(blob.bytes) : []));
    }
    const decode = (reference: Reference): unknown => {
      if (reference === UNDEFINED) return undefined;
      const { type, bytes } = blobs.get(reference) ?? missing();
      return type === null ? Promise.all(elementsOf(bytes).map(decode)) : load({ type, bytes });
    };
    const elementsOf = (node: Uint8Array): readonly Reference[] => {
      const children = childrenOf(node);
      if (levelOf(node) === 0) return children;
      return children.flatMap((child) => elementsOf(blobs.get(child)?.bytes ?? missing()));
    };
    const missing = (): never => {
      throw new CheckpointFileError(this.#file.path, 'a value is missing');
    };
    return decode;
  }

  /** Deletes what only the candidates need, within a transaction. */
  collect(thread: number, candidates: readonly Reference[], needed: readonly Reference[]): void {
    const live = this.#reachable(needed);
    const dead = [...this.#reachable(candidates)].filter((reference) => !live.has(reference));
    for (const batch of inBatches(dead, BATCH))
      this.#file.run(`DELETE FROM checkpoint_blob WHERE thread = ? AND id IN (${marks(batch)})`, [
        thread,
        ...batch,
      ]);
  }

  /** Deletes everything that is not needed, within a transaction. */
  collectAll(thread: number, needed: readonly Reference[]): void {
    const all = this.#file.all('SELECT id FROM checkpoint_blob WHERE thread = ?', [thread]);
    this.collect(
      thread,
      all.map(({ id }) => Number(id)),
      needed,
    );
  }

  #reachable(references: readonly Reference[]): ReadonlySet<Reference> {
    const reached = new Set<Reference>(references);
    for (let wanted = [...reached]; wanted.length > 0; ) {
      const nodes = this.#fetch(wanted, 'AND type IS NULL');
      wanted = [];
      for (const { bytes } of nodes.values())
        for (const child of childrenOf(bytes)) {
          if (!reached.has(child) && levelOf(bytes) > 0) wanted.push(child);
          reached.add(child);
        }
    }
    return reached;
  }

  #fetch(references: readonly Reference[], condition = ''): ReadonlyMap<Reference, Blob> {
    const rows = inBatches(references, BATCH).flatMap((batch) =>
      this.#file.all(
        `SELECT id, type, value FROM checkpoint_blob WHERE id IN (${marks(batch)}) ${condition}`,
        batch,
      ),
    );
    return new Map(
      rows.map(({ id, type, value }) => [
        Number(id),
        { type: type === null ? null : String(type), bytes: value as Uint8Array },
      ]),
    );
  }

  #storeList(thread: number, elements: readonly Reference[]): Reference {
    for (let level = 0, references = elements; ; level++) {
      references = this.#intern(
        thread,
        chunksOf(references).map((chunk) => nodeOf(level, chunk)),
      );
      if (references.length === 1) return references[0]!;
    }
  }

  /** Stores what the thread does not have yet. */
  #intern(thread: number, blobs: readonly (Blob | null)[]): readonly Reference[] {
    const hashes = blobs.map((blob) => (blob === null ? null : hashOf(blob)));
    const known = this.#known(thread, [...new Set(hashes)]);
    return blobs.map((blob, at) => {
      if (blob === null) return UNDEFINED;
      const hash = hashes[at]!;
      const id = known.get(hash) ?? this.#insert(thread, hash, blob);
      known.set(hash, id);
      return id;
    });
  }

  #known(thread: number, hashes: readonly (string | null)[]): Map<string, Reference> {
    const keys = hashes.flatMap((hash) => (hash === null ? [] : [bytesOf(hash)]));
    const rows = inBatches(keys, BATCH).flatMap((batch) =>
      this.#file.all(`SELECT id, hash FROM checkpoint_blob WHERE thread = ? AND hash IN (${marks(batch)})`, [
        thread,
        ...batch,
      ]),
    );
    return new Map(
      rows.map(({ id, hash }) => [Buffer.from(hash as Uint8Array).toString('latin1'), Number(id)]),
    );
  }

  #insert(thread: number, hash: string, { type, bytes }: Blob): Reference {
    const [row] = this.#file.all(
      'INSERT INTO checkpoint_blob (thread, hash, type, value) VALUES (?, ?, ?, ?) RETURNING id',
      [thread, bytesOf(hash), type, bytes],
    );
    return Number(row?.id);
  }
}

function isList(value: Dumped): value is readonly (Leaf | null)[] {
  return Array.isArray(value);
}

/** One character per byte, as a key of maps. */
function hashOf({ type, bytes }: Blob): string {
  const hash = createHash('sha256')
    .update(`${type ?? ''}\0`)
    .update(bytes);
  return hash.digest().toString('latin1', 0, HASH_BYTES);
}

function bytesOf(hash: string): Uint8Array {
  return Buffer.from(hash, 'latin1');
}

/** A node ends after a reference that one in 64 is. An empty list has one empty chunk. */
function chunksOf(references: readonly Reference[]): readonly (readonly Reference[])[] {
  const chunks: Reference[][] = [[]];
  for (const reference of references) {
    const last = chunks.at(-1)!;
    if (last.length === LONGEST_NODE || (last.length >= SHORTEST_NODE && endsNode(last.at(-1)!)))
      chunks.push([reference]);
    else last.push(reference);
  }
  return chunks;
}

/** Fibonacci hashing: consecutive references are spread evenly. */
function endsNode(reference: Reference): boolean {
  return Math.imul(reference, 0x9e3779b1) >>> 26 === 0;
}

/** The level (0 above elements, 1 above nodes of level 0, …), then the references, 7 bits in each byte. */
function nodeOf(level: number, references: readonly Reference[]): Blob {
  const bytes = [level];
  for (const reference of references) {
    let rest = reference;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
    bytes.push(rest);
  }
  return { type: null, bytes: Uint8Array.from(bytes) };
}

function levelOf(node: Uint8Array): number {
  return node[0]!;
}

function childrenOf(node: Uint8Array): readonly Reference[] {
  const references: Reference[] = [];
  let reference = 0;
  let unit = 1;
  for (const byte of node.subarray(1)) {
    reference += (byte % 0x80) * unit;
    unit *= 0x80;
    if (byte >= 0x80) continue;
    references.push(reference);
    reference = 0;
    unit = 1;
  }
  return references;
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join();
}
