import { ChangeFeed } from '../browse/feed/change-feed.ts';
import type { KeptHistory } from '../browse/feed/change-history.ts';
import { changeHistory } from '../browse/feed/change-history.ts';
import { ReviewCache } from '../browse/review-lists.ts';
import { waitingToRederive } from '../edit/forget/records.ts';
import type { ItemTree } from '../items/item-tree.ts';
import { ScopeItems } from '../items/scope-items.ts';
import type { GraphChanges } from '../model/graph-changes.ts';
import type { Scope } from '../model/ids.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { EngineContext } from './engine-context.ts';
import { hierarchySetup } from './hierarchy/hierarchy-setup.ts';
import { HierarchyUpdates } from './hierarchy/hierarchy-updates.ts';
import type { LoadedIndex } from './index-cache.ts';
import { Ingestion } from './ingestion/ingestion.ts';
import { ScopeQueue } from './scope-queue.ts';

/**
 * All that one scope has while its memory is open: what it holds (`HeldScope`), the order of its reads and writes
 * (`ScopeQueue`), and its background work. What is done with a scope is a function over its session.
 */
export class ScopeSession extends ScopeQueue {
  /** Values that agents store under namespaces and keys. */
  readonly items: ScopeItems;
  readonly hierarchy: HierarchyUpdates;
  readonly ingestion: Ingestion;
  readonly reviews = new ReviewCache();
  readonly feed: ChangeFeed;
  /** The history that pages of recent changes were read of last; without text. */
  #history: KeptHistory | null = null;

  constructor(scope: Scope, engine: EngineContext) {
    super(scope, engine);
    const { hierarchy = { ...hierarchySetup({}, engine.ingest), isAutomatic: false } } = engine;
    this.items = new ScopeItems(this);
    this.hierarchy = new HierarchyUpdates(this, hierarchy);
    this.ingestion = new Ingestion(this, this.hierarchy);
    this.feed = engine.feed ?? new ChangeFeed(engine.clock);
  }

  /** The current name of an entity; undefined if it no longer exists. */
  async nameOf(entity: string): Promise<string | undefined> {
    return (await this.load()).index.entities.profileOf(entity)?.name;
  }

  /** What changed in the scope so far, as the graph shows it. */
  history(): Promise<KeptHistory> {
    return this.inTurn(async () => {
      const state = await this.store.state(this.scope);
      if (this.#history?.state.token !== state.token)
        this.#history = { state, drafts: await changeHistory(this, Number.NEGATIVE_INFINITY) };
      return this.#history;
    });
  }

  /** Ends background work after its current step. */
  async stopWork(): Promise<void> {
    await this.ingestion.stop();
    await this.hierarchy.interrupt();
  }

  override end(): void {
    super.end();
    this.#history = null;
  }

  protected get isAtWork(): boolean {
    return this.ingestion.isAtWork || this.hierarchy.isAtWork;
  }

  override async whenDerived({ insists = false } = {}): Promise<void> {
    const { index } = await this.load();
    if (waitingToRederive(index.corrections.all).length === 0) return;
    await this.ingestion.rederive().catch((error: unknown) => {
      if (insists) throw error;
    });
  }

  protected opened({ index }: LoadedIndex): void {
    if (waitingToRederive(index.corrections.all).length > 0) this.ingestion.scheduleRederivation();
    if (this.engine.ingest.isAutomatic) this.ingestion.scheduleWaiting(index, this.clock());
  }

  protected followed({ nodes = {}, updates = [] }: GraphChanges): void {
    if (nodes.item !== undefined || updates.some(({ kind }) => kind === 'item')) this.items.letGo();
    this.ingestion.noteFollowed(nodes.episode ?? []);
  }

  protected releaseWork(): void {
    this.#history = null;
    this.hierarchy.dropText();
    this.ingestion.dropText();
  }

  override derivesSoon(): void {
    this.ingestion.scheduleRederivation();
  }

  protected dropTextOfWork(): void {
    this.ingestion.resetBuffers();
    this.hierarchy.dropText();
    this.items.letGo();
  }

  protected itemsHeldWith(index: ScopeIndex): Promise<ItemTree> | null {
    return this.items.heldWith(index);
  }
}
