import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { RowUpdate } from '../../model/graph-changes.ts';
import type { EntityId, FactId, Milliseconds } from '../../model/ids.ts';
import type { Episode, Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { Breather } from '../../util/breathe.ts';
import type { Setbacks } from '../consolidate/setbacks.ts';
import { CorrectionBook } from '../correct/correction-book.ts';
import type { IngestContext } from '../ingest-context.ts';
import { CandidateFinder } from './find-candidates.ts';
import { findReopened, type ReopenedFact } from './find-reopened.ts';
import { LocalSuperseder } from './local-superseder.ts';
import { cuesOf } from './read-claims.ts';
import { splitRestated } from './restated.ts';
import { settle } from './settle.ts';
import type { FactWithCandidates, JudgedFact, Superseder, Supersession } from './superseder.ts';
import { BatchEdges, type NamesOf, TurnOrder, viewKnown, viewNew } from './view-facts.ts';

export interface FactsToSupersede {
  /** New facts of a batch, and the ABOUT and EVIDENCED_BY edges of the batch: see `mergeFacts`. */
  readonly facts: readonly Fact[];
  readonly relationships: readonly Relationship[];
  /** The turns of the batch. */
  readonly episodes: readonly Episode[];
  readonly namesOf: NamesOf;
  /** Facts of memory that go in the same commit. */
  readonly leaving: ReadonlySet<string>;
}

export interface SupersedeOptions {
  /** Null: nothing new is made outdated. */
  readonly superseder: Superseder | null;
  readonly setbacks: Setbacks;
  readonly calls?: ModelCallOptions | undefined;
}

export interface SupersededFacts {
  /** The new facts, their validity closed where another of the batch or of memory ends it. */
  readonly facts: readonly Fact[];
  /** Those given, and the SUPERSEDES edges. */
  readonly relationships: readonly Relationship[];
  /** Of facts of memory. */
  readonly updates: readonly RowUpdate[];
  readonly supersessions: readonly Supersession[];
}

/**
 * Closes the validity of facts that new ones make outdated, and keeps which did so (PersonalAI, "Graph Construction";
 * PAPERS §4.2). Nothing is deleted: a fact that is replaced ends where the newer one begins; one that is corrected
 * ends at its own beginning and is no longer believed. A fact that came with an end keeps the earlier one. What leaving
 * facts had ended holds again, unless another fact, new or of memory, ends it too.
 */
export async function supersedeFacts(
  context: IngestContext,
  given: FactsToSupersede,
  options: SupersedeOptions,
): Promise<SupersededFacts> {
  const reopened = await findReopened(context, given.leaving);
  const board = new Board(context, given, reopened);
  const asked = options.superseder === null ? [] : await board.candidates(options.superseder);
  const book = CorrectionBook.of(context.index.rulings);
  const mayEnd = ({ old }: Supersession) => !book.isPinned(old);
  const first = [...(await decide(asked, options)), ...(await board.endsOfReopened())].filter(mayEnd);
  const settled = settle(first, board.views);
  const restated = await splitRestated(context, { given, settled, said: first, board });
  const again = restated.asked.length === 0 ? [] : (await decide(restated.asked, options)).filter(mayEnd);
  for (const { fact } of restated.asked) board.views.set(fact.id, fact);
  const all = settle([...first, ...again], board.views);
  return written([...given.facts, ...restated.facts], restated.relationships, {
    supersessions: [...all.values()],
    reopened,
    now: context.clock(),
  });
}

async function decide(
  asked: readonly FactWithCandidates[],
  { superseder, setbacks, calls }: SupersedeOptions,
): Promise<readonly Supersession[]> {
  const open = asked.filter(({ candidates }) => candidates.length > 0);
  if (open.length === 0 || superseder === null) return [];
  const local = new LocalSuperseder();
  return setbacks.orElse(
    () => superseder.supersede(open, calls),
    () => local.supersede(open),
  );
}

/** The facts of a batch and those of memory that they are set beside. */
export class Board {
  readonly views = new Map<string, JudgedFact>();
  readonly edges: BatchEdges;
  readonly turns: TurnOrder;
  readonly #context: IngestContext;
  readonly #given: FactsToSupersede;
  readonly #reopened: ReadonlyMap<string, ReopenedFact>;

  constructor(context: IngestContext, given: FactsToSupersede, reopened: readonly ReopenedFact[]) {
    this.#context = context;
    this.#given = given;
    this.#reopened = new Map(reopened.map((each) => [each.id, each]));
    this.edges = new BatchEdges(given.relationships);
    this.turns = new TurnOrder(given.episodes);
    for (const fact of given.facts) this.views.set(fact.id, this.view(fact));
  }

  view(fact: Fact): JudgedFact {
    return viewNew(fact, { edges: this.edges, turns: this.turns, namesOf: this.#given.namesOf });
  }

  /** Pairs of new facts come once, under the later one of the batch. */
  async candidates(superseder: Superseder): Promise<FactWithCandidates[]> {
    const { index } = this.#context;
    const finder = new CandidateFinder(index, this.#given.leaving);
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
    return fresh.flatMap((fact, at) => {
      const earlier = fresh.slice(0, at).filter((each) => concerned.has(each) && sharesEntity(each, fact));
      const known = (found.get(fact) ?? []).flatMap((id) => this.views.get(id) ?? []);
      return concerned.has(fact) ? [{ fact, candidates: [...earlier, ...known] }] : [];
    });
  }

  /**
   * What facts of memory make outdated that leaving ones had ended until now: of several ends only the earliest was
   * kept. By rules: it was judged before.
   */
  async endsOfReopened(): Promise<readonly Supersession[]> {
    const finder = new CandidateFinder(this.#context.index, this.#given.leaving);
    await this.#fetch([...this.#reopened.values()].map(({ id }) => id));
    const asked: FactWithCandidates[] = [];
    for (const { id, supersededBy } of this.#reopened.values()) {
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
      const { invalidAt } = this.#reopened.get(fact.id) ?? fact;
      const { namesOf } = this.#given;
      this.views.set(fact.id, viewKnown({ ...fact, invalidAt }, { index, namesOf }));
    }
  }
}

function sharesEntity(a: JudgedFact, b: JudgedFact): boolean {
  return Array.from(a.names.keys()).some((entity: EntityId) => b.names.has(entity));
}

function written(
  facts: readonly Fact[],
  relationships: readonly Relationship[],
  {
    supersessions,
    reopened,
    now,
  }: { supersessions: readonly Supersession[]; reopened: readonly ReopenedFact[]; now: Milliseconds },
): SupersededFacts {
  const byOld = new Map(supersessions.map((each) => [each.old as string, each]));
  const fresh = new Map<string, Fact>(facts.map((fact) => [fact.id, fact]));
  const closedBy = (each: Supersession) => closed(each, fresh.get(each.by)?.createdAt ?? now);
  return {
    facts: facts.map((fact) => {
      const each = byOld.get(fact.id);
      return each === undefined ? fact : { ...fact, ...closedBy(each) };
    }),
    relationships: [...relationships, ...supersessions.map(supersedes)],
    updates: [
      ...reopened
        .filter(({ id }) => !byOld.has(id))
        .map(({ id, invalidAt }): RowUpdate => ({ kind: 'fact', id, set: { invalidAt } })),
      ...supersessions
        .filter(({ old }) => !fresh.has(old))
        .map((each): RowUpdate => ({ kind: 'fact', id: each.old, set: closedBy(each) })),
    ],
    supersessions,
  };
}

/** What is corrected is believed until the moment from which the newer fact is. */
function closed({ at, kind }: Supersession, since: Milliseconds) {
  return { invalidAt: at, ...(kind === 'corrects' ? { expiredAt: since } : {}) };
}

function supersedes({ by, old }: Supersession): Relationship {
  return { kind: 'SUPERSEDES', fromKind: 'fact', from: by, toKind: 'fact', to: old };
}
