import { CancelledError } from '../../errors/index.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import { analyze } from '../../search/analyzer.ts';
import { Breather } from '../../util/breathe.ts';
import { cached } from '../../util/collections.ts';
import { LEAST_VARIANT_COSINE, SESSIONS_OF_ESTABLISHED } from './defaults.ts';
import {
  areRivalNames,
  isNicknameOf,
  isSameName,
  isShortOf,
  isVariantOf,
  type NameForm,
  NameReader,
  namesPerson,
  readName,
} from './name-form.ts';
import { type Claims, contradiction, readClaims, sharesRole } from './read-relationships.ts';
import {
  areKindsApart,
  type EntityToResolve,
  isPersonal,
  mayBePersonal,
  type RememberedEntity,
  type Resolution,
  type ResolutionJudge,
} from './resolution-judge.ts';
import type { Verdict } from './resolve-entities-prompt.ts';

interface Comparison {
  readonly verdict: Verdict;
  readonly confidence: number;
  readonly reason: string;
  /** What supports a match: shared evidence, only the convention that a bare name is understood, or nothing. */
  readonly basis: 'evidence' | 'understood' | 'none';
}

interface Newcomer {
  readonly entity: EntityToResolve;
  readonly names: readonly NameForm[];
}

interface Known {
  readonly candidate: RememberedEntity;
  readonly names: readonly NameForm[];
}

type Closeness = 'equal' | 'short' | 'nickname';
/** Confidence of a match by shared evidence. */
const SURENESS: Readonly<Record<Closeness, number>> = { equal: 0.9, short: 0.8, nickname: 0.75 };

/** Compares two entities with proper names, at least one of which is a person. */
function comparePeople(newcomer: Newcomer, known: Known): Comparison {
  const { entity, names } = newcomer;
  const { candidate } = known;
  if (areRivalNames(names, known.names)) return different(0.95, 'other full names');
  const closeness = closenessOf(names, known.names);
  // A short form may also be a firm and its product, so it requires two people.
  const isOpen = closeness === 'equal' || (mayBePersonal(entity) && mayBePersonal(candidate));
  if (closeness === null || !isOpen) return different(0.5, 'different names');
  const [claims, others] = [claimsOf(entity), claimsOf(candidate)];
  const conflict = contradiction(claims, others);
  if (conflict !== null) return different(0.9, conflict);
  const shared = sharedEvidence(newcomer, known, closeness === 'nickname' ? null : [claims, others]);
  if (shared !== null) return same(SURENESS[closeness], shared, 'evidence');
  const isUnderstood =
    overlaps(entity.mentionedBy, candidate.mentionedBy) &&
    !isIntroduced(claims, others) &&
    closeness !== 'nickname' &&
    !names.some(({ isFull }) => isFull);
  return isUnderstood
    ? same(0.75, 'known to the same people', 'understood')
    : {
        verdict: 'uncertain',
        confidence: SURENESS[closeness] / 2,
        reason: 'only the name is equal',
        basis: 'none',
      };
}

/** "Mom", "kids", "colleagues": the same word means the same people unless they belong to different owners. */
function compareCommon({ entity, names }: Newcomer, known: Known): Comparison {
  const { candidate } = known;
  if (!known.names.some(({ key }) => key === names[0]!.key)) return different(0.5, 'different names');
  const [claims, others] = [claimsOf(entity), claimsOf(candidate)];
  const conflict = contradiction(claims, others);
  if (conflict !== null) return different(0.9, conflict);
  if (overlaps(claims.owners, others.owners)) return same(0.9, 'the same owner', 'evidence');
  if (candidate.inSession) return same(0.85, 'the same session', 'evidence');
  // Mentions without an owner are one entity, however many others have owners.
  if (claims.owners.size + others.owners.size === 0) return same(0.8, 'no owner', 'evidence');
  return same(0.7, 'the same word', 'understood');
}

type Claiming = Pick<EntityToResolve, 'name' | 'aliases' | 'context' | 'statements' | 'mentionedBy' | 'kind'>;

/** A name is compared with each of its candidates, and a candidate with several names. */
const claims = new WeakMap<Claiming, Claims>();

export function claimsOf(entity: Claiming): Claims {
  return cached(claims, entity, () => {
    const { name, aliases, context, statements, mentionedBy, kind } = entity;
    const me = mentionedBy.size === 1 ? [...mentionedBy][0] : undefined;
    const isThing = kind === 'thing' && !readName(name).isProper;
    return readClaims({ names: [name, ...aliases], texts: [context, ...statements], me, isThing });
  });
}

function closenessOf(names: readonly NameForm[], others: readonly NameForm[]): Closeness | null {
  const some = (is: (a: NameForm, b: NameForm) => boolean) => names.some((a) => others.some((b) => is(a, b)));
  if (some(isSameName)) return 'equal';
  if (some(isShortOf)) return 'short';
  return some(isNicknameOf) ? 'nickname' : null;
}

/** @param claims Null if a shared role is not sufficient. */
function sharedEvidence(
  { entity, names }: Newcomer,
  { candidate, names: others }: Known,
  claims: readonly [Claims, Claims] | null,
): string | null {
  if (names.some((a) => a.isFull && others.some((b) => isSameName(a, b)))) return 'the same full name';
  if (candidate.inSession) return 'the same session';
  if (overlaps(entity.mentionedWith, candidate.mentionedWith)) return 'mentioned with the same names';
  return claims !== null && overlaps(entity.mentionedBy, candidate.mentionedBy) && sharesRole(...claims)
    ? 'the same role'
    : null;
}

/**
 * Whether the turn introduces the person with a role other than friend: speakers introduce people whom the listener
 * does not know.
 */
function isIntroduced(claims: Claims, others: Claims): boolean {
  const hasSpecificRole = [...claims.roles.values()].flat().some(({ group }) => group !== 'friend');
  return hasSpecificRole && !sharesRole(claims, others);
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

/**
 * The local tier's judge. It compares names, the relationships that turns state, and the people mentioned together.
 * It calls no model and is deterministic.
 *
 * The rule for first names: whoever says only "Alex" expects the listener to know which one, namely the one that both
 * have talked about. So a bare name resolves to the only bearer that the same people have mentioned, however many
 * sessions ago. Whoever says "my nephew Alex" may introduce somebody new: that is the known Alex only if he has this
 * role already, if the session mentions him, or if others are named with both. Contradicting claims (colleague and
 * nephew of one person, two surnames, two homes) always mean two people. With several bearers, a bare name resolves
 * to the one with three times as many sessions as any other, else to none.
 */
export class LocalResolutionJudge implements ResolutionJudge {
  async judge(
    entities: readonly EntityToResolve[],
    { signal }: ModelCallOptions = {},
  ): Promise<readonly Resolution[]> {
    if (signal?.aborted) throw new CancelledError('no names were compared', signal.reason);
    const names = new NameReader();
    const breather = new Breather();
    const judged: Resolution[] = [];
    for (const entity of entities) {
      judged.push(judgeLocally(entity, names));
      await breather.breathe();
    }
    return judged;
  }
}

export function judgeLocally(entity: EntityToResolve, names = new NameReader()): Resolution {
  const newcomer = { entity, names: names.formsOf(entity) };
  const compared = entity.candidates.map((candidate) =>
    compare(newcomer, { candidate, names: names.formsOf(candidate) }),
  );
  const match = choose(entity.candidates, compared);
  const judgements = compared.map(({ verdict, confidence, reason }, at) => {
    const { id } = entity.candidates[at]!;
    if (verdict !== 'same' || match === at) return { id, verdict, confidence, reason };
    return {
      id,
      verdict: 'uncertain' as const,
      confidence: confidence / 2,
      reason: 'several candidates match',
    };
  });
  return { match: match === null ? null : entity.candidates[match]!.id, judgements };
}

function compare(newcomer: Newcomer, known: Known): Comparison {
  const { entity, names } = newcomer;
  const { candidate } = known;
  if (areKindsApart(entity.kind, candidate.kind)) return different(0.8, 'different kinds');
  if (!isPersonal(entity) && !isPersonal(candidate)) return compareThings(newcomer, known);
  return namesPerson(names[0]!) && namesPerson(known.names[0]!)
    ? comparePeople(newcomer, known)
    : compareCommon(newcomer, known);
}

function compareThings({ entity, names: [name] }: Newcomer, { candidate, names: others }: Known): Comparison {
  if (areOfOtherOwners(entity, candidate)) return different(0.9, 'different owners');
  if (others.some((other) => isSameName(name!, other)))
    return { verdict: 'same', confidence: 0.95, reason: 'the same name', basis: 'evidence' };
  const near = candidate.nameCosine === null || candidate.nameCosine >= LEAST_VARIANT_COSINE;
  if (near && others.some((other) => isVariantOf(name!, other)))
    return { verdict: 'same', confidence: 0.9, reason: 'the same words', basis: 'evidence' };
  if (near && haveSameStems(name!, others))
    return { verdict: 'uncertain', confidence: 0.4, reason: 'the same stems', basis: 'none' };
  return { verdict: 'different', confidence: 0.5, reason: 'different names', basis: 'none' };
}

/** "Owen's car" and "Ann's car", also where both are called "car". */
function areOfOtherOwners(entity: EntityToResolve, candidate: RememberedEntity): boolean {
  const { owners } = claimsOf(entity);
  return owners.size > 0 && contradiction(claimsOf(entity), claimsOf(candidate)) !== null;
}

/** Requires several words: too many names share one stem ("travel", "travelers"). */
function haveSameStems({ key, words }: NameForm, others: readonly NameForm[]): boolean {
  if (words.length < 2) return false;
  const stems = analyze(key).join(' ');
  return stems !== '' && others.some((other) => analyze(other.key).join(' ') === stems);
}

/** Position of the matching candidate; null if there is none, or if several may match. */
function choose(candidates: readonly RememberedEntity[], compared: readonly Comparison[]): number | null {
  const same = compared.flatMap(({ verdict }, at) => (verdict === 'same' ? [at] : []));
  const proven = same.filter((at) => compared[at]!.basis === 'evidence');
  if (proven.length > 0) return theOnly(proven, compared);
  // "Alex" may be any bearer that is not known to be a different person.
  const bearers = compared.flatMap(({ basis, verdict }, at) =>
    basis !== 'none' || verdict === 'uncertain' ? [at] : [],
  );
  if (same.length === 1 && bearers.length === 1) return same[0]!;
  const sessions = (at: number) => candidates[at]!.sessions;
  const established = same.filter((at) =>
    bearers.every(
      (other) =>
        other === at ||
        (sessions(at) >= SESSIONS_OF_ESTABLISHED &&
          sessions(at) >= SESSIONS_OF_ESTABLISHED * sessions(other)),
    ),
  );
  return established.length === 1 ? established[0]! : null;
}

/** Of several candidates with evidence, the one with exactly this name. */
function theOnly(proven: readonly number[], compared: readonly Comparison[]): number | null {
  if (proven.length === 1) return proven[0]!;
  const surest = Math.max(...proven.map((at) => compared[at]!.confidence));
  const best = proven.filter((at) => compared[at]!.confidence === surest);
  return best.length === 1 ? best[0]! : null;
}
