import type { GraphChanges, RowUpdate } from '../../model/graph-changes.ts';
import type { EntityId, FailureId, SegmentId } from '../../model/ids.ts';
import type { Episode, Failure, Segment } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { breathe } from '../../util/breathe.ts';
import { clockTime } from '../../util/speaker-clock.ts';
import { REDACTED } from '../admit/redact-secrets.ts';
import {
  type ConsolidationContext,
  type FailedUnit,
  type PlannedUnit,
  type ReadUnit,
  turnToRead,
} from '../consolidation-context.ts';
import type { EntityNote } from '../describe/describe-entities-prompt.ts';
import { refreshProfiles } from '../describe/refresh-profiles.ts';
import { describeEntities, type NewDescriptions, writeProfiles } from '../describe/write-profiles.ts';
import { fixedClock, type IngestContext } from '../ingest-context.ts';
import type { LocalFallback } from '../local-fallback.ts';
import type { EntityOf, ResolvedSegments, SegmentedUnit } from '../resolve/entity-resolution.ts';
import { relateUnits } from '../segment/relate/relate-units.ts';
import { type SupersededFacts, supersedeFacts } from '../supersede/supersede-facts.ts';
import { findReopened, namesOfEntities } from '../supersede/view-facts.ts';
import { embedNodes } from './embed-nodes.ts';
import { endsOf, possiblySame } from './fact-edges.ts';
import { mergeFacts, type Reopening, type ResolvedFact, reopenSegments } from './merge-facts.ts';

interface BatchToBuild {
  readonly read: readonly ReadUnit[];
  readonly failed: readonly FailedUnit[];
  readonly resolved: ResolvedSegments;
  readonly fallback: LocalFallback;
}

/** The changes of a batch and their counts; the vectors of its rows are computed at the commit. */
export interface BuiltBatch {
  readonly changes: GraphChanges;
  readonly segments: number;
  readonly entities: number;
  readonly facts: number;
  /** Number of stored facts that got new evidence. */
  readonly repeated: number;
  /** Number of facts, stored or new, that newer ones ended or corrected. */
  readonly outdated: number;
}

/**
 * Builds everything that consolidating a batch of units writes, as one transaction (GAM §3.3). All rows have one
 * time, which identifies the units of a batch if forgetting makes them be rebuilt.
 */
export async function buildBatch(given: ConsolidationContext, batch: BatchToBuild): Promise<BuiltBatch> {
  const { read, failed, resolved, fallback } = batch;
  const { entityOf } = resolved;
  const context = { ...given, clock: fixedClock(given) };
  const now = context.clock();
  // A turn without text cannot be read again and keeps its old segment, so `reopenSegments` skips it.
  const turns = read.flatMap(({ episodes }) => episodes.map(({ id }) => id));
  const reopening = await reopenSegments(context, turns);
  const units = read.map((unit): SegmentedUnit => ({ unit, segment: segmentOf(unit, context) }));
  const { facts, repeated } = await factsToWrite(context, batch, reopening);
  await breathe();
  const mentions = mentionsOf(read, entityOf);
  const described = describeEntities(units, { entityOf, now, newId: context.newId });
  await breathe();
  const descriptions = descriptionsOf(read, entityOf);
  const profiles = await refreshProfiles(context, {
    entities: resolved.entities,
    described: new Set(context.profile.describes ? descriptions.keys() : []),
    facts: facts.facts,
    relationships: [...facts.relationships, ...mentions],
    now,
    grownBy: 'MENTIONS',
    stale: reopening.stale,
    updates: facts.updates,
  });
  const written = await writeProfiles(context, profiles.created, {
    descriptions,
    outdated: profiles.outdated,
    fallback,
  });
  const related = await relateUnits(context, units, {
    entityOf,
    replaced: new Set(reopening.segments),
    fallback,
  });
  await breathe();
  const failures = failuresOf(failed, { now, newId: context.newId });
  const fresh = resolved.entities.filter(({ isNew }) => isNew);
  return {
    changes: {
      unlinks: reopening.unlinks,
      nodes: {
        segment: units.map(({ segment }) => segment),
        entity: fresh.map(({ id }) => ({ id, createdAt: now })),
        fact: facts.facts,
        profile: written,
        description: described.rows,
        failure: failures.rows,
      },
      relationships: [
        ...units.flatMap(({ unit, segment }) => unit.episodes.map(({ id }) => inSegment(id, segment.id))),
        ...mentions,
        ...facts.relationships,
        ...described.relationships,
        ...related,
        ...resolved.possiblySame.map(possiblySame),
        ...failures.relationships,
      ],
      updates: [
        ...read.flatMap(judged),
        ...failed.flatMap(({ episodes }) => episodes.map(({ id }) => setStatus(id, 'set-aside'))),
        ...profiles.expired,
        ...expired(reopening, now),
        ...facts.updates,
      ],
    },
    segments: units.length,
    entities: fresh.length,
    facts: facts.facts.length,
    repeated,
    outdated: facts.supersessions.length,
  };
}

/** The new facts of a batch, new evidence of stored ones, and the facts that the new ones make outdated. */
async function factsToWrite(
  context: ConsolidationContext,
  { read, resolved, fallback }: BatchToBuild,
  { stale, unlinks }: Reopening,
): Promise<{ facts: SupersededFacts; repeated: number }> {
  const { stages, calls, index } = context;
  const reopened = await findReopened(context, stale.facts);
  const merged = await mergeFacts(context, factsOf(read, resolved.entityOf), {
    stale,
    unlinks,
    changed: new Map(reopened.map(({ id, invalidAt }) => [id, { invalidAt }])),
  });
  const given = {
    facts: merged.facts,
    relationships: merged.relationships,
    episodes: read.flatMap(({ episodes }) => episodes),
    namesOf: namesOfEntities(index, resolved.entities),
    expiring: stale.facts,
  };
  const { superseder } = stages;
  return {
    facts: await supersedeFacts(context, given, { superseder, fallback, calls }),
    repeated: merged.repeated,
  };
}

function segmentOf(
  { session, episodes, reading }: ReadUnit,
  { clock, newId, profile }: ConsolidationContext,
): Segment {
  const times = episodes.map(({ validAt }) => validAt);
  return {
    id: newId() as SegmentId,
    session,
    keywords: reading.keywords,
    summary: reading.summary,
    startAt: Math.min(...times),
    endAt: Math.max(...times),
    createdAt: clock(),
    expiredAt: null,
    profile: profile.name,
  };
}

/** A redacted statement is no fact. */
function isUnredacted({ statement }: { readonly statement: string }): boolean {
  return !statement.includes(REDACTED);
}

function factsOf(read: readonly ReadUnit[], entityOf: EntityOf): ResolvedFact[] {
  return read.flatMap((unit, at) =>
    unit.reading.extraction.facts
      .filter(isUnredacted)
      .map((read) => ({ read, unit, ...endsOf(read, (name) => entityOf(at, name)) })),
  );
}

function mentionsOf(read: readonly ReadUnit[], entityOf: EntityOf): Relationship[] {
  const edges = new Map<string, Relationship>();
  for (const [at, { episodes, reading }] of read.entries())
    for (const { name, turns } of reading.extraction.entities) {
      const to = entityOf(at, name);
      for (const turn of to === undefined ? [] : turns) {
        const from = episodes[turn]!.id;
        edges.set(`${from} ${to}`, {
          kind: 'MENTIONS',
          fromKind: 'episode',
          from,
          toKind: 'entity',
          to: to!,
        });
      }
    }
  return [...edges.values()];
}

function descriptionsOf(
  read: readonly ReadUnit[],
  entityOf: EntityOf,
): ReadonlyMap<EntityId, NewDescriptions> {
  const found = new Map<EntityId, { notes: EntityNote[]; tags: string[] }>();
  for (const [at, { episodes, reading }] of read.entries())
    for (const { name, description, tags, turns } of reading.extraction.entities) {
      const id = entityOf(at, name);
      if (id === undefined || description === '') continue;
      const entry = found.get(id) ?? { notes: [], tags: [] };
      const times = [0, ...turns].map((turn) => clockTime(turnToRead(episodes[turn]!)));
      entry.notes.push({ text: description, at: Math.max(...times) });
      entry.tags.push(...tags);
      found.set(id, entry);
    }
  for (const { notes } of found.values()) notes.sort((a, b) => a.at - b.at);
  return found;
}

function judged({ episodes, reading }: ReadUnit): RowUpdate[] {
  return episodes.map(({ id }, turn) => ({
    kind: 'episode',
    id,
    set: { gate: reading.judgements[turn]!, verified: reading.verified[turn]!, status: 'extracted' },
  }));
}

function setStatus(id: string, status: Episode['status']): RowUpdate {
  return { kind: 'episode', id, set: { status } };
}

function expired({ segments, stale }: Reopening, now: number): RowUpdate[] {
  return [
    ...segments.map((id): RowUpdate => ({ kind: 'segment', id, set: { expiredAt: now } })),
    ...Array.from(stale.facts, (id): RowUpdate => ({ kind: 'fact', id, set: { expiredAt: now } })),
  ];
}

/** The rows of failures; `expiredAt` is set for those after which the turns wait. */
export function failuresOf(
  failed: readonly FailedUnit[],
  { now, newId, expiredAt = null }: { now: number; newId: () => string; expiredAt?: number | null },
): { rows: Failure[]; relationships: Relationship[] } {
  const rows: Failure[] = [];
  const relationships: Relationship[] = [];
  for (const { session, code, reason, attempts, episodes } of failed) {
    const id = newId() as FailureId;
    rows.push({ id, session, code, reason, attempts, createdAt: now, expiredAt });
    for (const episode of episodes)
      relationships.push({
        kind: 'FAILED_IN',
        fromKind: 'episode',
        from: episode.id,
        toKind: 'failure',
        to: id,
      });
  }
  return { rows, relationships };
}

function inSegment(episode: string, segment: string): Relationship {
  return { kind: 'IN_SEGMENT', fromKind: 'episode', from: episode, toKind: 'segment', to: segment };
}

/** Whether every turn of the units is still pending: none was corrected, forgotten or consolidated by another run. */
export function areAllPending(
  { index }: Pick<IngestContext, 'index'>,
  units: readonly PlannedUnit[],
): boolean {
  return units.every(({ episodes }) => episodes.every(({ id }) => index.enrichment.pending.has(id)));
}

/**
 * Writes a batch in one transaction. The caller must exclude other writers and check that all its units are pending,
 * so that a batch that was built twice is written once.
 */
export async function commitBatch(context: IngestContext, { changes }: BuiltBatch): Promise<void> {
  const embedding = await embedNodes(context, changes.nodes ?? {}, undefined);
  const whole = { ...changes, nodes: { ...changes.nodes, embedding } };
  const committed = context.store.commit(context.scope, whole);
  // The texts are analyzed while the store writes; searches see the state before the commit until both are done.
  await Promise.all([committed, context.index.prepare(whole)]);
  await context.index.applyGradually(whole);
}
