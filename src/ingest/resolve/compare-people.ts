import type { Verdict } from '../../prompts/resolve-entities.ts';
import { mayBePersonal } from './kinds.ts';
import { areRivalNames, isNicknameOf, isSameName, isShortOf, type NameForm } from './name-form.ts';
import { type Claims, contradiction, readClaims, sharesRole } from './read-claims.ts';
import type { EntityToResolve, RememberedEntity } from './resolution-judge.ts';

export interface Comparison {
  readonly verdict: Verdict;
  readonly confidence: number;
  readonly reason: string;
  /** What speaks for one person: something that both share, no more than that the name is understood, or nothing. */
  readonly basis: 'evidence' | 'understood' | 'none';
}

export interface Newcomer {
  readonly entity: EntityToResolve;
  readonly names: readonly NameForm[];
}

export interface Known {
  readonly candidate: RememberedEntity;
  readonly names: readonly NameForm[];
}

type Closeness = 'equal' | 'short' | 'nickname';
/** How sure shared evidence makes it. */
const SURENESS: Readonly<Record<Closeness, number>> = { equal: 0.9, short: 0.8, nickname: 0.75 };

/** Two whose names are proper ones, at least one of them a person. */
export function comparePeople(newcomer: Newcomer, known: Known): Comparison {
  const { entity, names } = newcomer;
  const { candidate } = known;
  if (areRivalNames(names, known.names)) return different(0.95, 'other full names');
  const closeness = closenessOf(names, known.names);
  // What is said in short may be a firm and its product: that takes two who are known to be people.
  const isOpen = closeness === 'equal' || (mayBePersonal(entity) && mayBePersonal(candidate));
  if (closeness === null || !isOpen) return different(0.5, 'other names');
  const [claims, others] = [claimsOf(entity), claimsOf(candidate)];
  const conflict = contradiction(claims, others);
  if (conflict !== null) return different(0.9, conflict);
  const shared = sharedEvidence(newcomer, known, closeness === 'nickname' ? null : [claims, others]);
  if (shared !== null) return same(SURENESS[closeness], shared, 'evidence');
  const isUnderstood =
    overlaps(entity.tellers, candidate.tellers) &&
    !isIntroduced(claims, others) &&
    closeness !== 'nickname' &&
    !names.some(({ isFull }) => isFull);
  return isUnderstood
    ? same(0.75, 'known to the same people', 'understood')
    : {
        verdict: 'uncertain',
        confidence: SURENESS[closeness] / 2,
        reason: 'no more than a name',
        basis: 'none',
      };
}

/** "Mom", "kids", "colleagues": the same word is the same people unless it is said to be of different ones. */
export function compareCommon({ entity, names }: Newcomer, known: Known): Comparison {
  const { candidate } = known;
  if (!known.names.some(({ key }) => key === names[0]!.key)) return different(0.5, 'other names');
  const [claims, others] = [claimsOf(entity), claimsOf(candidate)];
  const conflict = contradiction(claims, others);
  if (conflict !== null) return different(0.9, conflict);
  if (overlaps(claims.owners, others.owners)) return same(0.9, 'of the same people', 'evidence');
  if (candidate.inSession) return same(0.85, 'the same session', 'evidence');
  // Those that are nobody's in particular are one, however many are somebody's.
  if (claims.owners.size + others.owners.size === 0) return same(0.8, 'of nobody in particular', 'evidence');
  return same(0.7, 'the same word', 'understood');
}

export function claimsOf({
  name,
  aliases,
  context,
  statements,
  tellers,
}: Pick<EntityToResolve, 'name' | 'aliases' | 'context' | 'statements' | 'tellers'>): Claims {
  const me = tellers.size === 1 ? [...tellers][0] : undefined;
  return readClaims({ names: [name, ...aliases], texts: [context, ...statements], me });
}

function closenessOf(names: readonly NameForm[], others: readonly NameForm[]): Closeness | null {
  const some = (is: (a: NameForm, b: NameForm) => boolean) => names.some((a) => others.some((b) => is(a, b)));
  if (some(isSameName)) return 'equal';
  if (some(isShortOf)) return 'short';
  return some(isNicknameOf) ? 'nickname' : null;
}

/** @param claims Null where a common role is not enough. */
function sharedEvidence(
  { entity, names }: Newcomer,
  { candidate, names: others }: Known,
  claims: readonly [Claims, Claims] | null,
): string | null {
  if (names.some((a) => a.isFull && others.some((b) => isSameName(a, b)))) return 'the same full name';
  if (candidate.inSession) return 'the same session';
  if (overlaps(entity.company, candidate.company)) return 'the same company';
  return claims !== null && overlaps(entity.tellers, candidate.tellers) && sharesRole(...claims)
    ? 'the same role'
    : null;
}

/** Whether it is said who this is, and not only that it is a friend: one says that of a stranger to the listener. */
function isIntroduced(claims: Claims, others: Claims): boolean {
  const isTelling = [...claims.roles.values()].flat().some(({ group }) => group !== 'friend');
  return isTelling && !sharesRole(claims, others);
}

function overlaps(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const each of a) if (b.has(each)) return true;
  return false;
}

function different(confidence: number, reason: string): Comparison {
  return { verdict: 'different', confidence, reason, basis: 'none' };
}

function same(confidence: number, reason: string, basis: Comparison['basis']): Comparison {
  return { verdict: 'same', confidence, reason, basis };
}
