import type { EntityId } from '../../model/ids.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { EntityKind } from '../extract/extractor.ts';
import type { Mention, NameSort } from './batch-mention.ts';
import type { NameForm } from './name-form.ts';
import { type Claims, contradiction, mergeClaims } from './read-relationships.ts';
import { areKindsApart, type EntityToResolve } from './resolution-judge.ts';

const MOST_STATEMENTS = 40;
const LONGEST_CONTEXT = 1_000;

/** Mentions of a batch that are certainly of one entity: what is resolved as a whole. */
export class BatchEntity {
  readonly first: Mention;
  /** Whom it is because somebody said so; null where it is to be found out. */
  readonly corrected: EntityId | null;
  readonly sessions = new Set<string>();
  readonly statements: string[] = [];
  readonly company = new Set<string>();
  readonly tellers = new Set<string>();
  readonly descriptions = new Set<string>();
  /** Its names and aliases as they were written, by key, in order. */
  readonly names = new Map<string, string>();
  kind: EntityKind;
  sort: NameSort;
  claims: Claims;

  constructor(first: Mention, corrected: EntityId | null = null) {
    this.first = first;
    this.corrected = corrected;
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
    for (const key of mention.company) this.company.add(key);
    for (const key of mention.tellers) this.tellers.add(key);
    if (mention.entity.description !== '') this.descriptions.add(mention.entity.description);
    for (const name of [mention.entity.name, ...mention.entity.aliases]) {
      const key = entityNameKey(name);
      if (key !== '' && !this.names.has(key)) this.names.set(key, name);
    }
  }

  toResolve(): Omit<EntityToResolve, 'candidates'> {
    const { name, aliases, kind, context, statements, company, tellers } = this;
    return { name, aliases, kind, context, statements, company, tellers };
  }
}

export interface RolledBatch {
  readonly entities: readonly BatchEntity[];
  readonly entityOf: ReadonlyMap<Mention, BatchEntity>;
}

/**
 * Puts together what needs no judge: one name in one session, full names, names of things and places, speakers. First
 * names and common nouns stay apart where they contradict each other, and a first name says nothing beyond its session.
 *
 * @param exact Equal names are one entity, whatever is said of them.
 * @param corrected Whom mentions are of because somebody said so: those of one entity are together, and apart from others.
 */
export function rollBatch(
  mentions: readonly Mention[],
  {
    exact,
    corrected = new Map(),
  }: { readonly exact: boolean; readonly corrected?: ReadonlyMap<Mention, EntityId> },
): RolledBatch {
  const entities: BatchEntity[] = [];
  const entityOf = new Map<Mention, BatchEntity>();
  const bearers = new Map<string, BatchEntity[]>();
  const byCorrection = new Map<EntityId, BatchEntity>();
  for (const mention of mentions) {
    const id = corrected.get(mention);
    if (id !== undefined) {
      const known = byCorrection.get(id);
      const entity = known ?? new BatchEntity(mention, id);
      if (known === undefined) entities.push(entity);
      else known.add(mention);
      byCorrection.set(id, entity);
      entityOf.set(mention, entity);
      continue;
    }
    const scopes = exact ? [EVERYWHERE] : scopesOf(mention);
    const known = scopes
      .flatMap((scope) => bearers.get(placeOf(scope, mention.form.key)) ?? [])
      .find((bearer) => exact || mayJoin(bearer, mention));
    const entity = known ?? new BatchEntity(mention);
    if (known === undefined) entities.push(entity);
    else known.add(mention);
    entityOf.set(mention, entity);
    // What else somebody is called holds where they are called so.
    for (const key of entity.names.keys()) register(bearers, placeOf(scopes[0]!, key), entity);
    for (const scope of scopes) register(bearers, placeOf(scope, mention.form.key), entity);
  }
  return { entities, entityOf };
}

const EVERYWHERE = 'everywhere';

/** Where a name means one thing: in its session, and, if it is no first name, in all of the batch. */
function scopesOf({ session, sort }: Mention): string[] {
  const own = JSON.stringify(session);
  return sort === 'person' ? [own] : [own, sort === 'speaker' ? 'speakers' : EVERYWHERE];
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
  // Kinds are guesses: within a session the name tells more.
  if (areKindsApart(bearer.kind, mention.kind) && !bearer.sessions.has(mention.session)) return false;
  return !needsAgreement(mention) || contradiction(bearer.claims, mention.claims) === null;
}

/** Whether two may bear the name: people without a surname, "mom", "kids". */
export function needsAgreement({ sort, kind }: Pick<Mention, 'sort' | 'kind'>): boolean {
  return sort === 'person' || (sort === 'common' && kind === 'person');
}
