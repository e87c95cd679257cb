import { refuseUnfinishedForgetting } from '../../edit/forget/records.ts';
import {
  CancelledError,
  type CopyDifference,
  CopyDiffersError,
  CopyStoppedError,
  InvalidInputError,
  UnfinishedCopyError,
} from '../../errors/index.ts';
import type { Scope } from '../../model/ids.ts';
import { NODE_KINDS } from '../../model/nodes.ts';
import { RELATIONSHIP_KINDS } from '../../model/relationships.ts';
import { copyMark, unfinishedCopyOf } from '../../store/copy-mark.ts';
import { type GraphStore, type StoreDescription, sameFingerprint } from '../../store/graph-store.ts';
import { withoutPassword } from '../../util/database-url.ts';
import type { CompareEvent, CopyEvent, CopyProgress } from './copy-event.ts';
import { copyScope } from './copy-scope.ts';
import { compareScope, mayHaveEdges, type ScopeComparison } from './differences.ts';

export interface MemoryPair {
  /** Is only read. */
  readonly from: GraphStore;
  readonly to: GraphStore;
  readonly signal?: AbortSignal | undefined;
}

/** Rounds over scopes that the source's writers change meanwhile. */
const ROUNDS = 4;

/**
 * Copies a whole memory into an empty store of any kind, then reads both again and compares every row and relationship
 * (docs/backup.md, "Moving a memory to another store"). The work advances as events are consumed.
 *
 * A signal, an error or a kill may interrupt it at any point: the target keeps what was copied and stays marked as
 * unfinished, so that `Mnemis.open` refuses it. Another call with the same source compares what is there and goes on.
 *
 * @throws InvalidInputError, UnfinishedCopyError: nothing is changed. CancelledError, CopyStoppedError, DiskFullError,
 *   StoreWriteError: what was copied is kept. CopyDiffersError: see there.
 */
export async function* copyMemory(context: MemoryPair): AsyncGenerator<CopyEvent> {
  const { from, to } = context;
  await checkCopySource(from);
  await markTarget(from, to);
  const copying = new Copying(context);
  await copying.begin();
  for (let round = 0; round < ROUNDS; round++) {
    const behind = await copying.behind();
    if (behind.length === 0) {
      checkEmbedders(from.describe(), to.describe());
      await to.setNextFingerprint(from.describe().nextFingerprint);
      yield copying.result();
      return;
    }
    for (const scope of behind) yield* copying.copy(scope);
    for (const scope of behind) yield* copying.verify(scope);
    copying.checkEqual();
  }
  throw new CopyStoppedError(
    'the source was written to during each of several rounds',
    'Stop the programs that write to it, and run the same copy again to continue',
  );
}

/** Compares two memories row by row, without changing them. @throws CancelledError */
export async function* compareMemories({ from, to, signal }: MemoryPair): AsyncGenerator<CompareEvent> {
  const since = performance.now();
  const seconds = () => (performance.now() - since) / 1000;
  const found: ScopeComparison = { rows: 0, relationships: 0, differences: [] };
  const scopes = await scopesOf(from, to);
  const total = await countAll(from, scopes);
  let done = 0;
  for (const scope of scopes)
    for await (const compared of compareScope({ from, to, scope }, found)) {
      if (signal?.aborted) throw new CancelledError('nothing was changed', signal.reason);
      done += compared;
      yield {
        type: 'progress',
        step: 'verify',
        scope,
        done,
        total: Math.max(total, done),
        seconds: seconds(),
      };
    }
  const sameEmbedder = hasSameEmbedder(from.describe(), to.describe());
  const unfinished = unfinishedCopyOf(to.describe()) !== null;
  const equal = found.differences.length === 0 && sameEmbedder;
  yield {
    type: 'done',
    equal,
    unfinished,
    sameEmbedder,
    ...found,
    scopes: scopes.length,
    seconds: seconds(),
  };
}

/**
 * @throws UnfinishedCopyError for an unfinished copy, InvalidInputError while a forgetting is unfinished, because the
 *   copy would keep what it has yet to remove.
 */
export async function checkCopySource(from: GraphStore): Promise<void> {
  if (unfinishedCopyOf(from.describe()) !== null) throw new UnfinishedCopyError(nameOf(from));
  await refuseUnfinishedForgetting(from);
}

/** Marks an empty target as an unfinished copy of the source, or finds that mark. @throws InvalidInputError */
async function markTarget(from: GraphStore, to: GraphStore): Promise<void> {
  const [source, target] = [from.describe(), to.describe()];
  if (source.databaseId === target.databaseId)
    throw new InvalidInputError(
      'The source and the target are the same memory, or one is a copy of the other’s file; name an empty target',
    );
  const begun = unfinishedCopyOf(target);
  if (begun === source.databaseId) return checkEmbedders(source, target);
  if (begun !== null)
    throw new InvalidInputError(
      `${nameOf(to)} holds an unfinished copy of another memory, or of this one before it was compacted; name the same source as before, or delete the target`,
    );
  if (await hasRows(to))
    throw new InvalidInputError(
      `${nameOf(to)} already holds a memory, and a copy needs an empty target; name another one. To compare the two: mnemis copy FROM TO --verify-only`,
    );
  if (source.fingerprint !== null) await to.setFingerprint(source.fingerprint);
  await to.setNextFingerprint(copyMark(source.databaseId));
}

/** @throws CopyStoppedError if the source was moved to another embedder since the copy was begun. */
function checkEmbedders(source: StoreDescription, target: StoreDescription): void {
  if (hasSameEmbedder(source, target)) return;
  throw new CopyStoppedError(
    'the source was moved to another embedder since the copy was begun',
    'Delete the target, and copy to a new one',
  );
}

/** A source without an embedder has no vectors, and an empty target may have had one. */
function hasSameEmbedder(source: StoreDescription, target: StoreDescription): boolean {
  if (source.fingerprint === null) return true;
  return target.fingerprint !== null && sameFingerprint(source.fingerprint, target.fingerprint);
}

async function hasRows(store: GraphStore): Promise<boolean> {
  for (const scope of await store.scopes()) {
    const counts = await store.count(scope);
    if (NODE_KINDS.some((kind) => counts[kind] > 0)) return true;
  }
  return false;
}

/** A scope that only the copy has holds rows that the source has removed. */
async function scopesOf(from: GraphStore, to: GraphStore): Promise<Scope[]> {
  return [...new Set([...(await from.scopes()), ...(await to.scopes())])].sort();
}

/** Number of rows and relationships of some scopes. */
async function countAll(store: GraphStore, scopes: readonly Scope[]): Promise<number> {
  let total = 0;
  for (const scope of scopes) {
    const counts = await store.count(scope);
    for (const kind of NODE_KINDS) total += counts[kind];
    for (const kind of RELATIONSHIP_KINDS)
      if (mayHaveEdges(kind, counts))
        for await (const edges of store.relationships(scope, kind)) total += edges.length;
  }
  return total;
}

function nameOf(store: GraphStore): string {
  return withoutPassword(store.describe().path);
}

class Copying {
  readonly #context: MemoryPair;
  readonly #since = performance.now();
  readonly #counts = { copied: 0, updated: 0, removed: 0 };
  readonly #done = { copy: 0, verify: 0 };
  /** Of each scope that equals its copy, with the state of the source that was copied. */
  readonly #equal = new Map<Scope, { readonly state: string; readonly found: ScopeComparison }>();
  /** State of the source before its scope was read for the copy. */
  readonly #copiedAt = new Map<Scope, string>();
  readonly #differences: CopyDifference[] = [];
  #total = 0;

  constructor(context: MemoryPair) {
    this.#context = context;
  }

  async begin(): Promise<void> {
    const { from } = this.#context;
    this.#total = await countAll(from, await from.scopes());
  }

  /** Scopes that are not copied and verified, or that the source has changed since. */
  async behind(): Promise<Scope[]> {
    const { from, to } = this.#context;
    const scopes: Scope[] = [];
    for (const scope of await scopesOf(from, to))
      if (this.#equal.get(scope)?.state !== (await this.#stateOf(scope))) scopes.push(scope);
    return scopes;
  }

  /** Ends early if the source changes meanwhile, so that what is read no longer fits together: see `behind`. */
  async *copy(scope: Scope): AsyncGenerator<CopyProgress> {
    const state = await this.#stateOf(scope);
    this.#copiedAt.set(scope, state);
    try {
      for await (const seen of copyScope({ ...this.#context, scope }, this.#counts))
        yield this.#progress('copy', scope, seen);
    } catch (error) {
      if (CopyStoppedError.isInstance(error) && (await this.#stateOf(scope)) !== state) return;
      throw error;
    }
  }

  /** Compares a scope with its copy, unless the source has changed since it was copied. */
  async *verify(scope: Scope): AsyncGenerator<CopyProgress> {
    const state = this.#copiedAt.get(scope)!;
    if ((await this.#stateOf(scope)) !== state) return;
    const found: ScopeComparison = { rows: 0, relationships: 0, differences: [] };
    for await (const seen of compareScope({ ...this.#context, scope }, found))
      yield this.#progress('verify', scope, seen);
    if (found.differences.length === 0) this.#equal.set(scope, { state, found });
    else if ((await this.#stateOf(scope)) === state) this.#differences.push(...found.differences);
  }

  /** @throws CopyDiffersError */
  checkEqual(): void {
    if (this.#differences.length > 0) throw new CopyDiffersError(nameOf(this.#context.to), this.#differences);
  }

  result(): CopyEvent {
    const found = [...this.#equal.values()].map((each) => each.found);
    const sum = (of: 'rows' | 'relationships') => found.reduce((total, each) => total + each[of], 0);
    const [rows, relationships] = [sum('rows'), sum('relationships')];
    const scopes = found.filter((each) => each.rows > 0).length;
    return { type: 'done', scopes, rows, relationships, ...this.#counts, seconds: this.#seconds };
  }

  #progress(step: CopyProgress['step'], scope: Scope, seen: number): CopyProgress {
    const { signal } = this.#context;
    this.#done[step] += seen;
    const done = this.#done[step];
    const total = Math.max(this.#total, done);
    if (signal?.aborted) throw new CancelledError(describeKept(step, done, total), signal.reason);
    return { type: 'progress', step, scope, done, total, seconds: this.#seconds };
  }

  get #seconds(): number {
    return (performance.now() - this.#since) / 1000;
  }

  async #stateOf(scope: Scope): Promise<string> {
    const { sequence, token } = await this.#context.from.state(scope);
    return `${sequence} ${token}`;
  }
}

function describeKept(step: CopyProgress['step'], done: number, total: number): string {
  const kept =
    step === 'copy'
      ? `${done} of ${total} rows and relationships are copied and kept`
      : 'all rows and relationships are copied and kept, but not all were compared with the source';
  return `${kept}, and the copy is marked as unfinished; run the same copy again to continue`;
}
