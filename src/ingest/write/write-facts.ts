import type { z } from 'zod';
import { CancelledError } from '../../errors/index.ts';
import { factInputSchema } from '../../model/fact-input.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { EntityId, EpisodeId, FactId, Milliseconds } from '../../model/ids.ts';
import type { Episode, Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { edgesOf } from '../../store/graph-store.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { parseTimestamp } from '../../util/parse-timestamp.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { type Admission, admitText, isOnlyRedacted } from '../admit/admission.ts';
import { describeRule } from '../admit/never-remember.ts';
import { NOTHING_STALE } from '../admit/superseded-turns.ts';
import { type CorrectedFact, EffectiveCorrections } from '../corrections/effective-corrections.ts';
import { refreshProfiles } from '../describe/refresh-profiles.ts';
import type { DescribedExtraction } from '../extract/segment-reader.ts';
import { fixedClock, type IngestContext } from '../ingest-context.ts';
import { LocalFallback } from '../local-fallback.ts';
import { EntityResolution } from '../resolve/entity-resolution.ts';
import { LocalResolutionJudge } from '../resolve/local-resolution-judge.ts';
import { LocalSuperseder } from '../supersede/local-superseder.ts';
import { supersedeFacts } from '../supersede/supersede-facts.ts';
import type { Superseder } from '../supersede/superseder.ts';
import { namesOfEntities } from '../supersede/view-facts.ts';
import { embedNodes } from './embed-nodes.ts';
import { aboutEdges, endsOf, evidencedBy, possiblySame } from './fact-edges.ts';

/** The outcome of one input of `addFacts`. A rejection reason names fields or a rule, never their values. */
export type FactOutcome =
  | { readonly status: 'added'; readonly id: FactId }
  /** One of these turns already supports the same statement, or the user has edited or rejected it. */
  | { readonly status: 'known'; readonly id: FactId }
  | { readonly status: 'rejected'; readonly reason: string };

/** The outcomes of one `addFacts`; all added facts were stored in one transaction. */
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

export interface FactsContext extends IngestContext {
  /** Decides which stored facts these make outdated, and which end these. Default: rules; null: none. */
  readonly superseder?: Superseder | null;
}

/**
 * Stores pre-extracted facts in one transaction. They supersede and are superseded like facts from turns: an older
 * fact that is given without an end must not hold at the same time as the stored fact that replaced it. A fact with
 * evidence that memory does not have is rejected; a stored fact is reported as known, so that adding is idempotent.
 */
export async function ingestFacts(
  given: FactsContext,
  inputs: readonly unknown[],
  signal?: AbortSignal,
): Promise<AddFactsResult> {
  const context = { ...given, clock: fixedClock(given) };
  const read = await Promise.all(inputs.map((input) => readFact(context, input)));
  const accepted = read.filter((fact) => 'statement' in fact);
  const ids = await knownFacts(context, accepted);
  const corrected = await correctedInputs(context, accepted);
  const rows = new Map<ReadFact, Fact>();
  for (const fact of accepted) {
    if (corrected.known.has(fact) || keysOf(fact).some((key) => ids.has(key))) continue;
    const row = factRow(fact, context);
    rows.set(fact, row);
    for (const key of keysOf(fact)) ids.set(key, row.id);
  }
  if (rows.size + corrected.relationships.length > 0) {
    const made: GraphChanges = rows.size === 0 ? {} : await changesOf(context, rows, signal);
    const changes = { ...made, relationships: [...(made.relationships ?? []), ...corrected.relationships] };
    if (signal?.aborted) throw new CancelledError('no fact of this call was stored', signal.reason);
    await context.store.commit(context.scope, changes);
    context.index.apply(changes);
  }
  const outcomes = read.map((fact): FactOutcome => {
    if (!('statement' in fact)) return fact;
    const row = rows.get(fact);
    if (row !== undefined) return { status: 'added', id: row.id };
    const before = corrected.known.get(fact);
    if (before !== undefined) return { status: 'known', id: before };
    return { status: 'known', id: keysOf(fact).flatMap((key) => ids.get(key) ?? [])[0]! };
  });
  const known = accepted.length - rows.size;
  return { outcomes, added: rows.size, known, rejected: read.length - accepted.length };
}

/** Keys that identify a fact: its statement with each turn that supports it. */
function keysOf({ statement, evidence }: Pick<ReadFact, 'statement' | 'evidence'>): string[] {
  return evidence.map((episode) => JSON.stringify([episode, statement]));
}

async function knownFacts(
  { index, store, scope }: IngestContext,
  facts: readonly ReadFact[],
): Promise<Map<string, FactId>> {
  const turns = [...new Set(facts.flatMap((fact) => fact.evidence))];
  const factsByTurn = turns.map((turn) => [turn, index.factsEvidencedBy(turn)] as const);
  const rows = await store.get(scope, 'fact', [...new Set(factsByTurn.flatMap(([, ids]) => ids))]);
  const statements = new Map(rows.map(({ id, statement }) => [id, statement]));
  return new Map(
    factsByTurn.flatMap(([turn, ids]) =>
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
  { store, scope, admission }: IngestContext,
  input: unknown,
): Promise<ReadFact | Extract<FactOutcome, { status: 'rejected' }>> {
  const parsed = factInputSchema.safeParse(input);
  if (!parsed.success) return { status: 'rejected', reason: describeIssues(parsed.error) };
  const { evidence, validAt, invalidAt, confidence, ...said } = parsed.data;
  const { statement, relation, subject, object, participants } = said;
  const texts = [statement, relation, subject ?? '', object ?? '', ...participants];
  const broken = admission.neverRemember?.(texts) ?? null;
  if (broken !== null) return { status: 'rejected', reason: describeRule(broken) };
  const found = await store.findEpisodes(scope, evidence);
  const missing = found.indexOf(null);
  if (missing >= 0) return { status: 'rejected', reason: `evidence.${missing}: no such turn in this scope` };
  const episodes = [...new Set(found.filter((id) => id !== null))];
  const times = [validAt, invalidAt].map((time) => (time === undefined ? null : parseTimestamp(time)));
  if ((validAt !== undefined && times[0] === null) || (invalidAt !== undefined && times[1] === null))
    return { status: 'rejected', reason: 'validAt or invalidAt is not a time' };
  return {
    ...withoutSecrets(said, admission),
    confidence,
    validAt: times[0]!,
    invalidAt: times[1]!,
    evidence: episodes,
  };
}

type SaidFact = Pick<
  z.output<typeof factInputSchema>,
  'statement' | 'relation' | 'subject' | 'object' | 'participants'
>;

/** The texts as they may be stored; a name that is only a secret is removed. */
function withoutSecrets(
  { statement, relation, subject, object, participants }: SaidFact,
  admission: Pick<Admission, 'redactsSecrets'>,
): Omit<ReadFact, 'validAt' | 'invalidAt' | 'confidence' | 'evidence'> {
  const clean = (text: string) => admitText(text.toWellFormed(), admission);
  const nameOf = (name: string | undefined) => {
    const cleaned = name === undefined ? null : clean(name);
    return cleaned === null || isOnlyRedacted(cleaned) ? null : cleaned;
  };
  return {
    statement: clean(statement),
    relation: clean(relation),
    subject: nameOf(subject),
    object: nameOf(object),
    participants: participants.map(nameOf).filter((name) => name !== null),
  };
}

async function changesOf(
  context: FactsContext,
  rows: ReadonlyMap<ReadFact, Fact>,
  signal: AbortSignal | undefined,
) {
  const now = context.clock();
  const { segments, segmentOf } = segmentsOf(context, [...rows.keys()]);
  const judge = new LocalResolutionJudge();
  const resolved = await new EntityResolution({ ...context, judge }).resolve(segments, { signal });
  const { entities } = resolved;
  const relationships: Relationship[] = [];
  for (const [fact, { id }] of rows) {
    const segment = segmentOf.get(fact)!;
    const ends = endsOf(fact, (name) => resolved.entityOf(segment, name));
    relationships.push(...aboutEdges(id, ends));
    for (const episode of fact.evidence) relationships.push(evidencedBy(id, episode));
  }
  const { superseder = new LocalSuperseder() } = context;
  const given = {
    facts: [...rows.values()],
    relationships,
    episodes: await evidenceOf(context, rows.keys()),
    namesOf: namesOfEntities(context.index, entities),
    expiring: NOTHING_STALE.facts,
  };
  const judged = await supersedeFacts(context, given, { superseder, fallback: new LocalFallback() });
  const profiles = await refreshProfiles(context, {
    entities,
    facts: judged.facts,
    relationships: judged.relationships,
    now,
    grownBy: 'ABOUT',
    stale: NOTHING_STALE,
    updates: judged.updates,
  });
  const fresh = entities.filter(({ isNew }) => isNew).map(({ id }) => ({ id, createdAt: now }));
  const nodes = { entity: fresh, fact: judged.facts, profile: profiles.created };
  const embedding = await embedNodes(context, nodes, signal);
  return {
    nodes: { ...nodes, embedding },
    relationships: [...judged.relationships, ...resolved.possiblySame.map(possiblySame)],
    updates: [...profiles.expired, ...judged.updates],
  };
}

async function evidenceOf({ store, scope }: IngestContext, facts: Iterable<ReadFact>): Promise<Episode[]> {
  return store.get(scope, 'episode', [...new Set([...facts].flatMap(({ evidence }) => evidence))]);
}

/** Presents the facts of one session as a segment, so that their names are resolved like those in turns. */
function segmentsOf({ index }: IngestContext, facts: readonly ReadFact[]) {
  const { timeline, ids } = index.episodes;
  const numbers = new Map<string, number>();
  const segmentOf = new Map<ReadFact, number>();
  for (const fact of facts) {
    const session = timeline.sessions[timeline.session.at(ids.ordinalOf(fact.evidence[0]!)!)]!;
    const number = numbers.get(session) ?? numbers.size;
    numbers.set(session, number);
    segmentOf.set(fact, number);
  }
  const segments = Array.from(numbers, ([session, number]) => {
    const own = facts.filter((fact) => segmentOf.get(fact) === number);
    const turns = [...new Set(own.flatMap(({ evidence }) => evidence))];
    const speakers = turns.map((turn) => timeline.speakers[timeline.speaker.at(ids.ordinalOf(turn)!)]!);
    return { session, speakers: [...new Set(speakers)], extraction: extractionOf(own, turns) };
  });
  return { segments, segmentOf };
}

function extractionOf(facts: readonly ReadFact[], turns: readonly EpisodeId[]): DescribedExtraction {
  const placesOf = ({ evidence }: ReadFact) => evidence.map((turn) => turns.indexOf(turn));
  const named = new Map<string, Set<number>>();
  for (const fact of facts)
    for (const name of namesOf(fact))
      named.set(name, new Set([...(named.get(name) ?? []), ...placesOf(fact)]));
  return {
    entities: Array.from(named, ([name, at]) => ({
      name,
      kind: 'thing',
      aliases: [],
      turns: [...at].sort((a, b) => a - b),
      tags: [],
      description: '',
    })),
    facts: facts.map((fact) => ({
      ...fact,
      kind: 'proposition',
      participants: namesOf(fact),
      validAt: fact.validAt ?? 0,
      event: null,
      turns: placesOf(fact),
    })),
  };
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
    origin: 'given',
    statedEnd: fact.invalidAt,
  };
}

function namesOf({ subject, object, participants }: ReadFact): string[] {
  return [subject, object, ...participants].filter((name) => name !== null);
}

/** A given fact, with the fields that corrections need. */
interface FactToCheck {
  readonly statement: string;
  readonly subject: string | null;
  readonly object: string | null;
  readonly participants: readonly string[];
  readonly evidence: readonly string[];
}

interface CorrectedInputs<Given> {
  /** Edited or rejected facts, by the given fact with their statement. */
  readonly known: ReadonlyMap<Given, FactId>;
  /** Their new evidence. */
  readonly relationships: readonly Relationship[];
}

/**
 * Which of the given facts were edited or rejected before: the correction shares one of their turns or their
 * entities.
 */
async function correctedInputs<Given extends FactToCheck>(
  context: IngestContext,
  given: readonly Given[],
): Promise<CorrectedInputs<Given>> {
  const book = EffectiveCorrections.of(context.index.corrections);
  const known = new Map<Given, FactId>();
  for (const fact of given) {
    const corrected = book
      .correctedFacts(fact.statement)
      .find((each) => appliesTo(fact, each, { context, book }));
    if (corrected !== undefined) known.set(fact, corrected.fact);
  }
  const there = await edgesOf(context, 'EVIDENCED_BY', { from: [...new Set(known.values())] });
  const seen = new Set(there.map(({ from, to }) => `${from} ${to}`));
  const relationships: Relationship[] = [];
  for (const [{ evidence }, id] of known)
    for (const turn of evidence) {
      if (seen.has(`${id} ${turn}`)) continue;
      seen.add(`${id} ${turn}`);
      relationships.push(evidencedBy(id, turn));
    }
  return { known, relationships };
}

function appliesTo(
  given: FactToCheck,
  { said, fact, isRejected }: CorrectedFact,
  { context: { index }, book }: { context: IngestContext; book: EffectiveCorrections },
): boolean {
  if (given.evidence.some((turn) => (said.evidence as readonly string[]).includes(turn))) return true;
  const names = [given.subject, given.object, ...given.participants].filter((name) => name !== null);
  const about = new Set<EntityId>(
    isRejected ? said.about.map((id) => book.canonical(id)) : index.entitiesOf(fact),
  );
  const bears = (name: string) => index.entities.idsOfName(entityNameKey(name)).some((id) => about.has(id));
  return said.event === null && names.length > 0 && names.every(bears);
}
