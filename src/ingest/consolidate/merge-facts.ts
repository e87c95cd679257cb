import type { EntityId, FactId } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { statementKey } from '../../search/statement-key.ts';
import { capConfidence, highestTrust } from '../admit/trust.ts';
import { aboutEdges, evidencedBy, type FactEnds } from '../fact-edges.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { DatedFact } from '../segment-reading.ts';
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

/**
 * Facts as rows with their participants and evidence. What memory or this batch says already (the same words about
 * the same entities at the same time, with the same end) gets new evidence instead of a second row (Mnemis §2.1,
 * de-duplication). What had ended by then and is said again is news.
 *
 * @param reopening What of memory goes in the same commit.
 */
export async function mergeFacts(
  context: Pick<IngestContext, 'index' | 'store' | 'scope' | 'clock' | 'newId'>,
  resolved: readonly ResolvedFact[],
  reopening: Pick<Reopening, 'leaving' | 'unlinks'>,
): Promise<MergedFacts> {
  const known = await knownFacts(context, resolved, reopening.leaving.facts);
  const unlinked = new Set(reopening.unlinks.map(edgeKey));
  const rows: Fact[] = [];
  const edges = new Map<string, Relationship>();
  const repeated = new Set<FactId>();
  const isNew = new Set<FactId>();
  for (const fact of resolved) {
    const key = keyOf(fact.read, entitiesOf(fact));
    const before = known.get(key);
    const id = before ?? (context.newId() as FactId);
    if (before === undefined) {
      known.set(key, id);
      isNew.add(id);
      rows.push(rowOf(fact, id, context.clock()));
      for (const edge of aboutEdges(id, fact)) edges.set(edgeKey(edge), edge);
    } else if (!isNew.has(id)) repeated.add(id);
    const borneOut = new Set<string>(isNew.has(id) ? [] : context.index.evidenceOf(id));
    for (const turn of fact.read.turns) {
      const edge = evidencedBy(id, fact.unit.episodes[turn]!.id);
      if (!borneOut.has(edge.to) || unlinked.has(edgeKey(edge))) edges.set(edgeKey(edge), edge);
    }
  }
  return { facts: rows, relationships: [...edges.values()], repeated: repeated.size };
}

async function knownFacts(
  { index, store, scope }: Pick<IngestContext, 'index' | 'store' | 'scope'>,
  resolved: readonly ResolvedFact[],
  leaving: ReadonlySet<string>,
): Promise<Map<string, FactId>> {
  const candidates = new Set(
    resolved.flatMap(({ read }) => index.factsStating(read.statement).filter((id) => !leaving.has(id))),
  );
  const known = new Map<string, FactId>();
  for (const fact of await store.get(scope, 'fact', [...candidates])) {
    const key = keyOf(fact, new Set(index.entitiesOf(fact.id)));
    if (!known.has(key)) known.set(key, fact.id);
  }
  return known;
}

/**
 * A fact holds when it is said, so its end lies after its `validAt`: one of memory that had ended by then has another
 * end, and with it another key.
 */
function keyOf(
  { statement, event, invalidAt }: Pick<Fact, 'statement' | 'event' | 'invalidAt'>,
  entities: ReadonlySet<EntityId>,
): string {
  return JSON.stringify([
    statementKey(statement),
    event === null ? null : [event.start, event.end],
    invalidAt,
    [...entities].sort(),
  ]);
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
  };
}

function edgeKey({ kind, from, to, role }: Pick<Relationship, 'kind' | 'from' | 'to' | 'role'>): string {
  return `${kind} ${from} ${to} ${role ?? ''}`;
}
