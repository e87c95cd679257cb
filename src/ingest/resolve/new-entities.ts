import type { EntityId } from '../../model/ids.ts';
import { analyzeQuery } from '../../search/analyzer.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import { LexicalIndex } from '../../search/lexical-index.ts';
import { VectorIndex } from '../../search/vector-index.ts';
import { Breather } from '../../util/breathe.ts';
import { cosine } from '../../util/dot-product.ts';
import type { NameSenses } from '../extract/name-senses.ts';
import type { BatchEntity } from './batch-entities.ts';
import { LEAST_NAME_COSINE, MOST_BY_VECTOR, MOST_BY_WORDS, MOST_NICKNAMES } from './defaults.ts';
import { judgeLocally } from './local-resolution-judge.ts';
import { isNicknameOf, LONGEST_NAME, NameReader, otherForms, readName } from './name-form.ts';
import { type EntityToResolve, mayBeSame, type RememberedEntity } from './resolution-judge.ts';

/** Maximum number of names with the same beginning that are compared, oldest first. */
const MOST_BEGINNINGS = 1_000;

interface Candidate {
  readonly id: EntityId;
  /** Cosine of the name vectors; null if one of them has none. */
  readonly nameCosine: number | null;
}

/**
 * Entities of memory that may equal a new one (Mnemis §2.1): those with one of its names, with common words in the
 * name, with a similar name vector, and those that it may be a nickname of; best first.
 *
 * @param vector Of the name; null if vectors are not compared.
 */
export function findCandidates(
  index: EntityIndex,
  entity: BatchEntity,
  vector: Float32Array | null,
): Candidate[] {
  const bearers = [...entity.names.keys()].flatMap((key) => index.idsOfName(key));
  if (entity.name.length > LONGEST_NAME) return withCosines(index, bearers, vector);
  const ranks = new Map<EntityId, number>();
  const near = byVector(index, vector);
  for (const list of [byNickname(index, entity), byWords(index, entity), near])
    for (const [rank, id] of list.entries()) ranks.set(id, Math.min(rank, ranks.get(id) ?? rank));
  const ranked = [...ranks].sort(([, a], [, b]) => a - b).map(([id]) => id);
  return withCosines(index, [...bearers, ...ranked], vector);
}

function withCosines(index: EntityIndex, ids: readonly EntityId[], vector: Float32Array | null): Candidate[] {
  return [...new Set(ids)].map((id) => {
    const profile = index.profileOf(id);
    const ordinal = profile === undefined ? undefined : index.profiles.ids.ordinalOf(profile.id);
    const known = vector === null || ordinal === undefined ? null : index.nameVectors.get(ordinal);
    return { id, nameCosine: known === null ? null : cosine(vector!, known) };
  });
}

function byWords(index: EntityIndex, { name, form, sort }: BatchEntity): EntityId[] {
  const others = sort === 'common' ? [] : otherForms(form.words[0] ?? '');
  const terms = analyzeQuery([name, ...others].join(' \n'));
  return index.names.top(terms, MOST_BY_WORDS).map(({ ordinal }) => index.ownerOf(ordinal) as EntityId);
}

function byVector(index: EntityIndex, vector: Float32Array | null): EntityId[] {
  if (vector === null || !index.nameVectors.accepts(vector)) return [];
  return index.nameVectors
    .top(vector, MOST_BY_VECTOR)
    .filter(({ score }) => score >= LEAST_NAME_COSINE)
    .map(({ ordinal }) => index.ownerOf(ordinal) as EntityId);
}

/** "Mel" for "Melanie": their words have nothing in common. */
function byNickname(index: EntityIndex, { form, sort }: BatchEntity): EntityId[] {
  const first = form.words[0];
  if (sort === 'common' || first === undefined) return [];
  const found = index
    .idsOfStart(first)
    .slice(0, MOST_BEGINNINGS)
    .filter((id) => {
      const { name, aliases } = index.profileOf(id)!;
      return [name, ...aliases].some((other) => isNicknameOf(form, readName(other)));
    });
  return found.slice(0, MOST_NICKNAMES);
}

/** An entity of the batch and the judge's input for it. */
export interface Asked {
  readonly entity: BatchEntity;
  readonly question: EntityToResolve;
}

/** A new entity of the batch, with later ones that are provisionally taken for it until a judge decides. */
interface Newcomer {
  readonly first: BatchEntity;
  readonly sessions: ReadonlySet<string>;
  readonly known: Omit<RememberedEntity, 'sessions' | 'inSession' | 'nameCosine'>;
}

/**
 * Finds the candidates that new entities have among the new ones of earlier segments, so that one call can judge all.
 *
 * A name that occurs in twenty sessions must not have nineteen candidates, which would look like many bearers of one
 * name. So an entity that the local judge matches with an earlier newcomer is added to that one, and only the others
 * become newcomers themselves. If the judge is the local one, this is already its decision.
 */
export class NewEntities {
  readonly #vectors: ReadonlyMap<BatchEntity, Float32Array>;
  readonly #idOf: (entity: BatchEntity) => EntityId;
  readonly #senses: NameSenses;
  /** By number, as in both indexes. */
  readonly #newcomers: Newcomer[] = [];
  readonly #numbers = new Map<EntityId, number>();
  readonly #words = new LexicalIndex();
  readonly #near: VectorIndex | null;
  readonly #byKey = new Map<string, Set<number>>();
  readonly #byStart = new Map<string, Set<number>>();
  readonly #names = new NameReader();

  constructor(
    vectors: ReadonlyMap<BatchEntity, Float32Array>,
    { idOf, senses }: { idOf: (entity: BatchEntity) => EntityId; senses: NameSenses },
  ) {
    this.#vectors = vectors;
    this.#idOf = idOf;
    this.#senses = senses;
    const [one] = vectors.values();
    this.#near = one === undefined ? null : new VectorIndex(one.length);
  }

  /** @param entities In the order of the batch. */
  async ask(entities: readonly BatchEntity[]): Promise<Asked[]> {
    const breather = new Breather();
    const asked: Asked[] = [];
    for (const entity of entities) {
      await breather.breathe();
      const candidates = this.#candidatesOf(entity)
        .map((number) => this.#remembered(number, entity))
        .filter((known) => mayBeSame(entity, known) && !this.#senses.areApart(entity, known));
      const question: EntityToResolve = { ...entity.toResolve(), candidates };
      const { match } = judgeLocally(question, this.#names);
      const number = match === null ? this.#enter(entity) : this.#numbers.get(match)!;
      if (match !== null) this.#newcomers[number] = joined(this.#newcomers[number]!, entity);
      for (const key of entity.names.keys()) {
        note(this.#byKey, key, number);
        note(this.#byStart, key.slice(0, LETTERS_OF_START), number);
      }
      asked.push({ entity, question });
    }
    return asked;
  }

  #enter(entity: BatchEntity): number {
    const id = this.#idOf(entity);
    const known = { id, ...entity.toResolve() };
    const number = this.#newcomers.push({ first: entity, sessions: entity.sessions, known }) - 1;
    this.#numbers.set(id, number);
    const vector = this.#vectors.get(entity);
    if (vector !== undefined) this.#near?.set(number, vector);
    const text = entity.name.length > LONGEST_NAME ? '' : entity.name;
    this.#words.add(number, [{ text, weight: 1 }]);
    return number;
  }

  #candidatesOf(entity: BatchEntity): number[] {
    const bearers = [...entity.names.keys()].flatMap((key) => [...(this.#byKey.get(key) ?? [])]);
    if (entity.name.length > LONGEST_NAME) return [...new Set(bearers)];
    const byWords = this.#words.top(analyzeQuery(entity.name), MOST_BY_WORDS);
    const vector = this.#vectors.get(entity);
    const byVector = (vector === undefined ? [] : this.#near!.top(vector, MOST_BY_VECTOR)).filter(
      ({ score }) => score >= LEAST_NAME_COSINE,
    );
    const near = [...byWords, ...byVector].map(({ ordinal }) => ordinal);
    return [...new Set([...bearers, ...this.#nicknamesOf(entity), ...near])];
  }

  #nicknamesOf({ form, sort }: BatchEntity): number[] {
    if (sort === 'common') return [];
    const starts = [form.key, ...otherForms(form.words[0] ?? '')];
    const alike = starts.flatMap((key) => [...(this.#byStart.get(key.slice(0, LETTERS_OF_START)) ?? [])]);
    return alike.filter((number) => isNicknameOf(form, this.#newcomers[number]!.first.form));
  }

  #remembered(number: number, entity: BatchEntity): RememberedEntity {
    const { first, sessions, known } = this.#newcomers[number]!;
    const [one, two] = [this.#vectors.get(first), this.#vectors.get(entity)];
    return {
      ...known,
      sessions: sessions.size,
      inSession: [...entity.sessions].some((session) => sessions.has(session)),
      nameCosine: one === undefined || two === undefined ? null : cosine(one, two),
    };
  }
}

/** A copy, because a judge must see the state at the time of its question. */
function joined({ first, sessions, known }: Newcomer, entity: BatchEntity): Newcomer {
  const names = new Map(
    [...known.aliases, ...entity.names.values()].map((name) => [readName(name).key, name]),
  );
  names.delete(first.form.key);
  return {
    first,
    sessions: new Set([...sessions, ...entity.sessions]),
    known: {
      ...known,
      aliases: [...names.values()],
      kind: known.kind === 'thing' ? entity.kind : known.kind,
      statements: [...known.statements, ...entity.statements],
      mentionedWith: new Set([...known.mentionedWith, ...entity.mentionedWith]),
      mentionedBy: new Set([...known.mentionedBy, ...entity.mentionedBy]),
    },
  };
}

const LETTERS_OF_START = 3;

function note(numbers: Map<string, Set<number>>, key: string, number: number): void {
  const known = numbers.get(key);
  if (known === undefined) numbers.set(key, new Set([number]));
  else known.add(number);
}
