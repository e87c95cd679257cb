import { AFTER_ALL, normalWords, type RecalledTexts } from '../../ingest/admit/recalled-texts.ts';
import { holdsText } from '../../model/columns.ts';
import type { Scope } from '../../model/ids.ts';
import { NODE_KINDS, type NodeKind } from '../../model/nodes.ts';
import { columnsByName } from '../../model/rows.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { type CachedRow, CachedStore } from '../../store/cached-store.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import type { ScopeSearch } from '../../store/scope-search.ts';
import { Breather } from '../../util/breathe.ts';
import { stringsIn } from '../../util/collections.ts';
import { fileHolder } from './file-holder.ts';
import { indexHolder, sharedSnapshotHolder, snapshotHolder, wordsOf } from './index-holders.ts';
import { HeldTally, isForgetRecord, type RemovingHolder, type TextHolder } from './text-holder.ts';
import { TextPatterns } from './text-patterns.ts';

/** Columns with text, by kind of row. The event of a fact holds a time in the user's words. */
export const TEXT_COLUMNS: ReadonlyMap<NodeKind, readonly string[]> = new Map(
  NODE_KINDS.map((kind) => {
    const columns = Object.entries(columnsByName(kind));
    return [kind, columns.flatMap(([name, column]) => (holdsText(column) ? [name] : []))];
  }),
);

/** What a search of the rows of a kind reads: the columns with text, and what tells a record of a forgetting. */
export function columnsToSearch(kind: NodeKind): readonly string[] {
  const columns = TEXT_COLUMNS.get(kind) ?? [];
  return kind === 'correction' ? [...columns, 'kind'] : columns;
}

/** The graph in the store: every column that holds text, of one scope or of all, and the names of scopes. */
export function graphHolder(store: GraphStore, scope: Scope | null = null): TextHolder {
  return {
    name: 'graph',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      const breather = new Breather();
      for (const each of scope === null ? await store.scopes() : [scope]) {
        // The caller knows the name of the scope it asks about, and that name stays.
        if (scope === null) tally.addFoundIn(each, texts, 'scope');
        for (const kind of NODE_KINDS)
          for await (const rows of store.scan(each, kind, columnsToSearch(kind) as never))
            for (const row of rows) {
              signal?.throwIfAborted();
              await breather.breathe();
              searchRow(kind, row, { texts, tally });
            }
      }
      return tally.all();
    },
  };
}

/** Cached rows. */
export function rowCacheHolder(
  cache: { cachedRows(): Iterable<CachedRow> },
  only: Scope | null = null,
): TextHolder {
  return {
    name: 'row cache',
    async holds(texts) {
      const tally = new HeldTally();
      for (const { kind, scope, row } of cache.cachedRows()) {
        if (only !== null && scope !== only) continue;
        if (only === null) tally.addFoundIn(scope, texts, 'scope');
        searchRow(kind, row, { texts, tally });
      }
      return tally.all();
    },
  };
}

function searchRow(
  kind: NodeKind,
  row: object,
  { texts, tally }: { readonly texts: readonly string[]; readonly tally: HeldTally },
): void {
  if (isForgetRecord(kind, row)) return;
  const columns = new Set(TEXT_COLUMNS.get(kind));
  for (const [column, value] of Object.entries(row))
    if (columns.has(column))
      for (const string of stringsIn(value)) tally.addFoundIn(string, texts, `${kind}.${column}`);
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Cached words: a text is held if all its words are cached. */
export function wordCacheHolder(words: () => Iterable<string>): TextHolder {
  return {
    name: 'word cache',
    async holds(texts) {
      const known = new Set<string>();
      for (const word of words()) for (const part of word.match(WORD) ?? []) known.add(part);
      const tally = new HeldTally();
      for (const [text, wanted] of texts.entries()) {
        const parts = wanted.match(WORD) ?? [];
        if (parts.length > 0 && parts.every((part) => known.has(part))) tally.add(text, 'words');
      }
      return tally.all();
    },
  };
}

/** Hashes by which memory recognises its own texts; `asked` returns those of loaded scopes. */
export function recalledHolder(asked: () => Iterable<Promise<RecalledTexts>>): TextHolder {
  return {
    name: 'recalled texts',
    async holds(texts) {
      const tally = new HeldTally();
      for await (const recalled of asked())
        for (const [text, wanted] of texts.entries())
          for (const source of ['written', 'said'] as const)
            if (recalled.has(source, normalWords(wanted), AFTER_ALL)) tally.add(text, source);
      return tally.all();
    },
  };
}

/** The places in an open memory that may hold text. */
export interface HoldersContext {
  readonly store: GraphStore;
  readonly snapshotFolder: string | null;
  readonly indexes: () => Iterable<ScopeIndex>;
  /** Searches the scope in the store, where its index is slim. */
  readonly search?: ScopeSearch | null;
  readonly recalled: () => Iterable<Promise<RecalledTexts>>;
  readonly cachedWords: () => Iterable<string>;
  /** Default: no items. */
  readonly items?: () => Iterable<Promise<HeldItems>>;
  /** Searches only rows of this scope, since others may hold the same text. Default: all scopes. */
  readonly scope?: Scope;
  /** Holders outside the memory. Default: none. */
  readonly beside?: readonly TextHolder[];
}

/**
 * Every place of a memory that holds text. `disk`: its files, which keep removed rows until the memory is compacted.
 * `memory`: all other places, which must not keep forgotten text. `beside`: what the caller keeps elsewhere.
 */
export function memoryTextHolders(context: HoldersContext): {
  readonly memory: readonly TextHolder[];
  readonly disk: readonly TextHolder[];
  readonly beside: readonly TextHolder[];
} {
  const { store, snapshotFolder, indexes, recalled, cachedWords, scope = null, beside = [] } = context;
  const { items = () => [], search = null } = context;
  const memory = [
    graphHolder(store, scope),
    ...(store instanceof CachedStore ? [rowCacheHolder(store, scope)] : []),
    indexHolder(indexes),
    ...(search === null ? [] : [largeScopeHolder(search)]),
    wordCacheHolder(cachedWords),
    recalledHolder(recalled),
    itemHolder(items),
    ...sharedSnapshotHolders(store, scope),
  ];
  const files = store.files();
  if (files === null) return { memory, disk: [], beside };
  const folders = snapshotFolder === null ? [] : [snapshotFolder];
  const disk = [...folders.map(snapshotHolder), fileHolder(() => [...files.paths(), ...folders])];
  return { memory, disk, beside };
}

/** Index snapshots that a store keeps beside its rows, which other processes may have written. */
function sharedSnapshotHolders(store: GraphStore, scope: Scope | null): readonly TextHolder[] {
  const sharing = store.sharing();
  if (sharing === null) return [];
  const read = async (name: Scope) => (await sharing.snapshots.read(name))?.bytes ?? null;
  return [sharedSnapshotHolder(async () => (scope === null ? store.scopes() : [scope]), read)];
}

/** Items of one scope, with their namespaces and keys. */
interface HeldItems {
  all(): Iterable<{ readonly namespace: readonly string[]; readonly key: string; readonly value: unknown }>;
}

/** The items held in memory, with their namespaces and keys. */
export function itemHolder(trees: () => Iterable<Promise<HeldItems>>): TextHolder {
  return {
    name: 'items',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      const breather = new Breather();
      for await (const tree of trees())
        for (const { namespace, key, value } of tree.all()) {
          signal?.throwIfAborted();
          await breather.breathe();
          for (const string of [...namespace, key, ...stringsIn(value)])
            tally.addFoundIn(string, texts, 'current');
        }
      return tally.all();
    },
  };
}

/** The words of turns that a store holds to search a large scope; a holder of words. */
export function largeScopeHolder(search: ScopeSearch): TextHolder {
  return {
    name: 'search tables',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      for (const [text, words] of wordsOf(texts).entries()) {
        signal?.throwIfAborted();
        const turns = words.size === 0 ? 0 : await search.turnsWithAll([...words]);
        if (turns > 0) tally.add(text, 'words of turns', turns);
      }
      return tally.all();
    },
  };
}

/** Readings that can be dropped one by one. */
interface Readings {
  /** By a key. */
  entries(): Iterable<readonly [key: string, texts: Iterable<string>]>;
  drop(key: string): void;
}

/** What was read of turns and is kept in memory. A reading with a forgotten text is dropped: reading it again is cheap. */
export function readingsHolder(readings: Readings): RemovingHolder {
  return {
    name: 'kept readings',
    async holds(texts) {
      const tally = new HeldTally();
      for (const [, found] of readings.entries())
        for (const text of found) tally.addFoundIn(text, texts, 'current');
      return tally.all();
    },
    async remove(texts) {
      const patterns = new TextPatterns(texts);
      for (const [key, found] of [...readings.entries()])
        for (const text of found)
          if (patterns.foundIn(text).size > 0) {
            readings.drop(key);
            break;
          }
    },
  };
}
