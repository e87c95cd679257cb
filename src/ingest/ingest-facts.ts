import { CancelledError } from '../errors/index.ts';
import { factInputSchema } from '../model/fact-input.ts';
import type { EpisodeId, FactId, Milliseconds } from '../model/ids.ts';
import type { Fact } from '../model/nodes.ts';
import type { Relationship } from '../model/relationships.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import { about, evidencedBy } from './build-changes.ts';
import { embedNodes } from './embed-nodes.ts';
import type { IngestContext } from './ingest-context.ts';
import { describeIssues } from './read-turn.ts';
import { refreshProfiles } from './refresh-profiles.ts';
import { EntityResolver } from './resolve-entities.ts';

export type FactOutcome =
  | { readonly status: 'added'; readonly id: FactId }
  | { readonly status: 'rejected'; readonly reason: string };

export interface AddFactsResult {
  /** One outcome per input, in order. */
  readonly outcomes: readonly FactOutcome[];
  readonly added: number;
  readonly rejected: number;
}

interface ReadFact {
  readonly statement: string;
  readonly relation: string;
  readonly subject: string | null;
  readonly object: string | null;
  readonly participants: readonly string[];
  readonly validAt: Milliseconds | null;
  readonly invalidAt: Milliseconds | null;
  readonly confidence: number;
  readonly evidence: readonly EpisodeId[];
}

/** Stores pre-extracted facts in one transaction; a fact without a turn that memory holds is rejected. */
export async function ingestFacts(
  context: IngestContext,
  inputs: readonly unknown[],
  signal?: AbortSignal,
): Promise<AddFactsResult> {
  const read = await Promise.all(inputs.map((input) => readFact(context, input)));
  const accepted = read.filter((fact) => 'statement' in fact);
  const rows = new Map<ReadFact, Fact>();
  if (accepted.length > 0) {
    const changes = await changesOf(context, accepted, { rows, signal });
    if (signal?.aborted) throw new CancelledError('no fact of this call was stored', signal.reason);
    await context.store.commit(context.scope, changes);
    context.index.apply(changes);
  }
  const outcomes = read.map(
    (fact): FactOutcome => ('statement' in fact ? { status: 'added', id: rows.get(fact)!.id } : fact),
  );
  return { outcomes, added: accepted.length, rejected: read.length - accepted.length };
}

async function readFact(
  { store, scope }: IngestContext,
  input: unknown,
): Promise<ReadFact | Extract<FactOutcome, { status: 'rejected' }>> {
  const parsed = factInputSchema.safeParse(input);
  if (!parsed.success) return { status: 'rejected', reason: describeIssues(parsed.error) };
  const { evidence, validAt, invalidAt, subject, object, ...fact } = parsed.data;
  const found = await store.findEpisodes(scope, evidence);
  const episodes = [...new Set(found.filter((id) => id !== null))];
  if (episodes.length === 0) return { status: 'rejected', reason: 'evidence: no such turn in this scope' };
  const times = [validAt, invalidAt].map((time) => (time === undefined ? null : parseTimestamp(time)));
  if ((validAt !== undefined && times[0] === null) || (invalidAt !== undefined && times[1] === null))
    return { status: 'rejected', reason: 'validAt or invalidAt is not a time' };
  return {
    ...fact,
    statement: fact.statement.toWellFormed(),
    subject: subject ?? null,
    object: object ?? null,
    validAt: times[0]!,
    invalidAt: times[1]!,
    evidence: episodes,
  };
}

async function changesOf(
  context: IngestContext,
  read: readonly ReadFact[],
  { rows, signal }: { rows: Map<ReadFact, Fact>; signal: AbortSignal | undefined },
) {
  const now = context.clock();
  const resolver = new EntityResolver(context.index.entities, context.newId);
  const relationships: Relationship[] = [];
  for (const fact of read) {
    const row = factRow(fact, context, now);
    rows.set(fact, row);
    for (const name of namesOf(fact)) resolver.resolve({ name, kind: 'thing', aliases: [] });
    relationships.push(...about(row.id, fact, resolver));
    for (const episode of fact.evidence) relationships.push(evidencedBy(row.id, episode));
  }
  const facts = [...rows.values()];
  const profiles = await refreshProfiles(context, {
    entities: resolver.entities(),
    facts,
    relationships,
    now,
  });
  const nodes = { entity: resolver.newRows(now), fact: facts, profile: profiles.created };
  const embedding = await embedNodes(context, nodes, signal);
  return { nodes: { ...nodes, embedding }, relationships, updates: profiles.expired };
}

function factRow(fact: ReadFact, { index, newId }: IngestContext, now: Milliseconds): Fact {
  const { timeline, ids } = index.episodes;
  const said = fact.evidence.map((id) => timeline.validAt.at(ids.ordinalOf(id)!));
  return {
    id: newId() as FactId,
    kind: fact.subject !== null && fact.object !== null && fact.relation !== '' ? 'relation' : 'proposition',
    statement: fact.statement,
    relation: fact.relation,
    validAt: fact.validAt ?? Math.min(...said),
    invalidAt: fact.invalidAt,
    createdAt: now,
    expiredAt: null,
    confidence: fact.confidence,
    event: null,
  };
}

function namesOf({ subject, object, participants }: ReadFact): string[] {
  return [subject, object, ...participants].filter((name) => name !== null);
}
