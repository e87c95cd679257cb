import { dirname } from 'node:path';
import { CancelledError, NotEnoughRoomError } from '../../errors/index.ts';
import type { Embedder } from '../../inference/embedder.ts';
import { embedTexts, type OwnedText, scanEmbeddableTexts } from '../../ingest/write/embed-nodes.ts';
import type { EmbeddingId, Scope } from '../../model/ids.ts';
import type { EmbeddedField, Embedding, EmbeddingFingerprint } from '../../model/nodes.ts';
import { embeddingModel, type GraphStore, sameFingerprint } from '../../store/graph-store.ts';
import { Breather } from '../../util/breathe.ts';
import { bytesOf, freeBytesIn } from '../disk.ts';

interface DiskRoom {
  readonly fileBytes: number;
  readonly freeBytes: number;
}

/** Bytes per vector row in the file besides its numbers: ids, names, the key's index. */
const ROW_BYTES = 250;
/** Bytes per number, which has eight bits, in base64. */
const NUMBER_BYTES = 4 / 3;
/** A checkpoint rewrites the newest group of rows, so the file grows by a multiple of the added bytes. */
const GROWTH = 3;
/** Size that stays in the log; above it a checkpoint copies the file, for which the store needs twice its size. */
const LOG_BYTES = 64 * 2 ** 20;
const COPIES = 2;

export async function measureRoom(path: string): Promise<DiskRoom> {
  return { fileBytes: await bytesOf([path]), freeBytes: await freeBytesIn(dirname(path)) };
}

/** Free space needed for this many new vectors beside the old ones; 0 for none. */
export function roomNeeded(vectors: number, dimension: number, fileBytes: number): number {
  const growth = GROWTH * vectors * (dimension * NUMBER_BYTES + ROW_BYTES);
  const copies = growth < LOG_BYTES ? 0 : COPIES * (fileBytes + growth);
  return Math.ceil(growth + copies);
}

/** @throws NotEnoughRoomError */
export function checkRoom(vectors: number, dimension: number, { fileBytes, freeBytes }: DiskRoom): void {
  const neededBytes = roomNeeded(vectors, dimension, fileBytes);
  if (freeBytes < neededBytes)
    throw new NotEnoughRoomError('Moving the memory to another embedder', { neededBytes, freeBytes });
}

/** Texts per call of the embedder: efficient, and little work is lost on a failure. */
const MOST_TEXTS = 128;
const MOST_CHARACTERS = 100_000;

/**
 * Which texts of a scope have a vector of one embedder. Stores only ids, about fifty bytes each; `missing` reads the
 * other texts from the graph.
 */
class EmbeddedTexts {
  readonly #source: { readonly store: GraphStore; readonly scope: Scope; readonly model: string };
  readonly #owners = new Map<EmbeddedField, Set<string>>();
  #hasDoubles = false;

  private constructor(store: GraphStore, scope: Scope, model: string) {
    this.#source = { store, scope, model };
  }

  static async load(store: GraphStore, scope: Scope, model: string): Promise<EmbeddedTexts> {
    const texts = new EmbeddedTexts(store, scope, model);
    for await (const rows of store.embeddings(scope, model, ['owner', 'field']))
      for (const { owner, field } of rows) {
        const owners = texts.#ownersOf(field);
        // A turn has several passages.
        texts.#hasDoubles ||= field !== 'passage' && owners.has(owner);
        owners.add(owner);
      }
    return texts;
  }

  /**
   * The texts without a vector, in batches for the embedder. Call it once, and consume it to the end before
   * `redundant`.
   */
  async *missing(embedder: Pick<Embedder, 'maxTokens'>): AsyncGenerator<readonly OwnedText[]> {
    const { store, scope } = this.#source;
    let batch: OwnedText[] = [];
    let characters = 0;
    let embedded: Partial<OwnedText> = {};
    const isOf = ({ owner, field }: OwnedText, other: Partial<OwnedText> | undefined) =>
      field === 'passage' && field === other?.field && owner === other.owner;
    for await (const texts of scanEmbeddableTexts(store, scope, embedder))
      for (const text of texts) {
        // The owners that remain at the end have no text. The passages of a turn are embedded in one commit, or none is.
        if (isOf(text, embedded)) continue;
        if (this.#ownersOf(text.field).delete(text.owner)) {
          embedded = text;
          continue;
        }
        const isFull = batch.length >= MOST_TEXTS || (batch.length > 0 && characters > MOST_CHARACTERS);
        if (isFull && !isOf(text, batch.at(-1))) {
          yield batch;
          [batch, characters] = [[], 0];
        }
        batch.push(text);
        characters += text.text.length;
      }
    if (batch.length > 0) yield batch;
  }

  /**
   * Rows to remove: the text was embedded twice because it was added with its vector in the meantime, or its row was
   * removed in the meantime. Both are rare, so their ids are only searched here.
   */
  async redundant(): Promise<EmbeddingId[]> {
    if (!this.#hasDoubles && [...this.#owners.values()].every((owners) => owners.size === 0)) return [];
    const { store, scope, model } = this.#source;
    const seen = new Set<string>();
    const ids: EmbeddingId[] = [];
    for await (const rows of store.embeddings(scope, model, ['id', 'owner', 'field']))
      for (const { id, owner, field } of rows) {
        const key = `${field} ${owner}`;
        if ((field !== 'passage' && seen.has(key)) || this.#ownersOf(field).has(owner)) ids.push(id);
        seen.add(key);
      }
    return ids;
  }

  #ownersOf(field: EmbeddedField): Set<string> {
    const known = this.#owners.get(field);
    if (known !== undefined) return known;
    const owners = new Set<string>();
    this.#owners.set(field, owners);
    return owners;
  }
}

/** What a move needs. */
export interface MoveContext {
  readonly store: GraphStore;
  /** The embedder to move to. */
  readonly embedder: Embedder;
  readonly newId: () => string;
  readonly signal: AbortSignal | undefined;
  /** Null if no disk is used. */
  readonly room: () => Promise<DiskRoom | null>;
}

/** Limits how long a commit holds the thread and how much a crash loses. */
const ROWS_PER_COMMIT = 256;
const MILLISECONDS_PER_COMMIT = 1_000;
const ROWS_PER_REMOVAL = 8_192;

/** A move to another embedder: its steps and its progress. It may be interrupted after any step: see `reembed`. */
export class Move {
  readonly from: EmbeddingFingerprint;
  readonly to: EmbeddingFingerprint;
  readonly #context: MoveContext;
  /** By scope: the last commit whose texts, and all earlier ones, have their vectors. */
  readonly #completeAt = new Map<Scope, number>();
  readonly #model: string;
  /** Number of texts in all scopes at the start. */
  #total = 0;
  #done = 0;
  embedded = 0;
  removed = 0;

  constructor(context: MoveContext) {
    this.#context = context;
    this.to = context.embedder.fingerprint;
    this.from = context.store.describe().fingerprint ?? this.to;
    this.#model = embeddingModel(this.to);
  }

  get done(): number {
    return this.#done;
  }

  /** Grows with texts added during the move. */
  get total(): number {
    return Math.max(this.#total, this.#done);
  }

  /** Counts the texts and removes vectors of an abandoned move to a third embedder. @throws NotEnoughRoomError */
  async begin(): Promise<void> {
    const { store, embedder, room } = this.#context;
    for (const scope of await store.scopes())
      for await (const texts of scanEmbeddableTexts(store, scope, embedder)) this.#total += texts.length;
    this.#done = await this.countDone();
    this.#checkSignal();
    const disk = await room();
    if (disk !== null) checkRoom(Math.max(0, this.#total - this.#done), this.to.dimension, disk);
    const { nextFingerprint: next } = store.describe();
    const isRecorded = next !== null && sameFingerprint(next, this.to);
    if (!isRecorded && !sameFingerprint(this.from, this.to)) await store.setNextFingerprint(this.to);
    await this.#removeAllBut([embeddingModel(this.from), this.#model]);
  }

  /** Number of stored vectors of the new embedder, including those of texts added in the meantime. */
  async countDone(): Promise<number> {
    const { store } = this.#context;
    let count = 0;
    for (const scope of await store.scopes())
      count += (await store.countEmbeddings(scope)).get(this.#model) ?? 0;
    return count;
  }

  /** Scopes that were written since `catchUp` processed them. */
  async behind(): Promise<Scope[]> {
    const { store } = this.#context;
    const scopes: Scope[] = [];
    for (const scope of await store.scopes())
      if ((await store.state(scope)).sequence !== this.#completeAt.get(scope)) scopes.push(scope);
    return scopes;
  }

  /** Processes the texts of a scope once and embeds those without a vector. Yields after each commit. */
  async *catchUp(scope: Scope): AsyncGenerator<void> {
    const { store } = this.#context;
    const { sequence } = await store.state(scope);
    let commits = 0;
    const texts = await EmbeddedTexts.load(store, scope, this.#model);
    for await (const embedding of this.#embedAll(texts)) {
      await store.commit(scope, { nodes: { embedding } });
      commits++;
      this.#done += embedding.length;
      this.embedded += embedding.length;
      yield;
    }
    const removals = await this.#removeRedundant(scope, texts);
    commits += removals;
    // Some removed vectors were never counted, because they were added with their text.
    if (removals > 0) this.#done = await this.countDone();
    this.#completeAt.set(scope, sequence + commits);
  }

  /** Waits in the store's queue for a checkpoint that the last commits triggered, so that no writer has to. */
  async settle(): Promise<void> {
    await this.#context.store.setNextFingerprint(this.to);
  }

  /** The last step, after searches use the new vectors. */
  async clean(): Promise<void> {
    const { store } = this.#context;
    await this.#removeAllBut([this.#model]);
    if (store.describe().nextFingerprint !== null) await store.setNextFingerprint(null);
  }

  async *#embedAll(texts: EmbeddedTexts): AsyncGenerator<readonly Embedding[]> {
    const { signal } = this.#context;
    let rows: Embedding[] = [];
    let since = performance.now();
    const breather = new Breather();
    for await (const batch of texts.missing(this.#context.embedder)) {
      await breather.breathe();
      this.#checkSignal();
      rows.push(...(await embedTexts(this.#context, batch, signal)));
      if (rows.length < ROWS_PER_COMMIT && performance.now() - since < MILLISECONDS_PER_COMMIT) continue;
      yield rows;
      rows = [];
      since = performance.now();
    }
    if (rows.length > 0) yield rows;
  }

  async #removeRedundant(scope: Scope, texts: EmbeddedTexts): Promise<number> {
    const ids = await texts.redundant();
    let commits = 0;
    for (let start = 0; start < ids.length; start += ROWS_PER_REMOVAL) {
      const removals = ids
        .slice(start, start + ROWS_PER_REMOVAL)
        .map((id) => ({ kind: 'embedding' as const, id }));
      await this.#context.store.commit(scope, { removals });
      commits++;
    }
    return commits;
  }

  async #removeAllBut(kept: readonly string[]): Promise<void> {
    const { store } = this.#context;
    for (const scope of await store.scopes())
      for (const model of (await store.countEmbeddings(scope)).keys()) {
        if (kept.includes(model)) continue;
        let removed: number;
        do {
          this.#checkSignal();
          removed = await store.removeEmbeddings(scope, model, ROWS_PER_REMOVAL);
          this.removed += removed;
        } while (removed > 0);
      }
  }

  #checkSignal(): void {
    const { signal } = this.#context;
    if (signal?.aborted) throw new CancelledError('what was moved is kept', signal.reason);
  }
}
