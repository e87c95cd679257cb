import { CancelledError } from '../../errors/index.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import { analyze } from '../../search/analyzer.ts';
import { Breather } from '../../util/breathe.ts';
import {
  type Comparison,
  compareCommon,
  comparePeople,
  type Known,
  type Newcomer,
} from './compare-people.ts';
import { areKindsApart, isPersonal } from './kinds.ts';
import { isSameName, isVariantOf, type NameForm, NameReader, namesPerson } from './name-form.ts';
import type { EntityToResolve, RememberedEntity, Resolution, ResolutionJudge } from './resolution-judge.ts';

/** PAPERS gives no bound for names that are one; at this one of the shipped vectors they have the same words. */
const LEAST_VARIANT_COSINE = 0.95;
/** So often, and so many times as often, must one bearer have come up for a bare name to mean them. */
const SESSIONS_OF_ESTABLISHED = 3;

/**
 * The local tier's judge: by names, by what the turns say people are to each other, and by who else is about. It calls
 * no model and always says the same.
 *
 * The rule for first names. Whoever says "Alex" without more expects the listener to know which one: the one that
 * these two have spoken of. So a bare name is the only bearer that the same people have mentioned, however many
 * sessions ago. Whoever says "my nephew Alex" may be bringing somebody new: that is the known one only if he is said to
 * be that already, if the session has him, or if others are named with both. What contradicts (colleague and nephew of
 * one person, two surnames, two homes) is two people in any case. With several bearers a bare name is the one that has
 * come up in three times as many sessions as any other, else nobody's.
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
    return { id, verdict: 'uncertain' as const, confidence: confidence / 2, reason: 'one of several' };
  });
  return { match: match === null ? null : entity.candidates[match]!.id, judgements };
}

function compare(newcomer: Newcomer, known: Known): Comparison {
  const { entity, names } = newcomer;
  const { candidate } = known;
  if (areKindsApart(entity.kind, candidate.kind))
    return { verdict: 'different', confidence: 0.8, reason: 'of other kinds', basis: 'none' };
  if (!isPersonal(entity) && !isPersonal(candidate)) return compareThings(newcomer, known);
  return namesPerson(names[0]!) && namesPerson(known.names[0]!)
    ? comparePeople(newcomer, known)
    : compareCommon(newcomer, known);
}

function compareThings({ names: [name] }: Newcomer, { candidate, names: others }: Known): Comparison {
  if (others.some((other) => isSameName(name!, other)))
    return { verdict: 'same', confidence: 0.95, reason: 'the same name', basis: 'evidence' };
  const near = candidate.nameCosine === null || candidate.nameCosine >= LEAST_VARIANT_COSINE;
  if (near && others.some((other) => isVariantOf(name!, other)))
    return { verdict: 'same', confidence: 0.9, reason: 'the same words', basis: 'evidence' };
  if (near && haveSameStems(name!, others))
    return { verdict: 'uncertain', confidence: 0.4, reason: 'the same stems', basis: 'none' };
  return { verdict: 'different', confidence: 0.5, reason: 'other names', basis: 'none' };
}

/** Of several words: too much has one stem ("travel", "travelers"). */
function haveSameStems({ key, words }: NameForm, others: readonly NameForm[]): boolean {
  if (words.length < 2) return false;
  const stems = analyze(key).join(' ');
  return stems !== '' && others.some((other) => analyze(other.key).join(' ') === stems);
}

/** Which candidate it is; null where none is, or where several might be. */
function choose(candidates: readonly RememberedEntity[], compared: readonly Comparison[]): number | null {
  const same = compared.flatMap(({ verdict }, at) => (verdict === 'same' ? [at] : []));
  const proven = same.filter((at) => compared[at]!.basis === 'evidence');
  if (proven.length > 0) return theOnly(proven, compared);
  // "Alex" may be any bearer that is not known to be somebody else.
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

/** Of several that the evidence fits, the one that bears the very name. */
function theOnly(proven: readonly number[], compared: readonly Comparison[]): number | null {
  if (proven.length === 1) return proven[0]!;
  const surest = Math.max(...proven.map((at) => compared[at]!.confidence));
  const best = proven.filter((at) => compared[at]!.confidence === surest);
  return best.length === 1 ? best[0]! : null;
}
