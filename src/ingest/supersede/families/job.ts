import { type ClaimPart, type FamilyRules, type Predicate, part } from '../claim.ts';
import { isAddition, isChange, nameWords, objectOf, wordsOf } from '../predicate.ts';

const WORKS =
  /^(?:works|is (?:working|employed)|has (?:worked|been working)) (?:full[- ]time |again |over |downtown )*(at|for|as|by) (.+)$/;
const STARTED =
  /^(?:(?:has )?(?:started|got|landed|accepted|took|found|begun|began|gotten)) (?:up |on )?(?:an? |the |\S+'s )(?:new |first |dream |full[- ]time |amazing |great |better )*(?:job|position|role|post)((?:$|,| (?:at|as|with|in|by|last|this|next|now|recently|yesterday|today|again|for (?!(?:his|her|their|my|our|\S+['’]s?)\b))).*)$/;
const STARTED_WORK = /^(?:(?:has )?(?:started|began)) (?:working|work)( (?:at|for|as) .+)$/;
const HIRED = /^(?:was|got|has been|is) hired\b( (?:at|by|as) .+)$/;
/** In the firm where one was. */
const PROMOTED = /^(?:was|got|has been|is) promoted (?:to|as) (?:an? |the )?(\p{Ll}.+)$/u;
const LOST =
  /^(?:(?:has )?(?:quit|left|lost|resigned from|retired from)|was (?:fired|laid off|dismissed) from|got (?:fired|laid off) from) (?:(?:the|an?|\S+'s) )?(?:(?:old|day|full[- ]time|current) )*(?:jobs?|position|post)\b(.*)$/;
const LOST_ANY = /^(?:was|got) (?:fired|laid off|let go)\b(?! (?:up|by))(.*)$/;
const LEFT_NAMED =
  /^(?:(?:has )?(?:quit|left|resigned from|retired from)|no longer works (?:at|for)|does not work (?:at|for)) (.+)$/;
const WITHOUT = /^(?:is (?:unemployed|jobless|out of work|between jobs)|has no job|does not have a job)\b/;

/** Work that goes along with a main job. */
const ASIDE =
  /\b(?:volunteer(?:s|ing)?|unpaid|pro bono|for (?:fun|free|charity)|as a hobby|in (?:his|her|their) (?:spare|free) time|now and then|sometimes|occasionally|from time to time|(?:one|two|three|some|a few) (?:days?|nights?|hours?|evenings?) (?:a|per|every)|(?:at|on) (?:night|weekends?|weekdays)|(?:in|over) the (?:evenings?|summer|holidays|winter)|(?:on|every) \p{L}+days?|every (?:week|month|summer|winter)|seasonal(?:ly)?|tutor|mentor|babysitter|referee|lifeguard|extra|helper|for (?:the|a) (?:day|week|month|summer|while))\b/iu;
/** "As a guide at a museum": a role somewhere may be one of two. */
const SOMEWHERE = / (?:at|in|for|on) (?:the |an? |\S+['’]s )?\p{Ll}/u;
/** Gone for a while, not for good. */
const FOR_NOW =
  /\b(?:early|late|for (?:the|a|an|this|one|two|three|his|her|their) (?:\p{Ll}+ )?(?:day|night|evening|week|weekend|lunch|break|trip|meeting|holidays?|vacation|while|appointment|flight|hours?|minutes?)|for lunch|at (?:\d|noon|midnight|lunch)|this (?:morning|afternoon|evening)|tonight|in (?:a hurry|tears))\b/iu;

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
      if (FOR_NOW.test(predicate.statement)) return [];
      const value = nameWords(objectOf(left[1]!));
      return value.size === 0 ? [] : [part({ family: 'job', phase: 'ends', value })];
    }
    return isAddition(predicate) || ASIDE.test(predicate.statement) ? [] : positive(predicate);
  },
};

function positive(predicate: Predicate): ClaimPart[] {
  const { text } = predicate;
  const promoted = PROMOTED.exec(text)?.[1];
  if (promoted !== undefined) return [claimed('as', promoted.replace(/ (?:at|by) .*$/, ''), 'changed')];
  const works = WORKS.exec(text);
  if (works?.[1] === 'as' && SOMEWHERE.test(works[2]!) && !isChange(predicate))
    return [{ ...claimed('as', works[2]!, 'holds'), isOnly: false }];
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
