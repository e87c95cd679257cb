import { CancelledError } from '../../errors/index.ts';
import { contentHash } from '../../ingest/admit/plan-episodes.ts';
import { nameDigest, turnDigest, wasForgotten, wasMoved } from '../../ingest/corrections/tombstones.ts';
import type { Scope } from '../../model/ids.ts';
import type { Episode, Tombstone } from '../../model/nodes.ts';
import { isEmptied } from '../../model/turn-input.ts';
import { CorrectionIndex } from '../../search/correction-index.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { collect } from '../../util/collections.ts';
import { openStoreAt } from '../open-store.ts';

/** The memory that a backup would replace, as it is now. */
export interface PresentMemory {
  scopes(): Promise<readonly string[]>;
  /** Those of the turns that a scope has, with their text. */
  held(scope: string, turns: readonly string[]): Promise<readonly string[]>;
  /** Of the turns and names that a scope has forgotten. */
  tombstones(scope: string): Promise<readonly Tombstone[]>;
  /** Those of turns that were moved that a scope has: another one, or the same one where they were moved back. */
  moved(turns: readonly MovedTurn[]): Promise<readonly MovedTurn[]>;
}

/** What a turn keeps when it is moved into another scope. */
export type MovedTurn = Pick<Episode, 'session' | 'index' | 'contentHash'>;

/** A scope of a backup beside the same scope of the memory. */
export interface StagedScope {
  readonly scope: string;
  /** Turns with a text, former versions included. */
  readonly turns: number;
  /** Those that the memory does not have because it forgot them: it has their tombstones. */
  readonly forgotten: readonly string[];
  /** How many others it does not have: it never had them, or no longer has their text. */
  readonly absent: number;
}

/** Compares the turns of a copied backup with those of the memory that it would replace. */
export async function compareDraft(
  draft: string,
  memory: PresentMemory,
  signal?: AbortSignal,
): Promise<StagedScope[]> {
  return inDraft(draft, async (store) => {
    const scopes: StagedScope[] = [];
    for (const scope of await store.scopes())
      scopes.push(
        (await compareScope({ store, scope, memory, tombstones: await memory.tombstones(scope), signal }))
          .staged,
      );
    return scopes;
  });
}

interface CarryOptions {
  readonly memory: PresentMemory;
  /** Whether what the memory forgot since the backup is forgotten again; else its tombstones are left out. */
  readonly forgetAgain: boolean;
}

/**
 * Gives a copied backup the tombstones of the memory that it replaces, so that what was forgotten after the backup
 * cannot be added again. `carry` may be called repeatedly: only scopes with new tombstones, or with moved turns, which
 * their new scope may forget, are compared and written.
 */
export class TombstoneCarrier {
  readonly #draft: string;
  readonly #options: CarryOptions;
  /** Ids of the tombstones that were carried over, by scope. */
  readonly #carried = new Map<string, string>();

  constructor(draft: string, options: CarryOptions) {
    this.#draft = draft;
    this.#options = options;
  }

  /** @returns the scopes of the backup whose comparison changed. */
  async carry(signal?: AbortSignal): Promise<StagedScope[]> {
    const { memory } = this.#options;
    const changed: { readonly scope: Scope; readonly tombstones: readonly Tombstone[] }[] = [];
    for (const scope of await memory.scopes()) {
      const tombstones = await memory.tombstones(scope);
      const isNew = idsOf(tombstones) !== this.#carried.get(scope);
      if (tombstones.length > 0 && (isNew || tombstones.some(({ kind }) => kind === 'moved')))
        changed.push({ scope: scope as Scope, tombstones });
    }
    if (changed.length === 0) return [];
    return inDraft(this.#draft, async (store) => {
      const found: StagedScope[] = [];
      const own = new Set<string>(await store.scopes());
      for (const { scope, tombstones } of changed) {
        const compared = own.has(scope)
          ? await compareScope({ store, scope, memory, tombstones, signal })
          : null;
        if (compared !== null) found.push(compared.staged);
        const kept = compared?.moved.flatMap((turn) => digestsOf(turn, tombstones)) ?? [];
        await this.#write(store, scope, { tombstones, kept });
        this.#carried.set(scope, idsOf(tombstones));
      }
      return found;
    });
  }

  async #write(store: GraphStore, scope: Scope, { tombstones, kept }: ToCarry): Promise<void> {
    const there = new Map((await collect(store.scan(scope, 'tombstone'))).map((row) => [row.digest, row]));
    const salts = new Set(Array.from(there.values(), ({ salt }) => salt));
    const restored = this.#options.forgetAgain ? new Set(kept) : await digestsIn(store, scope, tombstones);
    const rows: Tombstone[] = [];
    const removals: { readonly kind: 'tombstone'; readonly id: Tombstone['id'] }[] = [];
    for (const row of tombstones) {
      const known = there.get(row.digest);
      if (restored.has(row.digest) || (known !== undefined && known.createdAt >= row.createdAt)) continue;
      // Digests of another salt are of another memory; a scope has one salt.
      if (salts.size > 0 && !salts.has(row.salt)) continue;
      if (known !== undefined) removals.push({ kind: 'tombstone', id: known.id });
      rows.push(row);
    }
    if (rows.length > 0) await store.commit(scope, { nodes: { tombstone: rows }, removals });
  }
}

interface ToCarry {
  readonly tombstones: readonly Tombstone[];
  /** Digests of turns of the backup that are not forgotten again. */
  readonly kept: readonly string[];
}

const idsOf = (tombstones: readonly Tombstone[]): string =>
  tombstones
    .map(({ id }) => id)
    .sort()
    .join();

async function inDraft<T>(draft: string, job: (store: GraphStore) => Promise<T>): Promise<T> {
  const store = await openStoreAt(draft);
  try {
    return await job(store);
  } finally {
    await store.close();
  }
}

interface ScopeComparison {
  readonly store: GraphStore;
  readonly scope: Scope;
  readonly memory: PresentMemory;
  readonly tombstones: readonly Tombstone[];
  readonly signal: AbortSignal | undefined;
}

const TURN = [
  ...(['id', 'key', 'sourceId', 'content', 'speaker', 'attachments', 'metadata', 'createdAt'] as const),
  ...(['session', 'index'] as const),
] as const;

interface Compared {
  readonly staged: StagedScope;
  /** Turns that the memory moved into another scope, or back, and has there. */
  readonly moved: readonly (MovedTurn & Pick<Episode, 'key'>)[];
}

async function compareScope({
  store,
  scope,
  memory,
  tombstones,
  signal,
}: ScopeComparison): Promise<Compared> {
  const corrections = new CorrectionIndex();
  corrections.add([], tombstones);
  let [turns, absent] = [0, 0];
  const forgotten: string[] = [];
  const left: (Compared['moved'][number] & Pick<Episode, 'id'>)[] = [];
  for await (const rows of store.scan(scope, 'episode', TURN)) {
    if (signal?.aborted) throw new CancelledError('', signal.reason);
    const said = rows.filter((row) => !isEmptied(row));
    turns += said.length;
    const there = new Set(
      await memory.held(
        scope,
        said.map(({ id }) => id),
      ),
    );
    for (const turn of said) {
      if (there.has(turn.id)) continue;
      const { id, key, session, index } = turn;
      const known = { id, key, session, index, contentHash: contentHash(turn) };
      if (!wasForgotten({ ...turn, ...known }, corrections)) absent += 1;
      else if (wasMoved(known, corrections)) left.push(known);
      else forgotten.push(id);
    }
  }
  const moved = new Set(left.length === 0 ? [] : await memory.moved(left));
  const gone = left.filter((turn) => !moved.has(turn)).map(({ id }) => id);
  absent += moved.size;
  return {
    staged: { scope, turns, forgotten: [...forgotten, ...gone], absent },
    moved: left.filter((turn) => moved.has(turn)),
  };
}

const digestsOf = (turn: Pick<Episode, 'key' | 'contentHash'>, tombstones: readonly Tombstone[]): string[] =>
  Array.from(new Set(tombstones.map(({ salt }) => salt)), (salt) => turnDigest(turn, salt));

/** Digests of the turns and names of a scope, with the salts of the tombstones. */
async function digestsIn(
  store: GraphStore,
  scope: Scope,
  tombstones: readonly Tombstone[],
): Promise<ReadonlySet<string>> {
  const salts = [...new Set(tombstones.map(({ salt }) => salt))];
  const digests = new Set<string>();
  for await (const rows of store.scan(scope, 'episode', TURN))
    for (const turn of rows)
      for (const digest of digestsOf({ key: turn.key, contentHash: contentHash(turn) }, tombstones))
        digests.add(digest);
  for await (const rows of store.scan(scope, 'profile', ['name', 'aliases']))
    for (const { name, aliases } of rows)
      for (const each of [name, ...aliases]) for (const salt of salts) digests.add(nameDigest(each, salt));
  return digests;
}
