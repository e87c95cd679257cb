import { type FamilyRules, type Predicate, part } from '../claim.ts';
import { isChange, objectOf, wordsOf } from '../predicate.ts';

/** What one has one of. */
const ONE_OF =
  /^'s (?:new |current )?((?:cell |mobile |phone |home |work |e-?mail |street |last |middle |maiden |hair |screen |user ?)?(?:car|phone|number|address|email|name|nickname|boss|manager|landlord|roommate|flatmate|dentist|doctor|therapist|coach|trainer|major|color|colour|laptop|birthday|job title|title|hometown|team|school)) is (?:now )?(.+)$/;
const FAVOURITE = /^'s (?:new |current |all-time |absolute )*favou?rite ([\p{L} ]{2,40}?) is (?:now )?(.+)$/u;
const FAVOURITE_OF =
  /^(?:is|became|has become) (?:now )?(.+)['’]s (?:new |current |all-time )*favou?rite ([\p{L} ]{2,40})$/u;
/** "Bought a new phone, a Pixel 8": few keep two. Not one for somebody else, and not a second one. */
const NEW_PHONE =
  /^(?:has )?(?:bought|got|gotten|purchased|switched to) a new phone, (an? \p{Lu}[\p{L}\d -]{1,30}|\p{Lu}[\p{L}\d -]{1,30})$/u;
/** Of such a thing there is another favourite each time. */
const FLEETING =
  /^(?:part|thing|memory|memories|moment|time|way|one|scene|bit|quote|line|picture|photo|pic|aspect|character|place|spot|piece|mug)s?\b/;

const PERSON = /(?:boss|manager|landlord|roommate|flatmate|dentist|doctor|therapist|coach|trainer)$/;
const NAMED = /(?:car|phone|name|nickname|laptop|address|hometown|team|school|email|number|color|colour)$/;
const COLOUR =
  /^(?:(?:light|dark|bright|pale|deep|forest|sky|navy|neon|hot|pastel|royal) )?(?:red|blue|green|yellow|orange|purple|violet|pink|black|white|gr[ae]y|brown|beige|turquoise|teal|gold|golden|silver|magenta|cyan|lavender|lilac|indigo|maroon|crimson|navy|mint|blond|blonde|auburn|ginger|burgundy|olive|coral|cream)$/;
/** What a thing or somebody is like, or from where, is not which or who it is. */
const QUALITY =
  /^(?:(?:a (?:bit|little|lot|mess|wreck|pain|joke|nightmare|dream|mystery|pleasure|fan)|from|with|about|away|out|off|for|under|over|still|also|always|never|just|one|the (?:best|worst|same)|of|by|as|my|mine|such|all|here|there|gone|mad|sick|ill|nice|kind|mean|rude|strict|fun|hard|easy|old|young|new|slow|fast|big|small|good|great|bad|long|short|cheap|cold|hot|sad|late|wet|dirty|loud|odd|cool|smart|fair|tough|cute|perfect|excellent|awesome)\b|\p{Ll}+(?:ing|ful|ous|ive|able|ible|ant|ed|less|ish|ibly|ly)(?:$|[ ,])|(?:\p{Lu}\p{Ll}+(?:ish|ese|wegian|eian|alian|erican|adian|alian|razilian|ustrian|ussian|ungarian|ndian)|French|German|Dutch|Greek|Swiss|Thai)$)/u;

/** Whether it says which one it is, and not what it is like. */
function isIdentity(slot: string, value: string): boolean {
  if (QUALITY.test(value)) return false;
  if (/colou?r$/.test(slot)) return COLOUR.test(value.toLowerCase());
  if (slot.startsWith('favourite ')) return true;
  if (PERSON.test(slot)) return /^\p{Lu}/u.test(value) && !/['’]s /.test(value);
  return !NAMED.test(slot) || /\p{Lu}|\d|@/u.test(value);
}

/** "The favourite book", "the phone number": one at a time. */
export const attribute: FamilyRules = {
  cues: 'favorite favourite new number address phone car name',
  read(predicate) {
    const { text } = predicate;
    const favourite = FAVOURITE.exec(text);
    if (favourite !== null) return valued(predicate, `favourite ${favourite[1]}`, favourite[2]!);
    const phone = NEW_PHONE.exec(text)?.[1];
    if (phone !== undefined && !/ for /.test(phone)) return valued(predicate, 'phone', phone);
    const one = ONE_OF.exec(text);
    return one === null || FAVOURITE_OF.test(text) ? [] : valued(predicate, one[1]!, one[2]!);
  },
};

function valued(predicate: Predicate, said: string, value: string) {
  const slot = [...wordsOf(said)].sort().join(' ');
  const words = wordsOf(objectOf(value));
  if (!isIdentity(said, objectOf(value))) return [];
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
