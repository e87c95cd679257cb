import type { Unlink } from '../../model/graph-changes.ts';
import type { EntityId, FactId, Milliseconds, SegmentId } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { statementKey } from '../../search/fact-index.ts';
import { Breather } from '../../util/breathe.ts';
import { NOTHING_STALE, type StaleRows } from '../admit/superseded-turns.ts';
import { capConfidence, highestTrust } from '../admit/trust.ts';
import type { ReadUnit } from '../consolidation-context.ts';
import { isSameEvent } from '../corrections/anchors.ts';
import { EffectiveCorrections } from '../corrections/effective-corrections.ts';
import type { DatedFact } from '../extract/segment-reader.ts';
import type { IngestContext } from '../ingest-context.ts';
import { aboutEdges, evidencedBy, type FactEnds } from './fact-edges.ts';

type Said = Pick<Fact, 'statement' | 'event' | 'validAt' | 'invalidAt'>;

interface EndedFact {
  readonly id: FactId;
  readonly validAt: Milliseconds;
  readonly invalidAt: Milliseconds;
}

interface KnownFactsOptions {
  /** Stored facts that expire in the same commit. */
  readonly expiring: ReadonlySet<string>;
  /** Changes of stored facts in the same commit, by id. */
  readonly changed: ReadonlyMap<string, Partial<Fact>>;
}

/** Stored facts and those of the batch so far, indexed by statement, event, end and entities. */
class KnownFacts {
  readonly #byKey = new Map<string, FactId>();
  /** Facts that a newer one has ended, by their key without an end; earliest first. */
  readonly #ended = new Map<string, EndedFact[]>();
  readonly #book: EffectiveCorrections;
  readonly #entitiesOf: (fact: string) => readonly EntityId[];

  private constructor(book: EffectiveCorrections, entitiesOf: (fact: string) => readonly EntityId[]) {
    this.#book = book;
    this.#entitiesOf = entitiesOf;
  }

  static async read(
    { index, store, scope }: Pick<IngestContext, 'index' | 'store' | 'scope'>,
    statements: readonly string[],
    { expiring, changed }: KnownFactsOptions,
  ): Promise<KnownFacts> {
    const ids = new Set(
      statements.flatMap((each) => index.factsStating(each).filter((id) => !expiring.has(id))),
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
    const known = new KnownFacts(EffectiveCorrections.of(index.corrections), (fact) =>
      index.entitiesOf(fact),
    );
    for (const row of rows) {
      const entities = new Set(index.entitiesOf(row.id));
      if (superseded.has(row.id)) known.#addEnded(row, entities);
      else known.add(row, entities, row.id);
    }
    return known;
  }

  /** The first of several facts with one key is kept. */
  add(said: Said, entities: ReadonlySet<EntityId>, id: FactId): void {
    const key = keyOf(said, entities);
    if (!this.#byKey.has(key)) this.#byKey.set(key, id);
  }

  /**
   * The fact of an edit or rejection of this statement, which gets the evidence instead of a new fact. A rejected one
   * has expired.
   */
  corrected({ statement, event }: Said, entities: ReadonlySet<EntityId>): FactId | undefined {
    const found = this.#book.correctedFacts(statement).find(({ said, fact, isRejected }) => {
      const canonical = () => said.about.map((id) => this.#book.canonical(id));
      const about = new Set(isRejected ? canonical() : this.#entitiesOf(fact));
      return isSameEvent(said.event, event) && isSameSet(about, entities);
    });
    return found?.fact;
  }

  /**
   * The stored fact that a statement repeats. A statement without an end that was made while an ended fact held is
   * evidence of that fact; one made later is new. A dated event is the same whenever it is stated.
   */
  find(said: Said, entities: ReadonlySet<EntityId>): FactId | undefined {
    const key = keyOf(said, entities);
    const isRepeated = ({ validAt, invalidAt }: EndedFact, at: number) =>
      said.event !== null || (said.validAt < invalidAt && (at === 0 || validAt <= said.validAt));
    return this.#ended.get(key)?.find(isRepeated)?.id ?? this.#byKey.get(key);
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
 * A fact holds when it is stated, so its end is after its `validAt`: a stored fact that had ended by then has another
 * end and so another key.
 */
function keyOf({ statement, event, invalidAt }: Said, entities: ReadonlySet<EntityId>): string {
  return JSON.stringify([
    statementKey(statement),
    event === null ? null : [event.start, event.end],
    invalidAt,
    [...entities].sort(),
  ]);
}

/** A fact with its names resolved to entities. */
export interface ResolvedFact extends FactEnds {
  readonly read: DatedFact;
  readonly unit: ReadUnit;
}

interface MergedFacts {
  readonly facts: readonly Fact[];
  readonly relationships: readonly Relationship[];
  /** Number of stored facts that got new evidence. */
  readonly repeated: number;
}

/** What expires or changes in memory in the same commit. */
interface MergeOptions extends Pick<Reopening, 'stale' | 'unlinks'> {
  readonly changed?: ReadonlyMap<string, Partial<Fact>>;
}

/**
 * Builds rows for facts, with their participants and evidence. A fact that memory or this batch has already (the same
 * words about the same entities at the same time, with the same end) gets new evidence instead of a second row
 * (Mnemis §2.1, de-duplication). A fact that is stated again after it had ended is new; one that the user edited or
 * rejected is not.
 */
export async function mergeFacts(
  context: Pick<IngestContext, 'index' | 'store' | 'scope' | 'clock' | 'newId'>,
  resolved: readonly ResolvedFact[],
  { stale, unlinks, changed = new Map() }: MergeOptions,
): Promise<MergedFacts> {
  const statements = resolved.map(({ read }) => read.statement);
  const known = await KnownFacts.read(context, statements, { expiring: stale.facts, changed });
  const unlinked = new Set(unlinks.map(edgeKey));
  const rows: Fact[] = [];
  const edges = new Map<string, Relationship>();
  const repeated = new Set<FactId>();
  const isNew = new Set<FactId>();
  const evidence = new EvidenceReader(context);
  const breather = new Breather();
  for (const fact of resolved) {
    if (breather.isDue) await breather.breathe();
    const entities = entitiesOf(fact);
    const before = known.corrected(fact.read, entities) ?? known.find(fact.read, entities);
    const id = before ?? (context.newId() as FactId);
    if (before === undefined) {
      known.add(fact.read, entities, id);
      isNew.add(id);
      rows.push(rowOf(fact, id, context.clock()));
      for (const edge of aboutEdges(id, fact)) edges.set(edgeKey(edge), edge);
    } else if (!isNew.has(id)) repeated.add(id);
    const evidenced = isNew.has(id) ? new Set<string>() : await evidence.of(id);
    for (const turn of fact.read.turns) {
      const edge = evidencedBy(id, fact.unit.episodes[turn]!.id);
      if (!evidenced.has(edge.to) || unlinked.has(edgeKey(edge))) edges.set(edgeKey(edge), edge);
    }
  }
  return { facts: rows, relationships: [...edges.values()], repeated: repeated.size };
}

/** Reads the turns that support stored facts, including expired facts, which are in no index. */
class EvidenceReader {
  readonly #context: Pick<IngestContext, 'index' | 'store' | 'scope'>;
  readonly #expired = new Map<string, ReadonlySet<string>>();

  constructor(context: Pick<IngestContext, 'index' | 'store' | 'scope'>) {
    this.#context = context;
  }

  async of(fact: FactId): Promise<ReadonlySet<string>> {
    const { index, store, scope } = this.#context;
    const ordinal = index.facts.ids.ordinalOf(fact);
    if (ordinal !== undefined && index.facts.lexical.has(ordinal)) return new Set(index.evidenceOf(fact));
    const known = this.#expired.get(fact);
    if (known !== undefined) return known;
    const turns = new Set<string>();
    for await (const edges of store.relationships(scope, 'EVIDENCED_BY', { from: [fact] }))
      for (const { to } of edges) turns.add(to);
    this.#expired.set(fact, turns);
    return turns;
  }
}

function entitiesOf({ subject, object, participants }: ResolvedFact): Set<EntityId> {
  return new Set([subject, object, ...participants].filter((id) => id !== undefined));
}

function rowOf({ read, unit, subject, object }: ResolvedFact, id: FactId, now: number): Fact {
  const isRelation = read.kind === 'relation' && subject !== undefined && object !== undefined;
  const trust = highestTrust(read.turns.map((turn) => unit.episodes[turn]!.trust));
  return {
    id,
    kind: isRelation ? 'relation' : 'proposition',
    statement: read.statement,
    relation: isRelation ? read.relation : '',
    validAt: read.validAt,
    invalidAt: read.invalidAt,
    createdAt: now,
    expiredAt: null,
    confidence: capConfidence(read.confidence, trust),
    event: read.event,
    origin: 'read',
    statedEnd: read.invalidAt,
  };
}

function edgeKey({ kind, from, to, role }: Pick<Relationship, 'kind' | 'from' | 'to' | 'role'>): string {
  return `${kind} ${from} ${to} ${role ?? ''}`;
}

export interface Reopening {
  /** Segments that the new ones replace. */
  readonly segments: readonly SegmentId[];
  /** Rows that depend on their turns. The turns themselves stay. */
  readonly stale: StaleRows;
  readonly unlinks: readonly Unlink[];
}

/**
 * Finds what expires before turns are consolidated again. A corrected turn makes the other turns of its segment
 * pending, because facts that were read from them together may change. Facts with other evidence stay, and so do
 * facts that a caller gave, because they cannot be read again.
 */
export async function reopenSegments(
  { index, store, scope }: Pick<IngestContext, 'index' | 'store' | 'scope'>,
  episodes: readonly string[],
): Promise<Reopening> {
  const segments = [...new Set(episodes.flatMap((id) => index.segmentOf(id) ?? []))];
  if (segments.length === 0) return { segments, stale: NOTHING_STALE, unlinks: [] };
  const { turnsWithoutText } = index.corrections;
  const turns = new Set<string>(
    segments.flatMap((segment) => index.turnsOf(segment)).filter((turn) => !turnsWithoutText.has(turn)),
  );
  const kept = await keptFacts(
    { index, store, scope },
    [...turns].flatMap((turn) => index.factsEvidencedBy(turn)),
  );
  const [facts, entities, unlinks] = [new Set<string>(), new Set<EntityId>(), [] as Unlink[]];
  for (const turn of turns) {
    for (const entity of index.entitiesMentionedIn(turn)) {
      entities.add(entity);
      unlinks.push({ kind: 'MENTIONS', fromKind: 'episode', from: turn, toKind: 'entity', to: entity });
    }
    for (const fact of index.factsEvidencedBy(turn)) {
      if (kept.has(fact)) continue;
      for (const entity of index.entitiesOf(fact)) entities.add(entity);
      if (index.evidenceOf(fact).every((other) => turns.has(other))) facts.add(fact);
      else unlinks.push({ kind: 'EVIDENCED_BY', fromKind: 'fact', from: fact, toKind: 'episode', to: turn });
    }
  }
  return { segments, stale: { episodes: turns, facts, entities }, unlinks };
}

async function keptFacts(
  { index, store, scope }: Pick<IngestContext, 'index' | 'store' | 'scope'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = ids.length === 0 ? [] : await store.get(scope, 'fact', [...new Set(ids)]);
  const book = EffectiveCorrections.of(index.corrections);
  return new Set(
    rows.filter(({ id, origin }) => origin === 'given' || book.isPinned(id)).map(({ id }) => id),
  );
}
