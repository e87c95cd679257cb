import type { IndexCache } from './index-cache.ts';
import type { MemoryScope } from './memory-scope.ts';
import type { ScopeSession } from './scope-session.ts';

/**
 * The scopes of an engine, one object for each name. Where scopes leave memory, one that nobody uses is dropped with
 * everything it holds, so that an engine that has served a million users does not keep a million objects.
 */
export class OpenScopes {
  readonly #byName = new Map<string, WeakRef<ScopeSession>>();
  /** A session that works keeps its object, so that no second session of its name begins. */
  readonly #faces = new WeakMap<ScopeSession, MemoryScope>();
  /** Where scopes do not leave memory, they are kept. */
  readonly #kept: Set<ScopeSession> | null;
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
    const session = this.session(name);
    return session && this.#faces.get(session);
  }

  session(name: string): ScopeSession | undefined {
    return this.#byName.get(name)?.deref();
  }

  add(session: ScopeSession, face: MemoryScope): void {
    this.#byName.set(session.scope, new WeakRef(session));
    this.#faces.set(session, face);
    this.#kept?.add(session);
    this.#collected.register(session, session.scope);
  }

  /** The next use of its name makes a new object. */
  remove(session: ScopeSession): void {
    if (this.session(session.scope) === session) this.#byName.delete(session.scope);
    this.#kept?.delete(session);
    this.#dropped(session.scope);
  }

  *all(): Iterable<ScopeSession> {
    for (const reference of this.#byName.values()) {
      const session = reference.deref();
      if (session !== undefined) yield session;
    }
  }

  *indexes(): Iterable<IndexCache> {
    for (const { index } of this.all()) yield index;
  }
}
