import type { EntityId, FactId, Milliseconds } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import { statementKey } from '../../search/fact-index.ts';
import { isSameEvent } from '../correct/anchors.ts';
import { CorrectionBook } from '../correct/correction-book.ts';
import type { IngestContext } from '../ingest-context.ts';

export type Said = Pick<Fact, 'statement' | 'event' | 'validAt' | 'invalidAt'>;

interface EndedFact {
  readonly id: FactId;
  readonly validAt: Milliseconds;
  readonly invalidAt: Milliseconds;
}

export interface KnownFactsOptions {
  /** Facts that go in the same commit. */
  readonly leaving: ReadonlySet<string>;
  /** What changes in facts of memory in the same commit, by id. */
  readonly changed: ReadonlyMap<string, Partial<Fact>>;
}

/** What memory and the batch so far say, to be found by the same words about the same entities. */
export class KnownFacts {
  readonly #byKey = new Map<string, FactId>();
  /** Those that a newer fact has ended, by the key of the same without an end; the earliest first. */
  readonly #ended = new Map<string, EndedFact[]>();
  readonly #book: CorrectionBook;
  readonly #entitiesOf: (fact: string) => readonly EntityId[];

  private constructor(book: CorrectionBook, entitiesOf: (fact: string) => readonly EntityId[]) {
    this.#book = book;
    this.#entitiesOf = entitiesOf;
  }

  static async read(
    { index, store, scope }: Pick<IngestContext, 'index' | 'store' | 'scope'>,
    statements: readonly string[],
    { leaving, changed }: KnownFactsOptions,
  ): Promise<KnownFacts> {
    const ids = new Set(
      statements.flatMap((each) => index.factsStating(each).filter((id) => !leaving.has(id))),
    );
    const rows = (await store.get(scope, 'fact', [...ids])).map((row) => ({
      ...row,
      ...changed.get(row.id),
    }));
    const ended = rows.flatMap(({ id, invalidAt }) => (invalidAt === null ? [] : [id]));
    const superseded = new Set<string>();
    if (ended.length > 0)
      for await (const batch of store.relationships(scope, 'SUPERSEDES', { to: ended }))
        for (const { to } of batch) superseded.add(to);
    const known = new KnownFacts(CorrectionBook.of(index.rulings), (fact) => index.entitiesOf(fact));
    for (const row of rows) {
      const entities = new Set(index.entitiesOf(row.id));
      if (superseded.has(row.id)) known.#addEnded(row, entities);
      else known.add(row, entities, row.id);
    }
    return known;
  }

  /** Of several the first. */
  add(said: Said, entities: ReadonlySet<EntityId>, id: FactId): void {
    const key = keyOf(said, entities);
    if (!this.#byKey.has(key)) this.#byKey.set(key, id);
  }

  /**
   * The fact that stands where somebody edited or rejected what is said: it is borne out, and nothing is written anew.
   * A rejected one has expired.
   */
  ruled({ statement, event }: Said, entities: ReadonlySet<EntityId>): FactId | undefined {
    const found = this.#book.ruledFacts(statement).find(({ said, fact, isRejected }) => {
      const canonical = () => said.about.map((id) => this.#book.canonical(id));
      const about = new Set(isRejected ? canonical() : this.#entitiesOf(fact));
      return isSameEvent(said.event, event) && isSameSet(about, entities);
    });
    return found?.fact;
  }

  /**
   * What is said without an end while a fact held that was ended later bears that one out; said afterwards, it is news.
   * A dated event is the same one whenever it is told.
   */
  find(said: Said, entities: ReadonlySet<EntityId>): FactId | undefined {
    const key = keyOf(said, entities);
    const isMeant = ({ validAt, invalidAt }: EndedFact, at: number) =>
      said.event !== null || (said.validAt < invalidAt && (at === 0 || validAt <= said.validAt));
    return this.#ended.get(key)?.find(isMeant)?.id ?? this.#byKey.get(key);
  }

  #addEnded({ id, validAt, invalidAt, ...said }: Fact, entities: ReadonlySet<EntityId>): void {
    const key = keyOf({ ...said, validAt, invalidAt: null }, entities);
    const all = [...(this.#ended.get(key) ?? []), { id, validAt, invalidAt: invalidAt! }];
    this.#ended.set(
      key,
      all.sort((a, b) => a.validAt - b.validAt),
    );
  }
}

function isSameSet<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each));
}

/**
 * A fact holds when it is said, so its end lies after its `validAt`: one of memory that had ended by then has another
 * end, and with it another key.
 */
function keyOf({ statement, event, invalidAt }: Said, entities: ReadonlySet<EntityId>): string {
  return JSON.stringify([
    statementKey(statement),
    event === null ? null : [event.start, event.end],
    invalidAt,
    [...entities].sort(),
  ]);
}
