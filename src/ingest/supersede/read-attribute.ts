import { wordSet } from '../../util/collections.ts';
import lists from './one-value.json' with { type: 'json' };
import { comparedWords, numberIn, objectOf, plainEnd } from './predicate.ts';

/** A value of an attribute, as claims are compared: see `ClaimPart`. */
export interface AttributeValue {
  readonly value: ReadonlySet<string>;
  readonly kind: string;
  readonly slot: string;
}

/** What a person may have several of at once: a second named brother is another one. */
const SEVERAL_OF = wordSet(lists.severalOf);
/** Of a person, only the name says who it is; "is a Belgian" describes. */
const PERSONS = wordSet(lists.persons);
/** Nouns of qualities and numbers: what the copula joins to them is their value, whatever its form. */
const NAMED = wordSet(lists.named);
const PREFERRED = wordSet(lists.preferred);
/** What something is like, not which one it is. */
const QUALITIES = wordSet(lists.qualities);
const COLORS = wordSet(lists.colors);
const OCCUPATIONS = wordSet(lists.occupations);
const EVENTS = wordSet(lists.events);

const QUALITY =
  /^(?:so|very|too|really|quite|rather|pretty|getting|going|being|doing|not|no|to|like|from|with|about|away|off|for|still|also|always|never|just|by|as|all|much|more|less|better|worse|that|what|how|why|because|when|if|up|down|out|here|there|of)\b|^\p{Ll}+(?:ful|ous|ive|able|ible|less|ish|ing)(?:$|[ ,])/u;
const NATIONAL =
  /^(?:\p{Lu}\p{Ll}+(?:[^aeiou]ish|ese)|American|African|Asian|European|Mexican|German|Dutch|French|Greek|Swiss|Belgian|Italian|Indian|Russian|Brazilian|Canadian|Australian|Austrian|Iranian|Ukrainian|Romanian|Bulgarian|Hungarian|Norwegian|Nigerian|Kenyan|Korean|Czech|Thai|Israeli|Catholic|Muslim|Jewish|Buddhist|Hindu)$/u;

const DAY =
  /^(?:(?:scheduled|planned|set|due|booked|fixed) )?(?:(?:on|for|by|from|in|until|at) )?(?:(?:at )?\d{1,2}(?:[:.]\d{2})? ?(?:[ap]\.?m\.? )?on )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|today|tomorrow|tonight|(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b(?=.*\d|$)|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|(?:the )?\d{1,2}(?:st|nd|rd|th)(?! floor)|\d{1,2} (?:of )?(?:january|february|march|april|may|june|july|august|september|october|november|december)|(?:next|this) (?:week|month|year|spring|summer|autumn|fall|winter))\b/i;
const CLOCK =
  /^(?:(?:at|from|around|about|until|till|by) )?(?:\d{1,2}(?:[:.h]\d{2})? ?(?:[ap]\.?m\.?|o['’]clock|h|uhr)?|noon|midnight|half past \w+|quarter (?:past|to) \w+)$/i;
const ROOM = /^(?:in |at |to |on )?(?:room|floor|building|gate|platform|hall|terminal|lobby|track)\b/i;
const LEVEL =
  /^(?:on|at|in) (?:version|release|level|step|page|stage|phase|chapter|line|tier|grade) [\p{L}\d]/u;
const PLACE =
  /^(?:in|at|on|under|behind|near|beside|above|below|inside|outside|next to|opposite) (?:the |an? |\p{L}+['’]s |his |her |their |\p{Lu}|\d)/u;
const ARTICLE = /^(?:an?|one) /;
const LEADING = /^(?:on|in|at|to|for|by|from|called|named|known as|about|around|the|an?) /i;

/** Without "new" and "current"; one spelling: "favourite colour" is "favorite color". */
export function slotOf(noun: string): string {
  const plain = ` ${noun.toLowerCase()} `
    .replace(/['’]s /g, ' ')
    .replaceAll('colour', 'color')
    .replaceAll('favourite', 'favorite')
    .replace(/\be-?mails?(?: address(?:es)?)?\b|\bmail address\b/g, 'email')
    .replace(/\btime zone\b/g, 'timezone')
    .replace(/\b(?:surname|family name)\b/g, 'last name')
    .replace(/\b(?:birth ?day|birth ?date|date of birth)\b/g, 'birthday')
    .replace(/\b(?:cell(?:ular)?|mobile)(?: phone)?(?: number)?\b|\bphone number\b/g, 'phone number')
    .replace(
      / (?:new|current|present|latest|updated|own|actual|my|his|her|their|the|all-time|absolute|full) /g,
      ' ',
    )
    .trim();
  return [...comparedWords(plain)].sort().join(' ');
}

/** The last word of "work e-mail address", "favourite book of all time". */
function headOf(noun: string): string {
  const words = noun
    .toLowerCase()
    .split(/ (?:of|for|at|in|on|with|from|to) /)[0]!
    .split(' ');
  return singular(
    words
      .at(-1)!
      .replaceAll('colour', 'color')
      .replace(/^e-?mail$/, 'email'),
  );
}

function singular(word: string): string {
  if (word === 'children') return 'child';
  if (/ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

/** The value of "'s <noun> is <value>"; none where several may hold at once or where it only describes. */
export function attributeValues(noun: string, said: string): AttributeValue[] {
  const words = noun.toLowerCase().replaceAll('favourite', 'favorite').split(' ');
  const isPreferred = words.some((word) => PREFERRED.has(word));
  const head = headOf(noun);
  if (OTHERS.test(noun) || (isOfSeveral(noun) && !mayBeOnly(words, head))) return [];
  const isNamed = isPreferred || NAMED.has(head);
  const slot = slotOf(noun);
  const kind = isNamed ? namedKind(said) : kindOf(said);
  if (kind === null || (PERSONS.has(head) && !isNamed && (kind !== 'name' || NATIONAL.test(objectOf(said)))))
    return [];
  const value = comparedWords(DAY.test(said) ? said : objectIn(said, kind));
  return value.size === 0 || value.size > MOST_WORDS ? [] : [{ value, slot, kind }];
}

const MOST_WORDS = 8;
/** "Her other car", "my second phone": not the one. */
const OTHERS =
  /\b(?:other|another|second|third|old|former|previous|last|next|late|ex|extra|spare|additional|late|one of|some|any|every|each)\b(?! name)/i;
const PICKED = /^(?:favorite|preferred)$/;
const VAGUE_PICK =
  /^(?:part|thing|memory|moment|time|way|one|scene|bit|quote|line|picture|photo|aspect|character|place|spot)$/;

/** There is one favourite book and one current project, but there are several favourite parts. */
function mayBeOnly(words: readonly string[], head: string): boolean {
  if (words.some((word) => PICKED.test(word))) return !VAGUE_PICK.test(head);
  return (
    words.some((word) => /^(?:current|main|native|primary|default)$/.test(word)) &&
    !/^(?:goal|problem|reason|concern)$/.test(head)
  );
}

function namedKind(said: string): string | null {
  const object = objectOf(said);
  const bare = object.replace(/^(?:an?|the) /, '');
  const isQuality = QUALITY.test(bare) || (QUALITIES.has(bare.toLowerCase()) && !/^\p{Lu}/u.test(bare));
  return isQuality && !/\d/.test(object) ? null : 'value';
}

/** Only values of one kind can conflict: "on Monday" and "in room 4" are both true of a meeting. */
function kindOf(said: string): string | null {
  if (DAY.test(said)) return 'day';
  const object = plainEnd(said);
  if (CLOCK.test(object)) return 'clock';
  if (LEVEL.test(object)) return 'level';
  if (ROOM.test(object) || PLACE.test(object)) return 'place';
  const plain = objectOf(object);
  if (QUALITY.test(plain) || plain === '') return null;
  // "A Fiat", "a man from Ghent".
  if (ARTICLE.test(plain)) return /[\p{Lu}\d]/u.test(headPhrase(plain)) ? 'class' : 'description';
  const bare = plain.replace(/^the /, '');
  if (COLORS.has(bare)) return 'color';
  if (/^\p{Lu}/u.test(bare)) return 'name';
  const [, unit] = FIGURE.exec(bare) ?? [];
  return unit === undefined ? null : `figure ${[...comparedWords(unit)].join(' ')}`;
}

function headPhrase(plain: string): string {
  return plain.slice(2).split(/ (?:of|from|in|at|with|for|near|on|by|who|that) /)[0]!;
}

const FIGURE = /^(?:about |around |only |nearly )?[$€£]?\d[\d.,]*[k%]?\s?(.*)$/u;

function objectIn(said: string, kind: string): string {
  const object = kind === 'place' || kind === 'clock' ? plainEnd(said) : objectOf(said);
  return object.replace(LEADING, '').replace(LEADING, '');
}

/** Of "Device A is a Synology NAS": which one of its kind it is. */
export function classValues(said: string): AttributeValue[] {
  const object = objectOf(said);
  const noun = object.replace(/^(?:an?|the) /, '');
  if (noun === object || QUALITY.test(noun)) return kindsOfThing(said);
  const words = comparedWords(noun);
  const last = noun.split(' ').at(-1)!.toLowerCase();
  if (words.size === 0 || words.size > MOST_WORDS) return [];
  if (OCCUPATIONS.has(last)) return [{ value: words, slot: '', kind: 'description occupation' }];
  const kind = /[\p{Lu}\d]/u.test(noun) ? 'class' : 'description';
  const own = { value: words, slot: '', kind: `${kind} ${singular(last)}` };
  return kind === 'class' ? [own, { ...own, kind: 'description' }] : [own];
}

function kindsOfThing(said: string): AttributeValue[] {
  const kind = kindOf(said);
  const isOther = kind === null || /^(?:name|place|color)$|^figure (?:$|year|month)/.test(kind);
  if (isOther) return [];
  const value = comparedWords(kind === 'day' ? said : objectIn(said, kind));
  return value.size === 0 || value.size > MOST_WORDS ? [] : [{ value, slot: '', kind }];
}

const ORDINALS: readonly string[] =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');
const SAME_VERB: Readonly<Record<string, string>> = {
  owns: 'has',
  keeps: 'has',
  got: 'has',
  had: 'has',
  makes: 'earns',
  paid: 'earns',
};
const PER = /\b(?:an?|per|every|each) (?:hour|day|night|week|month|year)|\b(?:daily|weekly|monthly|yearly)\b/;

interface Counted {
  readonly slot: string;
  readonly verb: string;
  readonly value: string;
  readonly isDated: boolean;
}

/** "2 kids", "a third child": how many or how much; only of the same noun is there another number. */
export function quantityValues({ slot: noun, verb, value: said, isDated }: Counted): AttributeValue[] {
  const text = plainEnd(said);
  const [, ordinal, ordered] = ORDINAL.exec(text) ?? [];
  const [, number, counted] = ordinal === undefined ? (QUANTITY.exec(text) ?? []) : [];
  const count =
    ordinal === undefined ? number && numberIn(number) : String(ORDINALS.indexOf(ordinal.toLowerCase()));
  const same = SAME_VERB[verb] ?? verb;
  if (!count || (same !== 'has' && ordinal !== undefined)) return [];
  const unit = (ordered ?? counted ?? '').replace(/\bchild(?:ren)?\b/g, 'kid').trim();
  if ((isDated || EVENTS.has(verb)) && !PER.test(unit)) return [];
  const words = [...comparedWords(unit)].sort().join(' ');
  const measured = MEASURED[same];
  if (words === '' && measured === undefined) return [];
  const value = new Set([count]);
  const slot = `${slotOf(noun)} ${same} ${words}`.trim();
  const own = { value, slot, kind: 'quantity' };
  return measured === undefined
    ? [own]
    : [{ value: comparedWords(text), slot: `${slotOf(noun)} ${measured}`.trim(), kind: 'value' }];
}

/** Verbs that state an attribute: who "weighs 60 kg" has that weight. */
const MEASURED: Readonly<Record<string, string>> = {
  weighs: slotOf('weight'),
  earns: slotOf('salary'),
  costs: slotOf('price'),
};

/** What a thing or a person does with one other thing at a time: "runs Debian 12", "reports to Ann". */
export function verbValues(noun: string, verb: string, said: string): AttributeValue[] {
  const value = comparedWords(objectOf(plainEnd(said)).replace(LEADING, ''));
  if (value.size === 0 || value.size > MOST_WORDS) return [];
  const kind = DAY.test(said) ? 'day' : CLOCK.test(plainEnd(said)) ? 'clock' : 'value';
  return [{ value, slot: `${slotOf(noun)} ${slotOf(verb)}`.trim(), kind }];
}

const ALTERNATIVE_TO: ReadonlyMap<string, string> = new Map(
  Object.entries(lists.alternatives).flatMap(([kind, lines]) =>
    [...wordSet(lines)].map((word) => [word, kind] as const),
  ),
);

/**
 * What somebody prefers: another value of one noun ("dark mode", "light mode") or of one kind ("tea", "coffee"). Short
 * answers and tea are two preferences.
 */
export function preferredValues(said: string): AttributeValue[] {
  const object = objectOf(said)
    .toLowerCase()
    .replace(/^(?:an?|the|to \p{Ll}+|\p{Ll}+ing) /u, '');
  const words = object.split(' ');
  const [head, first] = [words.at(-1)!, words[0]!];
  const value = comparedWords(object);
  if (value.size === 0 || words.length > 4) return [];
  if (/ (?:of|for|in|with|on|at) /.test(object)) return [];
  const [only, noun] = [ALTERNATIVE_TO.get(first), singular(head)];
  // Cheap hotels and quiet ones may both be preferred, short answers and long ones may not.
  const isOpen = words.length > 1 && QUALITIES.has(first) && only === undefined;
  const kind = words.length === 1 ? only : isOpen ? undefined : `${only ?? ''} ${noun}`;
  return kind === undefined ? [] : [{ value, slot: 'prefers', kind }];
}

/** Whether a noun may be one of several: "brother", "cat's name". */
export function isOfSeveral(noun: string): boolean {
  const owners = noun.match(/[\p{L}-]+(?=['’]s )/gu) ?? [];
  return [headOf(noun), ...owners.map((owner) => owner.toLowerCase())].some((word) => SEVERAL_OF.has(word));
}

/** Whether a holder is known by a word that may mean several: "Ann's cat", "the cat". */
export function isOneOfSeveral(holder: string): boolean {
  return SEVERAL_OF.has(headOf(holder));
}

const QUANTITY =
  /^(?:about |around |only |just |nearly |almost |over |at least |up to |roughly )?([$€£]?\d[\d.,]*[kM%]?(?![\p{L}\d])|\d[\d.,]*(?=\p{L})|\p{Ll}+(?= ))(.*)$/u;
const ORDINAL = new RegExp(`^(?:an?|his|her|their|\\S+['’]s) (${ORDINALS.slice(2).join('|')}) (.+)$`, 'i');
