import { type ClaimPart, type FamilyRules, type Predicate, part } from '../claim.ts';
import { isAddition, isChange, nameWords, objectOf, wordsOf } from '../predicate.ts';

const WORKS =
  /^(?:works|is (?:working|employed)|has (?:worked|been working)) (?:full[- ]time |again |over |downtown )*(at|for|as|by) (.+)$/;
const STARTED =
  /^(?:(?:has )?(?:started|got|landed|accepted|took|found|begun|began|gotten)) (?:up |on )?(?:an? |the |\S+'s )(?:new |first |dream |full[- ]time |amazing |great |better )*(?:job|position|role|post)\b(.*)$/;
const STARTED_WORK = /^(?:(?:has )?(?:started|began)) (?:working|work)( (?:at|for|as) .+)$/;
const HIRED = /^(?:was|got|has been|is) (?:hired|promoted)\b( (?:at|by|as|to) .+)$/;
const LOST =
  /^(?:(?:has )?(?:quit|left|lost|resigned from|retired from)|was (?:fired|laid off|dismissed) from|got (?:fired|laid off) from) (?:(?:the|an?|\S+'s) )?(?:(?:old|day|full[- ]time|current) )*(?:jobs?|position|post)\b(.*)$/;
const LOST_ANY = /^(?:was|got) (?:fired|laid off|let go)\b(?! (?:up|by))(.*)$/;
const LEFT_NAMED =
  /^(?:(?:has )?(?:quit|left|resigned from|retired from)|no longer works (?:at|for)|does not work (?:at|for)) (.+)$/;
const WITHOUT = /^(?:is (?:unemployed|jobless|out of work|between jobs)|has no job|does not have a job)\b/;

/** The main job: one at a time. Side jobs and voluntary work are additions. */
export const job: FamilyRules = {
  cues: 'work job quit start hire position role fire retire employ career',
  read(predicate) {
    const { text } = predicate;
    if (WITHOUT.test(text)) return [part({ family: 'job', phase: 'denies' })];
    const lost = LOST.exec(text) ?? LOST_ANY.exec(text);
    if (lost !== null) return [part({ family: 'job', phase: 'ends', value: placeIn(lost[1]!) })];
    const left = LEFT_NAMED.exec(text);
    if (left !== null) {
      const value = nameWords(objectOf(left[1]!));
      return value.size === 0 ? [] : [part({ family: 'job', phase: 'ends', value })];
    }
    return isAddition(predicate) ? [] : positive(predicate);
  },
};

function positive(predicate: Predicate): ClaimPart[] {
  const { text } = predicate;
  const works = WORKS.exec(text);
  if (works !== null) return [claimed(works[1]!, works[2]!, isChange(predicate) ? 'changed' : 'holds')];
  const started = STARTED.exec(text) ?? STARTED_WORK.exec(text) ?? HIRED.exec(text);
  if (started === null) return [];
  const parts = Array.from(
    started[1]!.matchAll(/ (at|for|as|by|with|in) (.+?)(?= (?:at|for|as|by|with) |,|$)/g),
    ([, preposition, said]) => claimed(preposition!, said!, 'begins'),
  );
  const all = new Set(parts.flatMap(({ value }) => [...value]));
  return [...parts, part({ family: 'job', phase: 'begins', value: all, isOnly: true, isChange: true })];
}

/** An employer's name and a mere description of one ("a bakery") may be the same. */
function claimed(preposition: string, said: string, how: 'holds' | 'changed' | 'begins'): ClaimPart {
  const object = objectOf(preposition === 'as' ? said : said.replace(/ as .*$/, ''));
  const names = nameWords(object);
  const employer = names.size > 0 ? 'named employer' : 'employer';
  return part({
    family: 'job',
    phase: how === 'begins' ? 'begins' : 'holds',
    value: names.size > 0 && preposition !== 'as' ? names : wordsOf(object),
    kind: preposition === 'as' ? 'role' : employer,
    isOnly: true,
    isChange: how !== 'holds',
  });
}

function placeIn(said: string): ReadonlySet<string> {
  const where = / (?:at|as|with|for|from) (.+)$/.exec(` ${said.trim()}`)?.[1];
  return where === undefined ? new Set() : wordsOf(objectOf(where).replace(/^an? |^the /, ''));
}
