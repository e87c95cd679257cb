import type { EntityId, EpisodeId } from '../../model/ids.ts';
import { Breather } from '../../util/breathe.ts';
import { append } from '../../util/collections.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { EntityKind } from '../extract/extractor.ts';
import type { NameSenses } from '../extract/name-senses.ts';
import type { DescribedEntity, DescribedExtraction } from '../extract/segment-reader.ts';
import { isOneOfOwner, type NameForm, namesPerson, readName } from './name-form.ts';
import { type Claims, contradiction, mergeClaims, readClaims } from './read-relationships.ts';
import { areKindsApart, type EntityEvidence, type EntityToResolve } from './resolution-judge.ts';

const MOST_STATEMENTS = 40;
const LONGEST_CONTEXT = 1_000;

/** Mentions in a batch that are certainly of one entity, and so are resolved together. */
export class BatchEntity {
  readonly first: Mention;
  /** The entity that a correction or an earlier resolution assigned; null if resolution has to decide. */
  readonly assigned: EntityId | null;
  readonly sessions = new Set<string>();
  readonly statements: string[] = [];
  readonly mentionedWith = new Set<string>();
  readonly mentionedBy = new Set<string>();
  readonly descriptions = new Set<string>();
  /** Its names and aliases as written, by key, in order. */
  readonly names = new Map<string, string>();
  kind: EntityKind;
  sort: NameSort;
  claims: Claims;

  constructor(first: Mention, assigned: EntityId | null = null) {
    this.first = first;
    this.assigned = assigned;
    this.kind = first.kind;
    this.sort = first.sort;
    this.claims = first.claims;
    this.add(first);
  }

  get name(): string {
    return this.first.entity.name;
  }

  get form(): NameForm {
    return this.first.form;
  }

  get aliases(): string[] {
    return [...this.names.values()].slice(1);
  }

  get context(): string {
    return (
      [...this.descriptions].join(' ').slice(0, LONGEST_CONTEXT) ||
      this.statements.join(' ').slice(0, LONGEST_CONTEXT)
    );
  }

  add(mention: Mention): void {
    if (mention !== this.first) this.claims = mergeClaims(this.claims, mention.claims);
    if (this.kind === 'thing') this.kind = mention.kind;
    if (mention.sort === 'speaker') this.sort = 'speaker';
    this.sessions.add(mention.session);
    this.statements.push(...mention.statements.slice(0, MOST_STATEMENTS - this.statements.length));
    for (const key of mention.mentionedWith) this.mentionedWith.add(key);
    for (const key of mention.mentionedBy) this.mentionedBy.add(key);
    if (mention.entity.description !== '') this.descriptions.add(mention.entity.description);
    for (const name of [mention.entity.name, ...mention.entity.aliases]) {
      const key = entityNameKey(name);
      if (key !== '' && !this.names.has(key)) this.names.set(key, name);
    }
  }

  toResolve(): Omit<EntityToResolve, 'candidates'> {
    const { name, aliases, kind, context, statements, mentionedWith, mentionedBy } = this;
    return { name, aliases, kind, context, statements, mentionedWith, mentionedBy };
  }
}

/**
 * Groups mentions that need no judge: one name in one session, full names, names of things and places, speakers.
 * Mentions with first names and common nouns stay separate if they contradict each other, and a first name identifies
 * nobody beyond its session.
 *
 * @param exact Whether equal names are one entity, regardless of their statements.
 * @param senses Tells names of the same letters apart.
 * @param assigned Entities that corrections or an earlier resolution assigned to mentions: mentions of one such entity
 * are grouped, and kept separate from others.
 */
export function entitiesOfBatch(
  mentions: readonly Mention[],
  {
    exact,
    senses,
    assigned = new Map(),
  }: {
    readonly exact: boolean;
    readonly senses: NameSenses;
    readonly assigned?: ReadonlyMap<Mention, EntityId>;
  },
): { readonly entities: readonly BatchEntity[]; readonly entityOf: ReadonlyMap<Mention, BatchEntity> } {
  const entities: BatchEntity[] = [];
  const entityOf = new Map<Mention, BatchEntity>();
  const bearers = new Map<string, BatchEntity[]>();
  const byId = new Map<EntityId, BatchEntity>();
  for (const mention of mentions) {
    const id = assigned.get(mention);
    if (id !== undefined) {
      const known = byId.get(id);
      const entity = known ?? new BatchEntity(mention, id);
      if (known === undefined) entities.push(entity);
      else known.add(mention);
      byId.set(id, entity);
      entityOf.set(mention, entity);
      continue;
    }
    const scopes = exact ? [EVERYWHERE] : scopesOf(mention);
    const known = scopes
      .flatMap((scope) => bearers.get(placeOf(scope, mention.form.key)) ?? [])
      .find((bearer) => exact || (!senses.areApart(bearer, named(mention)) && mayJoin(bearer, mention)));
    const entity = known ?? new BatchEntity(mention);
    if (known === undefined) entities.push(entity);
    else known.add(mention);
    entityOf.set(mention, entity);
    // Aliases hold only in the scopes that use them.
    for (const key of entity.names.keys()) register(bearers, placeOf(scopes[0]!, key), entity);
    for (const scope of scopes) register(bearers, placeOf(scope, mention.form.key), entity);
  }
  return { entities, entityOf };
}

function named({ entity: { name }, kind }: Mention): { readonly name: string; readonly kind: EntityKind } {
  return { name, kind };
}

const EVERYWHERE = 'everywhere';

/** Where a name identifies one entity: in its session and, unless many share it, in the whole batch. */
function scopesOf({ session, sort, form }: Mention): string[] {
  const own = JSON.stringify(session);
  return sort === 'person' && !isOneOfOwner(form)
    ? [own]
    : [own, sort === 'speaker' ? 'speakers' : EVERYWHERE];
}

function placeOf(scope: string, key: string): string {
  return `${scope}\n${key}`;
}

function register(bearers: Map<string, BatchEntity[]>, place: string, entity: BatchEntity): void {
  const known = bearers.get(place);
  if (known === undefined) bearers.set(place, [entity]);
  else if (!known.includes(entity)) known.push(entity);
}

function mayJoin(bearer: BatchEntity, mention: Mention): boolean {
  // Kinds are guesses; within a session an equal name is the stronger cue, unless it is only an alias.
  const isCalledSo = bearer.sessions.has(mention.session) && bearer.form.key === mention.form.key;
  if (areKindsApart(bearer.kind, mention.kind) && !isCalledSo) return false;
  const mayDiffer = needsAgreement(mention) || isPossession(mention);
  return !mayDiffer || contradiction(bearer.claims, mention.claims) === null;
}

/** Whether two entities may have the name: people without a surname, "mom", "kids". */
export function needsAgreement({ sort, kind }: Pick<Mention, 'sort' | 'kind'>): boolean {
  return sort === 'person' || (sort === 'common' && kind === 'person');
}

/** A thing that somebody is said to own: Owen's car is not Ann's car. */
export function isPossession({ kind, form, claims }: Pick<Mention, 'kind' | 'form' | 'claims'>): boolean {
  return kind === 'thing' && !form.isProper && claims.owners.size > 0;
}

/** A segment of a batch, with the data that resolution needs. */
export interface SegmentToResolve {
  readonly session: string;
  /** Names of its speakers, each once. */
  readonly speakers: readonly string[];
  readonly extraction: DescribedExtraction;
  /** Its turns in order, if known: corrections may refer to them. */
  readonly episodes?: readonly EpisodeId[];
  /** Entities that names were resolved to before, by key. */
  readonly resolved?: ReadonlyMap<string, EntityId> | undefined;
}

/**
 * How well a name alone identifies an entity. A `person` has a first name that many share; `named` are full names;
 * `common` is anything that is no person, and people named by a common noun ("mom", "kids").
 */
type NameSort = 'speaker' | 'person' | 'named' | 'common';

/** An entity of one segment. */
export interface Mention extends EntityEvidence {
  /** Position in the batch. */
  readonly segment: number;
  readonly session: string;
  readonly entity: DescribedEntity;
  readonly form: NameForm;
  readonly kind: EntityKind;
  readonly sort: NameSort;
  readonly claims: Claims;
  /** The turns that mention it, if known. */
  readonly episodes: readonly EpisodeId[];
}

/** Whom machines call the user, where nobody has spoken under a name. There is one in a scope. */
export const UNNAMED_USER = 'user';
/** Speakers who relay what others say, and so know everybody by hearsay. */
const HEARSAY: ReadonlySet<string> = new Set(['assistant', 'system', 'tool', 'ai']);
const MOST_MENTION_STATEMENTS = 20;
const MOST_OTHER_NAMES = 30;

/** Entities that have a name, in the order of the batch. */
export async function mentionsOf(segments: readonly SegmentToResolve[]): Promise<Mention[]> {
  const mentions: Mention[] = [];
  const breather = new Breather();
  for (const [at, segment] of segments.entries()) {
    const context = readSegment(segment);
    for (const entity of segment.extraction.entities) {
      if (breather.isDue) await breather.breathe();
      const mention = toMention(entity, at, context);
      if (mention !== null) mentions.push(mention);
    }
  }
  return mentions;
}

interface SegmentContext {
  readonly segment: SegmentToResolve;
  readonly speakers: ReadonlySet<string>;
  readonly mentionedBy: ReadonlySet<string>;
  readonly statements: ReadonlyMap<string, readonly string[]>;
  /** Proper names by turn, as keys. */
  readonly named: ReadonlyMap<number, readonly string[]>;
}

function readSegment(segment: SegmentToResolve): SegmentContext {
  const speakers = new Set(segment.speakers.map(entityNameKey));
  const statements = new Map<string, string[]>();
  for (const { participants, statement } of segment.extraction.facts)
    for (const name of new Set(participants)) append(statements, name, statement);
  const named = new Map<number, string[]>();
  for (const { name, kind, turns } of segment.extraction.entities) {
    const { key, isProper } = readName(name);
    if (isProper && kind !== 'date' && !speakers.has(key)) for (const turn of turns) append(named, turn, key);
  }
  return { segment, speakers, mentionedBy: informedSpeakers(speakers), statements, named };
}

/** Name keys of the speakers who know the people they mention. */
export function informedSpeakers(speakers: Iterable<string>): Set<string> {
  return new Set([...speakers].filter((key) => !HEARSAY.has(key)));
}

function toMention(entity: DescribedEntity, at: number, context: SegmentContext): Mention | null {
  const form = readName(entity.name);
  if (form.key === '') return null;
  const mentionedBy = new Set([...context.mentionedBy].filter((key) => key !== form.key));
  const statements = (context.statements.get(entity.name) ?? []).slice(0, MOST_MENTION_STATEMENTS);
  const claims = readClaims({
    names: [entity.name, ...entity.aliases],
    texts: [entity.description, ...statements],
    me: mentionedBy.size === 1 ? [...mentionedBy][0] : undefined,
    isThing: entity.kind === 'thing' && !form.isProper,
  });
  // Extractors guess kinds: "Nora's nephew Alex" is no thing, and "Nora's family" no organisation.
  const isPerson =
    entity.kind === 'person' ||
    (entity.kind === 'thing' && form.isProper && claims.roles.size > 0) ||
    isOneOfOwner(form);
  return {
    segment: at,
    session: context.segment.session,
    entity,
    form,
    kind: isPerson ? 'person' : entity.kind,
    sort: sortOf(form, { isPerson, isSpeaker: context.speakers.has(form.key) || form.key === UNNAMED_USER }),
    claims,
    episodes: entity.turns.flatMap((turn) => context.segment.episodes?.[turn] ?? []),
    statements,
    mentionedBy,
    mentionedWith: otherNamesIn(entity, form.key, context),
  };
}

function otherNamesIn({ turns }: DescribedEntity, own: string, { named }: SegmentContext): Set<string> {
  const others: string[] = [];
  // A long turn names hundreds; names beyond the limit are ignored.
  for (const turn of turns)
    for (const key of named.get(turn) ?? []) {
      if (others.length >= MOST_OTHER_NAMES) return new Set(others);
      if (key !== own) others.push(key);
    }
  return new Set(others);
}

function sortOf(
  form: NameForm,
  { isPerson, isSpeaker }: { isPerson: boolean; isSpeaker: boolean },
): NameSort {
  if (isSpeaker) return 'speaker';
  if (!isPerson || !namesPerson(form)) return 'common';
  return form.isFull ? 'named' : 'person';
}
