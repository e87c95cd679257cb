import { GRADING, VAGUE_NOUNS } from '../../extract/local/words.ts';
import { type ClaimPart, type FamilyRules, type Phase, part } from '../claim.ts';
import { objectOf, wordsOf } from '../predicate.ts';

const PLANS =
  /^(?:(?:is |has been |was )?(?:planning|hoping|going|intending|preparing) (?:on |to )|(?:plans|wants|hopes|intends|will|decided to|is about to|is set to|is getting ready to|is thinking (?:of|about)|is considering|is looking forward to|is excited to|cannot wait to|would like to) ?(?:to |on )?)([\p{L}-]+) (.+)$/u;
const NOT_PLANNED =
  /^(?:is not (?:going|planning) to|will not|is no longer (?:going|planning) to|no longer (?:wants|plans|intends) to|does not (?:want|plan|intend) to|decided not to|decided against|has decided not to|changed \S+ mind about|gave up on|is not) ([\p{L}-]+) (.+)$/u;
const CANCELLED =
  /^(?:(?:has |had to )?(?:cancell?ed|cancel|called off|call off|backed out of|dropped out of|pulled out of|missed|skipped)) (.+)$/;
const FELL_THROUGH = /^'s (.+?) (?:was|got|is|has been|were|had to be) (?:cancell?ed|called off)\b/;
const COMING = /^is ([\p{L}-]+ing) (.+)$/u;
const PAST =
  /^(?:(?:has|have) )?([\p{L}-]+ed|went|got|took|made|saw|met|ran|bought|had|did|flew|drove|swam|won|wrote|sang|gave|built|began|found|ate|sold|held|taught|hung|rode|spent|came|read|put|set|threw|gone|taken|seen|written|given|been to) (.+)$/u;
const GOES = /^is going to ((?:an?|the|\S+['’]s) .+|\p{Lu}.+)$/u;
const TRAVEL: ReadonlySet<string> = new Set(['visit', 'go', 'travel', 'fly', 'head', 'attend', 'take']);
/** Verbs that say nothing of what is planned without their object. */
const STEADY: ReadonlySet<string> = new Set([
  'not',
  'never',
  'alwai',
  'need',
  'love',
  'enjoi',
  'be',
  'keep',
  'continu',
  'make',
  'stay',
  'get',
  'give',
  'help',
  'share',
  'think',
  'try',
  'see',
]);

/** What is planned, until it is done, called off or planned for another time. */
export const plan: FamilyRules = {
  cues: 'plan go visit cancel decide trip call off',
  read({ text, isAhead }) {
    const not = NOT_PLANNED.exec(text);
    if (not !== null) return planned('denies', not[1]!, not[2]!);
    const off = CANCELLED.exec(text)?.[1] ?? FELL_THROUGH.exec(text)?.[1];
    if (off !== undefined) return called(off);
    const goes = GOES.exec(text)?.[1];
    if (goes !== undefined) return planned('holds', 'go', goes);
    const plans = PLANS.exec(text) ?? (isAhead ? COMING.exec(text) : null);
    if (plans !== null) return planned('holds', plans[1]!, plans[2]!);
    const done = PAST.exec(text);
    return done === null ? [] : planned('ends', done[1]!, done[2]!);
  },
};

function planned(phase: Phase, verb: string, said: string): ClaimPart[] {
  const stem = [...wordsOf(verb)][0] ?? 'be';
  const object = objectOf(said);
  const value = wordsOf(phase === 'ends' ? said : object.replace(/ (?:with|for) .*$/, ''));
  if (!isSpecific(object) || STEADY.has(stem)) return [];
  return [part({ family: 'plan', phase, value, verb: TRAVEL.has(stem) ? 'go' : stem })];
}

function called(said: string): ClaimPart[] {
  const value = wordsOf(objectOf(said).replace(/\b(?:trip|plan|plans|visit)\b/g, ''));
  return value.size === 0 ? [] : [part({ family: 'plan', phase: 'ends', value, kind: 'off' })];
}

/** "Work hard" and "do more" are planned, and done, every day. */
function isSpecific(object: string): boolean {
  const words = object.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => !GRADING.has(word) && !VAGUE_NOUNS.has(word) && wordsOf(word).size > 0);
}
