import type { EntityId } from '../../model/ids.ts';
import { analyzeQuery } from '../../search/analyzer.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import { cosine } from '../../util/dot-product.ts';
import type { BatchEntity } from './batch-roll.ts';
import { isNicknameOf, LONGEST_NAME, readName } from './name-form.ts';
import { otherForms } from './nicknames.ts';

/** PAPERS §1.1: so many by words, and so many by the names' vectors that are near enough. */
export const MOST_BY_WORDS = 10;
export const MOST_BY_VECTOR = 10;
export const LEAST_NAME_COSINE = 0.6;
const MOST_NICKNAMES = 10;
/** Of those whose names begin alike, so many of the oldest are looked at. */
const MOST_BEGINNINGS = 1_000;

export interface Candidate {
  readonly id: EntityId;
  /** Of the two names' vectors; null where one of them has none. */
  readonly nameCosine: number | null;
}

/**
 * Entities of memory that a new one may be (Mnemis §2.1): those that go by one of its names, those with words of it
 * in theirs, those with a name vector near its own, and those whose nickname it may be; the best first.
 *
 * @param vector Of the name; null where vectors are not compared.
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
