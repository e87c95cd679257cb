import { type FamilyRules, type Predicate, part } from '../claim.ts';
import { isChange, objectOf, wordsOf } from '../predicate.ts';

/** What one has one of. */
const ONE_OF =
  /^'s (?:new |current )?((?:cell |mobile |phone |home |work |e-?mail |street |last |middle |maiden |hair |screen |user ?)?(?:car|phone|number|address|email|name|nickname|boss|manager|landlord|roommate|flatmate|dentist|doctor|therapist|coach|trainer|major|color|colour|laptop|birthday|job title|title|hometown|team|school)) is (?:now )?(.+)$/;
const FAVOURITE = /^'s (?:new |current |all-time |absolute )*favou?rite ([\p{L} ]{2,40}?) is (?:now )?(.+)$/u;
const FAVOURITE_OF =
  /^(?:is|became|has become) (?:now )?(.+)['’]s (?:new |current |all-time )*favou?rite ([\p{L} ]{2,40})$/u;
/** Of such a thing there is another favourite each time. */
const FLEETING =
  /^(?:part|thing|memory|memories|moment|time|way|one|scene|bit|quote|line|picture|photo|pic|aspect|character|place|spot|piece|mug)s?\b/;

/** "The favourite book", "the phone number": one at a time. */
export const attribute: FamilyRules = {
  cues: 'favorite favourite new number address phone car name',
  read(predicate) {
    const { text } = predicate;
    const favourite = FAVOURITE.exec(text);
    if (favourite !== null) return valued(predicate, `favourite ${favourite[1]}`, favourite[2]!);
    const one = ONE_OF.exec(text);
    return one === null || FAVOURITE_OF.test(text) ? [] : valued(predicate, one[1]!, one[2]!);
  },
};

function valued(predicate: Predicate, said: string, value: string) {
  const slot = [...wordsOf(said)].sort().join(' ');
  const words = wordsOf(objectOf(value));
  if (words.size === 0 || words.size > 4 || FLEETING.test(said.replace(/^favourite /, ''))) return [];
  if (/^(?:so|very|too|really|getting|going|being|doing|not|full|dead|broken|at|in|on|to|like)\b/.test(value))
    return [];
  return [
    part({
      family: 'attribute',
      phase: 'holds',
      slot,
      value: words,
      isOnly: true,
      isChange: isChange(predicate),
    }),
  ];
}
