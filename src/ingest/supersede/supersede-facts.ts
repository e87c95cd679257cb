import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { RowUpdate } from '../../model/graph-changes.ts';
import type { EntityId, EpisodeId, FactId, Milliseconds } from '../../model/ids.ts';
import type { Episode, Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { Breather } from '../../util/breathe.ts';
import { append } from '../../util/collections.ts';
import { endBy, hasEnded } from '../../util/validity.ts';
import { LOW_TRUST_CONFIDENCE } from '../admit/defaults.ts';
import { EffectiveCorrections } from '../corrections/effective-corrections.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { LocalFallback } from '../local-fallback.ts';
import { LocalSuperseder } from './local-superseder.ts';
import { cuesOf } from './read-claims.ts';
import {
  beginAfter,
  compareTurns,
  type FactWithCandidates,
  type JudgedFact,
  type Superseder,
  type Supersession,
} from './superseder.ts';
import {
  BatchEdges,
  CandidateFinder,
  findEndsOf,
  findReopened,
  type NamesOf,
  type ReopenedFact,
  TurnOrder,
  viewKnown,
  viewNew,
  withTellings,
} from './view-facts.ts';

interface RestatedInput {
  readonly given: { readonly facts: readonly Fact[]; readonly relationships: readonly Relationship[] };
  readonly settled: Settled['ends'];
  readonly said: readonly Supersession[];
  readonly board: {
    readonly views: ReadonlyMap<string, JudgedFact>;
    readonly edges: BatchEdges;
    readonly turns: TurnOrder;
  };
}

interface RestatedFacts {
  readonly facts: readonly Fact[];
  readonly relationships: readonly Relationship[];
  /** The restated facts, with those that had ended them as candidates. */
  readonly asked: readonly FactWithCandidates[];
}

interface Restated {
  readonly old: FactId;
  readonly turns: readonly EpisodeId[];
  readonly fact: Fact;
}

/**
 * Creates new facts for statements that were repeated after they had ended. De-duplication merges the first and the
 * last of "I love coffee", "I hate coffee now", "I love coffee"; here the last becomes a fact of its own.
 */
async function splitRestated(context: IngestContext, input: RestatedInput): Promise<RestatedFacts> {
  const { given, said, board } = input;
  const restated = await findRestated(context, input);
  if (restated.length === 0) return { facts: [], relationships: given.relationships, asked: [] };
  const moved = new Map(
    restated.flatMap(({ old, turns, fact }) => turns.map((turn) => [`${old} ${turn}`, fact.id])),
  );
  const about = await aboutEdges(
    context,
    given.relationships,
    restated.map(({ old }) => old),
  );
  const relationships = given.relationships.map((edge) => {
    const to = edge.kind === 'EVIDENCED_BY' ? moved.get(`${edge.from} ${edge.to}`) : undefined;
    return to === undefined ? edge : { ...edge, from: to };
  });
  const copies = restated.flatMap(({ old, fact }) =>
    about.filter(({ from }) => from === old).map((edge) => ({ ...edge, from: fact.id })),
  );
  const asked = restated.map(({ old, turns, fact }) => ({
    fact: viewOf(fact, board.views.get(old)!, { turns: board.turns, cited: turns }),
    candidates: said.filter((each) => each.old === old).flatMap(({ by }) => board.views.get(by) ?? []),
  }));
  return { facts: restated.map(({ fact }) => fact), relationships: [...relationships, ...copies], asked };
}

/** Facts with a dated event are excluded: the same event cannot restart. */
async function findRestated(
  context: IngestContext,
  { given, settled, board }: RestatedInput,
): Promise<Restated[]> {
  const fresh = new Map(given.facts.map((fact) => [fact.id as string, fact]));
  const found: Restated[] = [];
  for (const { old, by, kind, at } of settled.values()) {
    if (kind === 'corrects') continue;
    const cited = board.turns.sorted(board.edges.turnsOf(old));
    const again = (fresh.has(old) ? cited.slice(1) : cited).filter(
      (turn) =>
        board.turns.validAt(turn) >= at &&
        compareTurns(board.turns.placeOf(turn), board.views.get(by)!.told) > 0,
    );
    if (again.length === 0) continue;
    const row = fresh.get(old) ?? (await context.store.get(context.scope, 'fact', [old]))[0];
    if (row === undefined || row.event !== null) continue;
    const validAt = board.turns.validAt(again[0]!);
    const id = context.newId() as FactId;
    found.push({
      old,
      turns: again,
      fact: { ...row, id, validAt, invalidAt: null, statedEnd: null, createdAt: context.clock() },
    });
  }
  return found;
}

async function aboutEdges(
  { store, scope }: IngestContext,
  relationships: readonly Relationship[],
  facts: readonly FactId[],
): Promise<readonly Relationship[]> {
  const fromBatch = relationships.filter(({ kind }) => kind === 'ABOUT');
  const known = new Set(fromBatch.map(({ from }) => from));
  const stored = facts.filter((id) => !known.has(id));
  const edges: Relationship[] = [...fromBatch];
  if (stored.length > 0)
    for await (const batch of store.relationships(scope, 'ABOUT', { from: stored })) edges.push(...batch);
  return edges;
}

function viewOf(
  { id, validAt }: Fact,
  old: JudgedFact,
  { turns, cited }: { turns: TurnOrder; cited: readonly EpisodeId[] },
): JudgedFact {
  const said = cited.map((turn) => turns.textOf(turn)).join('\n');
  const [told, ...retold] = cited.map((turn) => turns.placeOf(turn));
  return { ...old, id, validAt, invalidAt: null, told: told!, retold, said };
}

interface Settled {
  /** By the fact that ends. */
  readonly ends: ReadonlyMap<FactId, Supersession>;
  /** Beginnings of facts that replace others, where they are later than the start of their time. */
  readonly begins: ReadonlyMap<FactId, Milliseconds>;
}

/**
 * Decides the end of each old fact: the earliest of several ends; ends after its own end do not count. A fact with
 * a vague time begins after those that it replaces.
 */
function settle(said: readonly Supersession[], { views }: Pick<SupersessionBatch, 'views'>): Settled {
  const corrected = new Set(said.filter(({ kind }) => kind === 'corrects').map(({ old }) => old));
  const pairs = said
    // A corrected fact never held, so it ends nothing.
    .filter((each) => !corrected.has(each.by))
    .flatMap((each): Pair[] => {
      const [old, by] = [views.get(each.old), views.get(each.by)];
      return old === undefined || by === undefined || old === by || !mayEnd(by, old)
        ? []
        : [{ each, old, by }];
    })
    .sort((a, b) => compareTurns(a.by.told, b.by.told) || compareTurns(a.old.told, b.old.told));
  const begins = new Map<FactId, Milliseconds>();
  const begun = (fact: JudgedFact) => ({ ...fact, validAt: begins.get(fact.id) ?? fact.validAt });
  for (const { each, old, by } of pairs) {
    const at = each.kind === 'replaces' ? beginAfter(old, by) : by.validAt;
    if (at > begun(by).validAt) begins.set(by.id, at);
  }
  const settled = new Map<FactId, Settling>();
  for (const { each, old, by } of pairs) {
    const at = each.kind === 'corrects' ? old.validAt : endBy(begun(old), begun(by));
    if (each.kind === 'replaces' && hasEnded(old.invalidAt, at)) continue;
    const before = settled.get(old.id);
    const found = { each: { ...each, at }, by };
    if (before === undefined || isStronger(found, before)) settled.set(old.id, found);
  }
  return { ends: new Map(Array.from(settled, ([id, { each }]) => [id, each])), begins };
}

interface Settling {
  readonly each: Supersession;
  readonly by: JudgedFact;
}
interface Pair extends Settling {
  readonly old: JudgedFact;
}

/** Corrections first, then the earlier end; of two ends at one time, the one that was stated first. */
function isStronger(found: Settling, before: Settling): boolean {
  if (found.each.kind !== before.each.kind) return found.each.kind === 'corrects';
  return found.each.at === before.each.at
    ? compareTurns(found.by.told, before.by.told) < 0
    : found.each.at < before.each.at;
}

/** A low-trust fact does not end a trusted one. */
function mayEnd(by: JudgedFact, old: JudgedFact): boolean {
  return by.confidence > LOW_TRUST_CONFIDENCE || old.confidence <= LOW_TRUST_CONFIDENCE;
}

interface FactsToSupersede {
  /** New facts of a batch, and the batch's ABOUT and EVIDENCED_BY edges: see `mergeFacts`. */
  readonly facts: readonly Fact[];
  readonly relationships: readonly Relationship[];
  /** The turns of the batch. */
  readonly episodes: readonly Episode[];
  readonly namesOf: NamesOf;
  /** Stored facts that expire in the same commit. */
  readonly expiring: ReadonlySet<string>;
}

interface SupersedeOptions {
  /** Null: new facts supersede nothing. */
  readonly superseder: Superseder | null;
  readonly fallback: LocalFallback;
  readonly calls?: ModelCallOptions | undefined;
}

export interface SupersededFacts {
  /** The new facts, with `invalidAt` set if another fact of the batch or of memory ends them. */
  readonly facts: readonly Fact[];
  /** The given relationships, and the SUPERSEDES edges. */
  readonly relationships: readonly Relationship[];
  /** Updates of stored facts. */
  readonly updates: readonly RowUpdate[];
  readonly supersessions: readonly Supersession[];
}

/**
 * Ends facts that new ones make outdated, and records which fact did so (PersonalAI, "Graph Construction";
 * docs/papers.md §4.2). Nothing is deleted: a replaced fact ends where the newer one begins; a corrected fact ends at
 * its own beginning and expires. A fact that already has an end keeps it if it is earlier. Facts that expiring ones
 * had ended hold again, unless another fact, new or stored, ends them too.
 */
export async function supersedeFacts(
  context: IngestContext,
  given: FactsToSupersede,
  options: SupersedeOptions,
): Promise<SupersededFacts> {
  const reopened = await findReopened(context, given.expiring);
  const board = new SupersessionBatch(context, given, reopened);
  const asked = options.superseder === null ? [] : await board.candidates(options.superseder);
  const book = EffectiveCorrections.of(context.index.corrections);
  const mayEnd = ({ old }: Supersession) => !book.isPinned(old);
  const first = [...(await decide(asked, options)), ...(await board.endsOfReopened())].filter(mayEnd);
  const settled = settle(first, board).ends;
  const restated = await splitRestated(context, { given, settled, said: first, board });
  const again = restated.asked.length === 0 ? [] : (await decide(restated.asked, options)).filter(mayEnd);
  for (const { fact } of restated.asked) board.views.set(fact.id, fact);
  const all = [...first, ...again];
  const moved = await board.endsMovedBy(all, book);
  return written([...given.facts, ...restated.facts], restated.relationships, {
    settled: settle([...all, ...moved.stored, ...moved.others], board),
    reopened: board.reopened,
    known: moved.stored,
    now: context.clock(),
  });
}

async function decide(
  asked: readonly FactWithCandidates[],
  { superseder, fallback, calls }: SupersedeOptions,
): Promise<readonly Supersession[]> {
  const open = asked.filter(({ candidates }) => candidates.length > 0);
  if (open.length === 0 || superseder === null) return [];
  const local = new LocalSuperseder();
  return fallback.run(
    () => superseder.supersede(open, calls),
    () => local.supersede(open),
  );
}

interface MovedEnds {
  /** Those with a stored edge. */
  readonly stored: readonly Supersession[];
  readonly others: readonly Supersession[];
}

/** The facts of a batch and the stored facts that they are compared with. */
class SupersessionBatch {
  readonly views = new Map<string, JudgedFact>();
  readonly edges: BatchEdges;
  readonly turns: TurnOrder;
  readonly #context: IngestContext;
  readonly #given: FactsToSupersede;
  readonly #reopened: Map<string, ReopenedFact>;
  readonly #fresh: ReadonlySet<string>;

  constructor(context: IngestContext, given: FactsToSupersede, reopened: readonly ReopenedFact[]) {
    this.#context = context;
    this.#given = given;
    this.#reopened = new Map(reopened.map((each) => [each.id, each]));
    this.edges = new BatchEdges(given.relationships);
    this.turns = new TurnOrder(given.episodes);
    this.#fresh = new Set(given.facts.map(({ id }) => id));
    for (const fact of given.facts) this.views.set(fact.id, this.view(fact));
  }

  get reopened(): readonly ReopenedFact[] {
    return [...this.#reopened.values()];
  }

  view(fact: Fact): JudgedFact {
    return viewNew(fact, { edges: this.edges, turns: this.turns, namesOf: this.#given.namesOf });
  }

  /** Each pair of new facts occurs once, under the later one of the batch. */
  async candidates(superseder: Superseder): Promise<FactWithCandidates[]> {
    const { index } = this.#context;
    const finder = new CandidateFinder(index, this.#given.expiring);
    const fresh = this.#given.facts.map(({ id }) => this.views.get(id)!);
    const breather = new Breather();
    const concerned = new Set<JudgedFact>();
    for (const fact of fresh) {
      if (superseder.concerns(fact)) concerned.add(fact);
      await breather.breathe();
    }
    const found = new Map<JudgedFact, readonly FactId[]>();
    for (const fact of concerned) {
      found.set(fact, finder.find({ ...fact, cues: cuesOf(fact) }));
      await breather.breathe();
    }
    await this.#fetch([...new Set([...found.values()].flat())]);
    const batch = [...concerned];
    // By entity: the earlier facts that are open, and the others.
    const [open, closed] = [new Map<EntityId, number[]>(), new Map<EntityId, number[]>()];
    return batch.map((fact, at) => {
      const isOpen = superseder.isOpen?.(fact) ?? true;
      const earlier = new Set<number>();
      for (const entity of fact.names.keys()) {
        for (const each of open.get(entity) ?? []) earlier.add(each);
        if (isOpen) for (const each of closed.get(entity) ?? []) earlier.add(each);
        append(isOpen ? open : closed, entity, at);
      }
      const inBatch = Array.from(Uint32Array.from(earlier).sort(), (each) => batch[each]!);
      const known = (found.get(fact) ?? []).flatMap((id) => this.views.get(id) ?? []);
      return { fact, candidates: [...inBatch, ...known] };
    });
  }

  /**
   * Other ends of facts that expiring facts had ended so far: only the earliest of several ends was stored. Decided
   * by rules.
   */
  endsOfReopened(): Promise<readonly Supersession[]> {
    return this.#otherEnds(this.reopened);
  }

  /**
   * The ends that move because a new fact was replaced by a stored one, which so begins later: of what that one had
   * replaced, and its own.
   */
  async endsMovedBy(said: readonly Supersession[], book: EffectiveCorrections): Promise<MovedEnds> {
    const moved = said.flatMap(({ old, by, kind }) => {
      const [before, after] = [this.views.get(old), this.views.get(by)];
      if (kind !== 'replaces' || before === undefined || after === undefined || this.#fresh.has(by))
        return [];
      return beginAfter(before, after) > after.validAt ? [by] : [];
    });
    if (moved.length === 0) return { stored: [], others: [] };
    const found = await findEndsOf(this.#context, moved);
    const reopened = found.reopened.filter(({ id }) => !book.isPinned(id) && !this.#reopened.has(id));
    for (const each of reopened) this.#reopened.set(each.id, each);
    const ids = new Set<FactId>(reopened.map(({ id }) => id));
    const ends = found.ends.filter(({ old }) => ids.has(old));
    await this.#fetch([
      ...new Set([...ids, ...ends.map(({ by }) => by).filter((by) => !this.views.has(by))]),
    ]);
    const stored = ends.map(
      (each): Supersession => ({ ...each, kind: 'replaces', at: this.views.get(each.by)!.validAt }),
    );
    return { stored, others: await this.#otherEnds(reopened) };
  }

  async #otherEnds(reopened: readonly ReopenedFact[]): Promise<readonly Supersession[]> {
    const finder = new CandidateFinder(this.#context.index, this.#given.expiring);
    await this.#fetch(reopened.map(({ id }) => id));
    const asked: FactWithCandidates[] = [];
    for (const { id, supersededBy } of reopened) {
      const fact = this.views.get(id)!;
      const found = finder.find({ ...fact, cues: cuesOf(fact) }).filter((each) => !supersededBy.has(each));
      await this.#fetch(found.filter((each) => !this.views.has(each)));
      asked.push({
        fact,
        candidates: found.flatMap((each) => (each === id ? [] : (this.views.get(each) ?? []))),
      });
    }
    const said = await new LocalSuperseder().supersede(asked);
    return said.filter(({ old }) => this.#reopened.has(old));
  }

  async #fetch(ids: readonly FactId[]): Promise<void> {
    const { store, scope, index } = this.#context;
    for (const fact of await store.get(scope, 'fact', ids)) {
      const reopened = this.#reopened.get(fact.id);
      const row = reopened === undefined ? fact : { ...fact, invalidAt: reopened.invalidAt };
      const again = this.edges.turnsOf(fact.id).map((turn) => this.turns.placeOf(turn));
      const known = viewKnown(row, { index, namesOf: this.#given.namesOf });
      this.views.set(fact.id, withTellings(known, again));
    }
  }
}

interface Decided {
  readonly settled: Settled;
  readonly reopened: readonly ReopenedFact[];
  /** Edges that are stored. */
  readonly known: readonly Supersession[];
  readonly now: Milliseconds;
}

function written(
  facts: readonly Fact[],
  relationships: readonly Relationship[],
  { settled, reopened, known, now }: Decided,
): SupersededFacts {
  const supersessions = [...settled.ends.values()];
  const fresh = new Map<string, Fact>(facts.map((fact) => [fact.id, fact]));
  const sets = new Map<string, RowUpdate<'fact'>['set']>(
    reopened.map(({ id, invalidAt }) => [id, { invalidAt }]),
  );
  for (const each of supersessions) sets.set(each.old, closed(each, fresh.get(each.by)?.createdAt ?? now));
  for (const [id, validAt] of settled.begins) sets.set(id, { ...sets.get(id), validAt });
  const stored = new Set(known.map(({ old, by }) => `${by} ${old}`));
  return {
    facts: facts.map((fact) => ({ ...fact, ...sets.get(fact.id) })),
    relationships: [
      ...relationships,
      ...supersessions.filter(({ old, by }) => !stored.has(`${by} ${old}`)).map(supersedes),
    ],
    updates: [...sets].flatMap(([id, set]) => (fresh.has(id) ? [] : [{ kind: 'fact', id, set }])),
    supersessions,
  };
}

/** A corrected fact is believed until the newer fact is. */
function closed({ at, kind }: Supersession, since: Milliseconds): RowUpdate<'fact'>['set'] {
  return { invalidAt: at, ...(kind === 'corrects' ? { expiredAt: since } : {}) };
}

function supersedes({ by, old }: Supersession): Relationship {
  return { kind: 'SUPERSEDES', fromKind: 'fact', from: by, toKind: 'fact', to: old };
}
