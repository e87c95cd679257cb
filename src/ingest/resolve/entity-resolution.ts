import { CancelledError } from '../../errors/index.ts';
import type { Embedder } from '../../inference/embedder.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { EntityId, Scope } from '../../model/ids.ts';
import type { Segment } from '../../model/nodes.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { Breather, breathe } from '../../util/breathe.ts';
import { roundedVector } from '../../util/rounded-vector.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { ConsolidationContext, ReadUnit } from '../consolidation-context.ts';
import { type CorrectedName, EffectiveCorrections } from '../corrections/effective-corrections.ts';
import { sharedNounLexicon } from '../extract/local/noun-lexicon.ts';
import { NameSenses } from '../extract/name-senses.ts';
import { LocalFallback } from '../local-fallback.ts';
import {
  type BatchEntity,
  entitiesOfBatch,
  type Mention,
  mentionsOf,
  type SegmentToResolve,
} from './batch-entities.ts';
import { certainMatch, exactMatch } from './certain-match.ts';
import { KnownEntities } from './known-entities.ts';
import { judgeLocally, LocalResolutionJudge } from './local-resolution-judge.ts';
import { LONGEST_NAME } from './name-form.ts';
import { type Asked, findCandidates, NewEntities } from './new-entities.ts';
import {
  mayBeSame,
  type RememberedEntity,
  type Resolution,
  type ResolutionJudge,
} from './resolution-judge.ts';
import {
  type PossiblySame,
  type ResolutionBasis,
  ResolvedEntities,
  type ResolvedEntity,
} from './resolved-entities.ts';
import { solePerson } from './sole-person.ts';

interface Corrected {
  readonly book: EffectiveCorrections;
  readonly known: KnownEntities;
  readonly entities: EntityIndex;
}

/** The entities that corrections assigned to mentions; other mentions are absent. */
function correctedMentions(
  mentions: readonly Mention[],
  corrections: Corrected,
): ReadonlyMap<Mention, EntityId> {
  const corrected = new Map<Mention, EntityId>();
  for (const mention of mentions) {
    const id = correctedEntity(mention, corrections);
    if (id !== null && corrections.entities.ids.ordinalOf(id) !== undefined) corrected.set(mention, id);
  }
  return corrected;
}

function correctedEntity(mention: Mention, corrections: Corrected): EntityId | null {
  const { book, entities } = corrections;
  const { key } = mention.form;
  for (const corrected of book.correctedNames(key))
    if (holds(corrected, mention, corrections)) return corrected.entity;
  // An entity that lost all its turns is recognised when they are read again.
  const anchored = book.anchored(key, mention.episodes);
  return anchored !== undefined && entities.profileOf(anchored) === undefined ? anchored : null;
}

function holds(corrected: CorrectedName, mention: Mention, { entities, known }: Corrected): boolean {
  if (corrected.because === 'split') return isMostlyIn(mention, corrected.episodes);
  const others = entities.idsOfName(mention.form.key).filter((id) => id !== corrected.entity);
  if (others.length === 0) return true;
  if (corrected.because === 'former') return false;
  // If there are two Alexes, one of them merged into Alexander, the session decides.
  const isHere = (id: EntityId) => known.isInSession(id, mention.session);
  return isHere(corrected.entity) || !others.some(isHere);
}

/** A name means one entity within a segment. */
function isMostlyIn({ episodes }: Mention, turns: ReadonlySet<string>): boolean {
  return 2 * episodes.filter((turn) => turns.has(turn)).length > episodes.length;
}

/** The entities of mentions whose names were resolved before. */
function resolvedMentions(
  mentions: readonly Mention[],
  segments: readonly SegmentToResolve[],
): [Mention, EntityId][] {
  return mentions.flatMap((mention) => {
    const id = segments[mention.segment]!.resolved?.get(mention.form.key);
    return id === undefined ? [] : [[mention, id] as [Mention, EntityId]];
  });
}

export type { SegmentToResolve } from './batch-entities.ts';
export type { PossiblySame, ResolvedEntity } from './resolved-entities.ts';

interface EntityResolutionOptions {
  /** Index of the scope; not modified. */
  readonly index: ScopeIndex;
  readonly store: GraphStore;
  readonly scope: Scope;
  /** The embedder of the index's vectors; null for a memory that compares words only. */
  readonly embedder: Embedder | null;
  readonly newId: () => string;
  /** Null: only equal names are one entity. */
  readonly judge: ResolutionJudge | null;
}

export interface ResolvedSegments {
  /**
   * The entity that a name or alias refers to in the segment at a position; undefined for a name that the extraction
   * does not have, or that is blank.
   */
  readonly entityOf: (segment: number, name: string) => EntityId | undefined;
  /** Each once, in the order of first mention. */
  readonly entities: readonly ResolvedEntity[];
  /** New entities that may equal existing ones: recorded but not merged. Each pair once. */
  readonly possiblySame: readonly PossiblySame[];
}

interface Judging {
  readonly decided: ResolvedEntities;
  readonly judge: ResolutionJudge;
  readonly calls: ModelCallOptions;
  readonly known: KnownEntities;
  readonly senses: NameSenses;
}

/**
 * Resolves the names of a consolidation batch to entities, known or new (Mnemis §2.1, docs/papers.md §1.1).
 *
 * Corrections (a merge, a split, a former name) take precedence. Certain cases need no judge: speakers, full names,
 * names of things, and names that the same session has used before. For the others the judge is called at most twice
 * per batch: first with candidates from memory, then, for those that are new, with new entities of earlier segments.
 */
export class EntityResolution {
  readonly #options: EntityResolutionOptions;

  constructor(options: EntityResolutionOptions) {
    this.#options = options;
  }

  /**
   * @param segments In the order of the batch: later ones see the new entities of earlier ones.
   * @throws CancelledError when the signal fires, and what the judge, the embedder and the store throw.
   */
  async resolve(
    segments: readonly SegmentToResolve[],
    calls: ModelCallOptions = {},
  ): Promise<ResolvedSegments> {
    refuseIfAborted(calls.signal);
    const { index, judge, newId } = this.#options;
    const mentions = await mentionsOf(segments);
    const book = EffectiveCorrections.of(index.corrections);
    const known = new KnownEntities(this.#options);
    const corrected = correctedMentions(mentions, { book, known, entities: index.entities });
    const assigned = new Map([...resolvedMentions(mentions, segments), ...corrected]);
    const { isCommon } = await sharedNounLexicon();
    const senses = new NameSenses(isCommon);
    const batch = entitiesOfBatch(mentions, { exact: judge === null, senses, assigned });
    await breathe();
    const decided = new ResolvedEntities(index.entities, { newId, book });
    for (const entity of batch.entities)
      if (entity.assigned !== null) decided.settle(entity, entity.assigned);
    const left = batch.entities.filter(({ assigned: to }) => to === null);
    if (judge === null) for (const entity of left) decided.settle(entity, exactMatch(index.entities, entity));
    else await this.#judge(left, { decided, judge, calls, known, senses });
    await breathe();
    refuseIfAborted(calls.signal);
    const entityOf = lookUp(mentions, batch.entityOf, decided);
    return { entityOf, entities: decided.entities(batch.entities), possiblySame: decided.possiblySame() };
  }

  async #judge(entities: readonly BatchEntity[], judging: Judging): Promise<void> {
    const { decided, judge, calls, known, senses } = judging;
    const open: BatchEntity[] = [];
    const breather = new Breather();
    for (const entity of entities) {
      await breather.breathe();
      const match = await certainMatch(entity, { index: this.#options.index.entities, known, senses });
      if (match === 'open') open.push(entity);
      else decided.settle(entity, match);
    }
    const vectors = await this.#embed(open, calls.signal);
    const remembered = await this.#askAboutMemory(open, judging, vectors);
    for (const [entity, resolution] of await answers(judge, remembered, calls))
      decided.accept(entity, resolution);
    const left = open.filter((entity) => !decided.isSettled(entity));
    const fresh = new NewEntities(vectors, { idOf: (entity) => decided.idOf(entity), senses });
    for (const [entity, resolution] of await answers(judge, await fresh.ask(left), calls))
      if (!decided.accept(entity, resolution)) decided.settle(entity, null);
  }

  /** One embedding call for all names of the batch that are not known for certain. */
  async #embed(
    open: readonly BatchEntity[],
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<BatchEntity, Float32Array>> {
    const { embedder, index } = this.#options;
    const { names, nameVectors } = index.entities;
    // The memory has names but no vectors: it compares words only, and the port may have no embedder.
    if (embedder === null || (names.size > 0 && nameVectors.size === 0)) return new Map();
    const short = open.filter(({ name }) => name.length <= LONGEST_NAME);
    if (short.length === 0) return new Map();
    const vectors = await embedder.embed(
      short.map(({ name }) => name),
      { as: 'passage', signal },
    );
    return new Map(
      short.flatMap((entity, at) => {
        const vector = vectors[at];
        return vector !== undefined && nameVectors.accepts(vector)
          ? [[entity, roundedVector(vector)] as const]
          : [];
      }),
    );
  }

  async #askAboutMemory(
    open: readonly BatchEntity[],
    { known, senses }: Judging,
    vectors: ReadonlyMap<BatchEntity, Float32Array>,
  ): Promise<Asked[]> {
    const breather = new Breather();
    const found: ReturnType<typeof findCandidates>[] = [];
    for (const entity of open) {
      await breather.breathe();
      found.push(findCandidates(this.#options.index.entities, entity, vectors.get(entity) ?? null));
    }
    await known.load(found.flat().map(({ id }) => id));
    const book = EffectiveCorrections.of(this.#options.index.corrections);
    return open.map((entity, at) => {
      const candidates = found[at]!.flatMap(({ id, nameCosine }): RememberedEntity[] => {
        const remembered = known.get(id);
        if (remembered === undefined || !mayBeSame(entity, remembered)) return [];
        if (senses.areApart(entity, remembered)) return [];
        const names = [remembered.name, ...remembered.aliases].map(entityNameKey);
        if (book.areApart(entity.names.keys(), { id, names })) return [];
        const { sessions, ...rest } = remembered;
        const inSession = [...entity.sessions].some((session) => sessions.has(session));
        return [{ ...rest, sessions: sessions.size, inSession, nameCosine }];
      });
      return { entity, question: { ...entity.toResolve(), candidates } };
    });
  }
}

/** One resolution per item, in order; the judge is called once, and without items that have no candidates. */
async function answers(
  judge: ResolutionJudge,
  asked: readonly Asked[],
  calls: ModelCallOptions,
): Promise<ReadonlyMap<BatchEntity, Resolution>> {
  const open = asked.filter(
    ({ entity, question }) => question.candidates.length > 0 && !isKnownByName(entity),
  );
  const questions = open.map(({ question }) => question);
  const judged = open.length === 0 ? [] : await judge.judge(questions, calls);
  const said = new Map(open.map(({ entity }, at) => [entity, judged[at]!]));
  return new Map(
    asked.map(({ entity, question }) => [entity, said.get(entity) ?? judgeLocally(question)] as const),
  );
}

/**
 * "Mom" and "kids" are identified by whose they are, which needs no model; a model would take a mere role for nobody.
 * A date is identified by its words.
 */
function isKnownByName({ sort, kind }: BatchEntity): boolean {
  return kind === 'date' || (sort === 'common' && kind === 'person');
}

function lookUp(
  mentions: readonly Mention[],
  entityOf: ReadonlyMap<Mention, BatchEntity>,
  decided: ResolvedEntities,
): ResolvedSegments['entityOf'] {
  const written = new Map<string, EntityId>();
  for (const mention of mentions) {
    const place = writtenAs(mention.segment, mention.entity.name);
    if (!written.has(place)) written.set(place, decided.idOf(entityOf.get(mention)!));
  }
  const bySegment = new Map<number, Map<string, EntityId>>();
  const put = (segment: number, key: string, id: EntityId) => {
    const names = bySegment.get(segment) ?? new Map<string, EntityId>();
    bySegment.set(segment, names);
    if (!names.has(key)) names.set(key, id);
  };
  for (const mention of mentions)
    put(mention.segment, mention.form.key, decided.idOf(entityOf.get(mention)!));
  // Names take precedence over aliases: an alias that is another entity's name refers to that entity.
  for (const mention of mentions)
    for (const alias of mention.entity.aliases)
      if (entityNameKey(alias) !== '')
        put(mention.segment, entityNameKey(alias), decided.idOf(entityOf.get(mention)!));
  // "Apple" and "apple" may be two entities of one segment.
  return (segment, name) =>
    written.get(writtenAs(segment, name)) ?? bySegment.get(segment)?.get(entityNameKey(name));
}

function writtenAs(segment: number, name: string): string {
  return `${segment}\n${name}`;
}

function refuseIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError('no name was resolved', signal.reason);
}

export interface BatchResolution extends ResolvedSegments {
  readonly fallback: LocalFallback;
  readonly basis: ResolutionBasis;
}

/** Whether the entities and corrections that names were resolved against are unchanged. */
export function isBasedOn(
  { index: { entities, corrections } }: Pick<ConsolidationContext, 'index'>,
  { basis }: { readonly basis: ResolutionBasis },
): boolean {
  return (
    entities === basis.entities &&
    entities.revision === basis.revision &&
    corrections.revision === basis.corrections
  );
}

/** A unit with what names entities in it. */
export type UnitToResolve = Pick<ReadUnit, 'session' | 'episodes' | 'resolved'> & {
  readonly reading: Pick<ReadUnit['reading'], 'extraction'>;
};

/** Resolves every name of a batch to an entity, known or new. */
export async function resolveBatch(
  context: ConsolidationContext,
  read: readonly UnitToResolve[],
): Promise<BatchResolution> {
  const fallback = new LocalFallback();
  const { entities, corrections } = context.index;
  const basis = { entities, revision: entities.revision, corrections: corrections.revision };
  // They were resolved against memory, which has nothing of the other units of a batch.
  const [single] = read.length === 1 ? read : [];
  const earlier = single?.resolved && isBasedOn(context, single.resolved) ? single.resolved : null;
  // A note of an assistant is about the one person of the scope as that one's own words are.
  const person = solePerson(context.index);
  const speakersOf = (episodes: ReadUnit['episodes']) => {
    const isNoted = person !== null && episodes.some(({ role }) => role === 'assistant');
    return [...new Set([...episodes.map(({ speaker }) => speaker), ...(isNoted ? [person] : [])])];
  };
  const segments = read.map(({ session, episodes, reading }) => ({
    session,
    speakers: speakersOf(episodes),
    extraction: reading.extraction,
    episodes: episodes.map(({ id }) => id),
    resolved: earlier?.ids,
  }));
  const local = () =>
    new EntityResolution({ ...context, judge: new LocalResolutionJudge() }).resolve(segments, {});
  const resolved = await fallback.run(
    () => new EntityResolution({ ...context, judge: context.stages.judge }).resolve(segments, context.calls),
    local,
  );
  const possiblySame = [...(earlier?.possiblySame ?? []), ...resolved.possiblySame];
  return { ...resolved, possiblySame, fallback, basis };
}

/** The entity that a name refers to in the unit at a position of the batch. */
export type EntityOf = (unit: number, name: string) => EntityId | undefined;

/** A unit and its segment. */
export interface SegmentedUnit {
  readonly unit: ReadUnit;
  readonly segment: Segment;
}
