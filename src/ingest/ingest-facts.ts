import { CancelledError } from '../errors/index.ts';
import { factInputSchema } from '../model/fact-input.ts';
import type { EpisodeId, FactId, Milliseconds } from '../model/ids.ts';
import type { Fact } from '../model/nodes.ts';
import type { Relationship } from '../model/relationships.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import { about, evidencedBy } from './build-changes.ts';
import { embedNodes } from './embed-nodes.ts';
import type { IngestContext } from './ingest-context.ts';
import { NOTHING_LEAVES } from './leaving.ts';
import { refreshProfiles } from './refresh-profiles.ts';
import { EntityResolver } from './resolve-entities.ts';

export type FactOutcome =
  | { readonly status: 'added'; readonly id: FactId }
  /** The same statement rests on one of these turns already. */
  | { readonly status: 'known'; readonly id: FactId }
  | { readonly status: 'rejected'; readonly reason: string };

export interface AddFactsResult {
  /** One outcome per input, in order. */
  readonly outcomes: readonly FactOutcome[];
  readonly added: number;
  readonly known: number;
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

/**
 * Stores pre-extracted facts in one transaction. A fact with a piece of evidence that memory does not hold is
 * rejected; one that is there already is known, so that adding again is harmless.
 */
export async function ingestFacts(
  context: IngestContext,
  inputs: readonly unknown[],
  signal?: AbortSignal,
): Promise<AddFactsResult> {
  const read = await Promise.all(inputs.map((input) => readFact(context, input)));
  const accepted = read.filter((fact) => 'statement' in fact);
  const ids = await knownFacts(context, accepted);
  const rows = new Map<ReadFact, Fact>();
  for (const fact of accepted) {
    if (keysOf(fact).some((key) => ids.has(key))) continue;
    const row = factRow(fact, context);
    rows.set(fact, row);
    for (const key of keysOf(fact)) ids.set(key, row.id);
  }
  if (rows.size > 0) {
    const changes = await changesOf(context, rows, signal);
    if (signal?.aborted) throw new CancelledError('no fact of this call was stored', signal.reason);
    await context.store.commit(context.scope, changes);
    context.index.apply(changes);
  }
  const outcomes = read.map((fact): FactOutcome => {
    if (!('statement' in fact)) return fact;
    const row = rows.get(fact);
    if (row !== undefined) return { status: 'added', id: row.id };
    return { status: 'known', id: keysOf(fact).flatMap((key) => ids.get(key) ?? [])[0]! };
  });
  const known = accepted.length - rows.size;
  return { outcomes, added: rows.size, known, rejected: read.length - accepted.length };
}

/** A statement and a turn that it rests on: what makes two facts the same. */
function keysOf({ statement, evidence }: Pick<ReadFact, 'statement' | 'evidence'>): string[] {
  return evidence.map((episode) => JSON.stringify([episode, statement]));
}

async function knownFacts(
  { index, store, scope }: IngestContext,
  facts: readonly ReadFact[],
): Promise<Map<string, FactId>> {
  const turns = [...new Set(facts.flatMap((fact) => fact.evidence))];
  const restingOn = turns.map((turn) => [turn, index.factsEvidencedBy(turn)] as const);
  const rows = await store.get(scope, 'fact', [...new Set(restingOn.flatMap(([, ids]) => ids))]);
  const statements = new Map(rows.map(({ id, statement }) => [id, statement]));
  return new Map(
    restingOn.flatMap(([turn, ids]) =>
      ids.flatMap((id) =>
        keysOf({ statement: statements.get(id) ?? '', evidence: [turn] }).map((key): [string, FactId] => [
          key,
          id,
        ]),
      ),
    ),
  );
}

async function readFact(
  { store, scope }: IngestContext,
  input: unknown,
): Promise<ReadFact | Extract<FactOutcome, { status: 'rejected' }>> {
  const parsed = factInputSchema.safeParse(input);
  if (!parsed.success) return { status: 'rejected', reason: describeIssues(parsed.error) };
  const { evidence, validAt, invalidAt, subject, object, ...fact } = parsed.data;
  const found = await store.findEpisodes(scope, evidence);
  const missing = found.indexOf(null);
  if (missing >= 0) return { status: 'rejected', reason: `evidence.${missing}: no such turn in this scope` };
  const episodes = [...new Set(found.filter((id) => id !== null))];
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
  rows: ReadonlyMap<ReadFact, Fact>,
  signal: AbortSignal | undefined,
) {
  const now = context.clock();
  const resolver = new EntityResolver(context.index.entities, context.newId);
  const relationships: Relationship[] = [];
  for (const [fact, { id }] of rows) {
    for (const name of namesOf(fact)) resolver.resolve({ name, kind: 'thing', aliases: [] });
    relationships.push(...about(id, fact, resolver));
    for (const episode of fact.evidence) relationships.push(evidencedBy(id, episode));
  }
  const facts = [...rows.values()];
  const entities = resolver.entities();
  const profiles = await refreshProfiles(context, {
    entities,
    facts,
    relationships,
    now,
    grownBy: 'ABOUT',
    leaving: NOTHING_LEAVES,
  });
  const nodes = { entity: resolver.newRows(now), fact: facts, profile: profiles.created };
  const embedding = await embedNodes(context, nodes, signal);
  return { nodes: { ...nodes, embedding }, relationships, updates: profiles.expired };
}

function factRow(fact: ReadFact, { index, newId, clock }: IngestContext): Fact {
  const { timeline, ids } = index.episodes;
  const said = fact.evidence.map((id) => timeline.validAt.at(ids.ordinalOf(id)!));
  return {
    id: newId() as FactId,
    kind: fact.subject !== null && fact.object !== null && fact.relation !== '' ? 'relation' : 'proposition',
    statement: fact.statement,
    relation: fact.relation,
    validAt: fact.validAt ?? Math.min(...said),
    invalidAt: fact.invalidAt,
    createdAt: clock(),
    expiredAt: null,
    confidence: fact.confidence,
    event: null,
  };
}

function namesOf({ subject, object, participants }: ReadFact): string[] {
  return [subject, object, ...participants].filter((name) => name !== null);
}
