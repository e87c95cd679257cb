import type { Milliseconds } from '../../model/ids.ts';
import type { Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';

export interface Moment {
  /** Valid time: when it is to hold in the world. */
  readonly asOf: Milliseconds;
  /** System time: what memory believed then. */
  readonly knownAt: Milliseconds;
}

export interface Superseders {
  /** Those that are the source of a SUPERSEDES edge at the least. */
  readonly facts: Iterable<Pick<Fact, 'id' | 'createdAt' | 'validAt'>>;
  readonly supersedes: readonly Pick<Relationship, 'from' | 'to'>[];
}

type Dated = Pick<Fact, 'id' | 'validAt' | 'invalidAt' | 'createdAt' | 'expiredAt'>;

/** Whether memory held a fact, at some time, to be so at some time (DESIGN §8.4). */
export function isValid(fact: Dated, { asOf, knownAt }: Moment, superseders: Superseders): boolean {
  if (fact.createdAt > knownAt || (fact.expiredAt !== null && fact.expiredAt <= knownAt)) return false;
  if (asOf < fact.validAt) return false;
  const invalidAt = knownEnd(fact, knownAt, superseders);
  return invalidAt === null || asOf < invalidAt;
}

/**
 * When a fact ended, as memory knew at a time: an end that a later fact gave it was not known before that one came.
 * Where several did, the earliest end of those that had come.
 */
export function knownEnd(
  { id, validAt, invalidAt }: Dated,
  knownAt: Milliseconds,
  { facts, supersedes }: Superseders,
): Milliseconds | null {
  if (invalidAt === null) return null;
  const by = new Set(supersedes.flatMap(({ from, to }) => (to === id ? [from] : [])));
  const enders = [...facts].filter((fact) => by.has(fact.id));
  const known = enders.filter(({ createdAt }) => createdAt <= knownAt);
  if (known.length === enders.length) return invalidAt;
  const ends = known.map((fact) => Math.max(validAt, fact.validAt));
  return ends.length === 0 ? null : Math.min(...ends);
}
