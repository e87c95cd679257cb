import { InvalidInputError } from '../../errors/index.ts';
import type { Embedder } from '../../inference/embedder.ts';
import { UsageMeter } from '../../inference/language-model/tokens/usage-meter.ts';
import { changesOfTurns } from '../../ingest/admit/admit-turns.ts';
import { EchoFilter } from '../../ingest/admit/echo-filter.ts';
import type { ConsolidationContext, PlannedUnit } from '../../ingest/consolidation-context.ts';
import { graphSource } from '../../ingest/graph-source.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { IngestProfile } from '../../ingest/profile.ts';
import { resolveBatch } from '../../ingest/resolve/entity-resolution.ts';
import type { IngestStages } from '../../ingest/stages.ts';
import { LocalSuperseder } from '../../ingest/supersede/local-superseder.ts';
import { buildBatch, commitBatch } from '../../ingest/write/build-batch.ts';
import { type PendingRun, pendingRuns, planWhole } from '../../ingest/write/plan-batch.ts';
import { readBatch } from '../../ingest/write/read-batch.ts';
import { ingestFacts } from '../../ingest/write/write-facts.ts';
import type { FactInput } from '../../model/fact-input.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Milliseconds, Scope } from '../../model/ids.ts';
import type { Correction, Embedding, Episode, Tombstone } from '../../model/nodes.ts';
import { ScopeIndex } from '../../search/scope-index.ts';
import { InMemoryStore } from '../../store/in-memory/in-memory-store.ts';
import { replayCorrection } from '../correct/replay-correction.ts';
import type { ConsolidatedTurns } from './scope-history.ts';
import { DERIVED_FROM_TURNS, type ScopeRows } from './scope-rows.ts';

export interface ShadowOptions {
  readonly scope: Scope;
  readonly embedder: Embedder;
  readonly newId: () => string;
  readonly profile: IngestProfile;
  readonly stages: IngestStages;
  readonly signal?: AbortSignal | undefined;
}

/** Turns that were admitted once are not checked again. */
const ADMITS_ALL = { redactsSecrets: false, neverRemember: null };

/** A copy of a scope, made by replaying its events at their original times. */
export class Shadow {
  readonly store = new InMemoryStore({ sharesRows: true });
  readonly scope: Scope;
  readonly #options: ShadowOptions;
  #index: ScopeIndex;
  readonly #recalled: EchoFilter;
  #now: Milliseconds = 0;

  constructor(options: ShadowOptions) {
    this.scope = options.scope;
    this.#options = options;
    this.#index = ScopeIndex.unsearched(options.embedder.fingerprint.dimension);
    this.#recalled = new EchoFilter(this.store, options.scope);
  }

  get context(): IngestContext {
    const { scope, embedder, newId } = this.#options;
    const clock = () => this.#now;
    return { scope, store: this.store, index: this.#index, embedder, newId, clock, admission: ADMITS_ALL };
  }

  /** Sets the clock of the shadow. */
  setTime(at: Milliseconds): void {
    this.#now = at;
  }

  /** Loads the rows that existed before the first event. */
  async seed({ nodes, edges }: ScopeRows, vectors: readonly Embedding[]): Promise<void> {
    const rows = Object.fromEntries(
      (['episode', ...DERIVED_FROM_TURNS] as const).map((kind) => [kind, [...nodes[kind].values()]]),
    );
    await this.commit({ nodes: { ...rows, embedding: vectors }, relationships: Object.values(edges).flat() });
  }

  /** Loads the tombstones. */
  async addTombstones(tombstones: readonly Tombstone[]): Promise<void> {
    if (tombstones.length > 0) await this.commit({ nodes: { tombstone: tombstones } });
  }

  /** Adds the turns of one call, unread. */
  async arrive(episodes: readonly Episode[]): Promise<void> {
    const keys = episodes.map(({ key }) => key);
    const current = await this.store.episodesByKey(this.scope, keys);
    const newest = new Map(episodes.map((episode) => [episode.key, episode.version]));
    for (const { key, version } of episodes) newest.set(key, Math.max(version, newest.get(key)!));
    const fresh = episodes.map((episode): Episode => {
      const { key, version, expiredAt } = episode;
      const isOld = version < newest.get(key)!;
      return { ...episode, ...UNREAD, expiredAt: isOld ? (expiredAt ?? this.#now) : null };
    });
    await this.commit(
      await changesOfTurns(this.context, { episodes: fresh, superseded: [...current.values()] }),
    );
  }

  async give(facts: readonly FactInput[]): Promise<void> {
    const superseder = this.#options.stages.superseder && new LocalSuperseder();
    const { outcomes } = await ingestFacts({ ...this.context, superseder }, facts);
    const refused = outcomes.find(({ status }) => status === 'rejected');
    if (refused !== undefined) throw new InvalidInputError('A given fact cannot be given again');
    this.#recalled.forget();
  }

  /**
   * Reads the turns of one batch. If turns were removed, an earlier batch may have formed longer segments than before,
   * and a new version of a turn then reopened turns that this batch did not hold: they are read with it.
   */
  async consolidate(turns: ConsolidatedTurns): Promise<void> {
    const context = await this.#consolidation();
    const reopened = new Set(
      [...this.#index.enrichment.pending].filter((id) => (turns.readLast.get(id) ?? Infinity) < turns.at),
    );
    const among = new Set([...turns.segments.keys(), ...reopened]);
    const runs = pendingRuns(this.#index, { among, turns: Infinity });
    const ofBatch = runs.filter(({ episodes }) => episodes.some((id) => turns.segments.has(id)));
    const sessions = new Set(ofBatch.map(({ session }) => session));
    const units: PlannedUnit[] = [];
    for (const run of runs.filter(({ session }) => sessions.has(session))) {
      const isChanged = turns.changed.has(run.session) || run.episodes.some((id) => reopened.has(id));
      units.push(...(isChanged ? await planWhole(context, run) : await this.#asBefore(run, turns)));
    }
    if (units.length === 0) return;
    const { read, failed } = await readBatch(context, units);
    const resolved = await resolveBatch(context, read);
    const built = await buildBatch(context, { read, failed, resolved, fallback: resolved.fallback });
    await commitBatch(this.context, built);
    await this.#recalled.follow(built.changes);
  }

  async correct(correction: Correction): Promise<void> {
    const changes = await replayCorrection(this.context, correction);
    if (changes === null) return;
    await this.commit(changes);
    if (correction.kind === 'undo') await this.#rebuildIndex(); // an index cannot reopen expired rows
  }

  async commit(changes: GraphChanges): Promise<void> {
    await this.store.commit(this.scope, changes);
    this.#index.apply(changes);
    await this.#recalled.follow(changes);
  }

  async #asBefore(run: PendingRun, { segments }: ConsolidatedTurns): Promise<PlannedUnit[]> {
    const units: { session: string; trigger: 'end'; segment: string; episodes: Episode[] }[] = [];
    for (const episode of await this.store.get(this.scope, 'episode', run.episodes)) {
      const segment = segments.get(episode.id)!;
      const last = units.at(-1);
      if (last?.segment === segment) last.episodes.push(episode);
      else units.push({ session: run.session, trigger: 'end', segment, episodes: [episode] });
    }
    return units;
  }

  async #rebuildIndex(): Promise<void> {
    const { embedder } = this.#options;
    const source = graphSource(this.store, this.scope, { embedder, comparesVectors: true });
    this.#index = await ScopeIndex.load(embedder.fingerprint.dimension, source);
  }

  async #consolidation(): Promise<ConsolidationContext> {
    const { profile, stages, signal } = this.#options;
    const calls = { signal, meter: new UsageMeter() };
    const recalled = await this.#recalled.load();
    return {
      ...this.context,
      profile,
      stages,
      calls,
      recalled,
      health: { hasRead: true, hasReadInRun: true },
    };
  }
}

const UNREAD = { gate: 'unjudged', verified: false, status: 'stored' } as const;
