import type { EntityId, FactId } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { Breather } from '../../util/breathe.ts';
import { capConfidence, highestTrust } from '../admit/trust.ts';
import { aboutEdges, evidencedBy, type FactEnds } from '../fact-edges.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { DatedFact } from '../segment-reading.ts';
import { KnownFacts } from './known-facts.ts';
import type { Reopening } from './reopen-segments.ts';
import type { ReadUnit } from './unit.ts';

/** A fact as it was read, its names resolved. */
export interface ResolvedFact extends FactEnds {
  readonly read: DatedFact;
  readonly unit: ReadUnit;
}

export interface MergedFacts {
  readonly facts: readonly Fact[];
  readonly relationships: readonly Relationship[];
  /** Facts of memory that new turns bear out as well. */
  readonly repeated: number;
}

/** What of memory goes or changes in the same commit. */
export interface MergeOptions extends Pick<Reopening, 'leaving' | 'unlinks'> {
  readonly changed?: ReadonlyMap<string, Partial<Fact>>;
}

/**
 * Facts as rows with their participants and evidence. What memory or this batch says already (the same words about
 * the same entities at the same time, with the same end) gets new evidence instead of a second row (Mnemis §2.1,
 * de-duplication). What had ended by then and is said again is news; what somebody edited or rejected is not.
 */
export async function mergeFacts(
  context: Pick<IngestContext, 'index' | 'store' | 'scope' | 'clock' | 'newId'>,
  resolved: readonly ResolvedFact[],
  { leaving, unlinks, changed = new Map() }: MergeOptions,
): Promise<MergedFacts> {
  const statements = resolved.map(({ read }) => read.statement);
  const known = await KnownFacts.read(context, statements, { leaving: leaving.facts, changed });
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
    const before = known.ruled(fact.read, entities) ?? known.find(fact.read, entities);
    const id = before ?? (context.newId() as FactId);
    if (before === undefined) {
      known.add(fact.read, entities, id);
      isNew.add(id);
      rows.push(rowOf(fact, id, context.clock()));
      for (const edge of aboutEdges(id, fact)) edges.set(edgeKey(edge), edge);
    } else if (!isNew.has(id)) repeated.add(id);
    const borneOut = isNew.has(id) ? new Set<string>() : await evidence.of(id);
    for (const turn of fact.read.turns) {
      const edge = evidencedBy(id, fact.unit.episodes[turn]!.id);
      if (!borneOut.has(edge.to) || unlinked.has(edgeKey(edge))) edges.set(edgeKey(edge), edge);
    }
  }
  return { facts: rows, relationships: [...edges.values()], repeated: repeated.size };
}

/** The turns that facts of memory rest on, expired facts among them: those are in no index. */
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
