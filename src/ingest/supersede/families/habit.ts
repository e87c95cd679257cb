import { type ClaimPart, type FamilyRules, type Phase, part } from '../claim.ts';
import { isChange, objectOf, wholeObjectOf, wordsOf } from '../predicate.ts';

const STOPPED =
  /^(?:(?:has |had to )?(?:stopped|quit|quits|gave up|give up|given up|stop)|is done|no longer does|dropped) (?:on )?(?!on\b)(?:with )?(.+)$/;
const NO_LONGER = /^(?:no longer|does not) ([\p{L}-]+) (.+?)(?: any ?more| any longer)?$/u;
const STARTED =
  /^(?:(?:has )?(?:started|took up|taken up|began|begun|picked up|resumed)|is (?:learning|practicing|practising|taking up)|is back to|went back to) (.+)$/;
const PRESENT = /^(?:is |has been |keeps )?([\p{L}-]+(?:s|ing)) (.+)$/u;
const ALONE = /^(?:is |has been |keeps )?([\p{L}-]+(?:s|ing))$/u;
const HOBBY = /^'s (?:main |favou?rite )?(?:hobby|sport|pastime) is (.+)$/;
/** Verbs of other families, of no length, or of opinions. */
const NOT_HABITS =
  /^(?:is|was|has|goes|loves?|likes?|enjoys?|hates?|adores?|prefers|lives|living|works|working|thinks?|thinking|feels?|feeling|wants?|wanting|needs?|hopes?|hoping|plans?|planning|going|looking|getting|says|knows|means|seems|looks|sounds|makes|making|gets|takes|considering|thinking|trying|tries|being|having|dating|seeing|moving|buys|selling|sells|misses|fears|remembers|wishes|believes|thanks|excited)$/;
const EMPTY_START =
  /^(?:(?:going to|going|doing|attending|taking|having|playing with) )?(?:an? |the |\S+['’]s )?/;
/** What one stops is the thing itself: "gave up doing yoga". */
const EMPTY_VERBS: ReadonlySet<string> = new Set([
  'do',
  'go',
  'have',
  'take',
  'attend',
  'practic',
  'practis',
  'be',
]);

/** What somebody does again and again; several such things go together. */
export const habit: FamilyRules = {
  cues: 'start stop quit give up hobby',
  read({ text, statement }) {
    if (/\bnot\b|\bnever\b/.test(text) && !/^does not /.test(text)) return [];
    const stopped = STOPPED.exec(text)?.[1];
    if (stopped !== undefined) return activity('denies', stopped);
    const no = NO_LONGER.exec(text);
    if (no !== null) return isOpinion(no[1]!) ? [] : doing('denies', no[1]!, no[2]!);
    const started = STARTED.exec(text)?.[1];
    if (started !== undefined) return activity('begins', started);
    const hobby = HOBBY.exec(text)?.[1];
    if (hobby !== undefined) return activity('holds', hobby);
    const phase = /\bagain\b/.test(statement) && isChange({ statement } as never) ? 'begins' : 'holds';
    const alone = ALONE.exec(wholeObjectOf(text))?.[1];
    if (alone !== undefined) return isOpinion(alone) ? [] : doing(phase, alone, '');
    const present = PRESENT.exec(text);
    return present === null || isOpinion(present[1]!) ? [] : doing(phase, present[1]!, present[2]!);
  },
};

function isOpinion(verb: string): boolean {
  return NOT_HABITS.test(verb) || NOT_HABITS.test(`${verb}s`);
}

function activity(phase: Phase, said: string): ClaimPart[] {
  const gerund = /^([\p{L}-]+ing) (.+)$/u.exec(wholeObjectOf(said).replace(/ and \p{Ll}.*$/u, ''));
  if (gerund !== null && !isOpinion(gerund[1]!)) return doing(phase, gerund[1]!, gerund[2]!);
  const value = wordsOf(objectOf(said.replace(EMPTY_START, '')));
  return value.size === 0 ? [] : [part({ family: 'habit', phase, value })];
}

function doing(phase: Phase, verb: string, said: string): ClaimPart[] {
  const [stem = ''] = wordsOf(verb);
  const object = wordsOf(objectOf(said));
  const isEmpty = EMPTY_VERBS.has(stem);
  const value = object.size > 0 ? object : new Set(isEmpty ? [] : [stem]);
  return value.size === 0 ? [] : [part({ family: 'habit', phase, value, verb: isEmpty ? '' : stem })];
}
