import type { IndexKeeper } from './index-keeper.ts';
import type { MemoryScope } from './memory-scope.ts';

/**
 * The scopes of an engine, one object for each name. Where scopes leave memory, one that nobody uses is dropped with
 * everything it holds, so that an engine that has served a million users does not keep a million objects.
 */
export class OpenScopes {
  readonly #byName = new Map<string, WeakRef<MemoryScope>>();
  readonly #indexes = new WeakMap<MemoryScope, IndexKeeper>();
  /** Where scopes do not leave memory, they are kept. */
  readonly #kept: Set<MemoryScope> | null;
  readonly #collected: FinalizationRegistry<string>;
  readonly #dropped: (name: string) => void;

  /** @param dropped Called with the name of a scope that was dropped. */
  constructor({ areKept, dropped }: { readonly areKept: boolean; readonly dropped: (name: string) => void }) {
    this.#kept = areKept ? new Set() : null;
    this.#dropped = dropped;
    this.#collected = new FinalizationRegistry((name) => {
      if (this.#byName.get(name)?.deref() !== undefined) return; // used again since
      this.#byName.delete(name);
      dropped(name);
    });
  }

  get(name: string): MemoryScope | undefined {
    return this.#byName.get(name)?.deref();
  }

  add(scope: MemoryScope, index: IndexKeeper): void {
    this.#byName.set(scope.name, new WeakRef(scope));
    this.#indexes.set(scope, index);
    this.#kept?.add(scope);
    this.#collected.register(scope, scope.name);
  }

  /** The next use of its name makes a new object. */
  remove(scope: MemoryScope): void {
    if (this.get(scope.name) === scope) this.#byName.delete(scope.name);
    this.#kept?.delete(scope);
    this.#dropped(scope.name);
  }

  *all(): Iterable<MemoryScope> {
    for (const reference of this.#byName.values()) {
      const scope = reference.deref();
      if (scope !== undefined) yield scope;
    }
  }

  *indexes(): Iterable<IndexKeeper> {
    for (const scope of this.all()) yield this.#indexes.get(scope)!;
  }
}
