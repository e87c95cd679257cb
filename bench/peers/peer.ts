import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedder } from '../../src/inference/embedder.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';

/** A turn to remember. */
export interface PeerTurn {
  /** Names the turn in results. */
  readonly id: string;
  /** As Mnemis takes it. */
  readonly turn: TurnInput;
  /** The same as one text, for libraries that take texts. */
  readonly text: string;
}

/** A library with an empty memory. */
export interface OpenPeer {
  /** When it resolves, the turns are searchable. */
  add(scope: string, turns: readonly PeerTurn[]): Promise<void>;
  /** What the library does once after many turns were added. */
  prepare?(): Promise<void>;
  /** Ids of the `k` best turns, best first. */
  search(scope: string, question: string, k: number): Promise<string[]>;
  close(): Promise<void>;
}

export interface PeerPlace {
  /** An empty folder. */
  readonly folder: string;
  readonly embedder: Embedder;
}

export interface Peer {
  /** Installed for it, the first one is the library. */
  readonly packages: readonly string[];
  readonly flags?: readonly string[];
  /** Everything that differs from the library's defaults, and how it searches. */
  readonly settings: string;
  /** What `prepare` does, if anything. */
  readonly prepares?: string;
  /** When turns are on disk. */
  readonly durable: 'after each add' | 'when closed' | 'never';
  open(place: PeerPlace): Promise<OpenPeer>;
}

/** The parts of LangChain's `Embeddings` that libraries call. */
export interface PlainEmbeddings {
  embedDocuments(texts: string[]): Promise<number[][]>;
  embedQuery(text: string): Promise<number[]>;
}

/** Without LangChain's base class, so that no library has to load another's packages. */
export function plainEmbeddings(embedder: Embedder): PlainEmbeddings {
  return {
    async embedDocuments(texts) {
      return (await embedder.embed(texts, { as: 'passage' })).map((vector) => Array.from(vector));
    },
    async embedQuery(text) {
      const [vector] = await embedder.embed([text], { as: 'query' });
      return Array.from(vector!);
    },
  };
}

/** A store for each scope, for libraries without scopes. */
export class ByScope<Store> {
  readonly #stores = new Map<string, Store>();
  readonly #create: (scope: string) => Store;

  constructor(create: (scope: string) => Store) {
    this.#create = create;
  }

  of(scope: string): Store {
    const known = this.#stores.get(scope) ?? this.#create(scope);
    this.#stores.set(scope, known);
    return known;
  }

  entries(): Iterable<[string, Store]> {
    return this.#stores;
  }
}

/** Bytes of the files below a folder. */
export async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(({ path, name }) => stat(join(path, name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
