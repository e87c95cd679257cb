import type { EntityId, FactId } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { TimeInterval } from '../../model/time-interval.ts';
import { statementKey } from '../../search/statement-key.ts';
import { capConfidence, highestTrust } from '../admit/trust.ts';
import { aboutEdges, evidencedBy, type FactEnds } from '../fact-edges.ts';
import type { DatedFact } from '../segment-reading.ts';
import type { ConsolidationContext } from './consolidation-context.ts';
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
 * the same entities at the same time) gets new evidence instead of a second row (Mnemis §2.1, de-duplication).
 *
 * @param reopening What of memory goes in the same commit.
 */
export async function mergeFacts(
  context: ConsolidationContext,
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
  { index, store, scope }: ConsolidationContext,
  resolved: readonly ResolvedFact[],
  leaving: ReadonlySet<string>,
): Promise<Map<string, FactId>> {
  const candidates = new Set(
    resolved.flatMap(({ read }) => index.factsStating(read.statement).filter((id) => !leaving.has(id))),
  );
  const known = new Map<string, FactId>();
  for (const fact of await store.get(scope, 'fact', [...candidates])) {
    // One that has ended and is said again is news.
    if (fact.invalidAt !== null) continue;
    const key = keyOf(fact, new Set(index.entitiesOf(fact.id)));
    if (!known.has(key)) known.set(key, fact.id);
  }
  return known;
}

function keyOf(
  { statement, event }: { readonly statement: string; readonly event: TimeInterval | null },
  entities: ReadonlySet<EntityId>,
): string {
  return JSON.stringify([
    statementKey(statement),
    event === null ? null : [event.start, event.end],
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
