import { newEmployerIn } from '../../util/new-employer.ts';
import { GRADING, VAGUE_NOUNS } from '../extract/local/words.ts';
import type { ClaimPart, Phase } from './compare-claims.ts';
import { mayBePlace, placeKind } from './places.ts';
import { nameWords, objectOf, type Predicate, THE, wholeObjectOf, wordsOf } from './predicate.ts';
import {
  attributeValues,
  classValues,
  isOfSeveral,
  isOneOfSeveral,
  preferredValues,
  quantityValues,
  verbValues,
} from './read-attribute.ts';

type Value = Pick<ClaimPart, 'value'> & Partial<Pick<ClaimPart, 'kind' | 'name' | 'slot' | 'verb'>>;

interface Said {
  readonly value: string;
  /** Empty if the pattern has no verb. */
  readonly verb: string;
  /** The attribute; empty where the pattern names none. */
  readonly slot: string;
  readonly phase: Phase;
  readonly predicate: Predicate;
  /** Whether it is about a time of its own. */
  readonly isDated: boolean;
}

/** Readers for a pattern's `value`; they return no value if the words cannot be compared. */
const READERS = {
  names: ({ value }) => filled(nameWords(objectOf(value))),
  number: ({ value }) => [{ value: new Set([value]) }],
  whole: ({ value }) =>
    /^(?:it|that|this|them|how|when|what|being|to be)\b/.test(value) ? [] : whole(value),
  home: ({ value }) => filled(nameWords(placeIn(value))).map((each) => ({ ...each, ...placeOf(value) })),
  movedTo,
  workplace: ({ value }) => [{ value: workplace(value) }],
  work: ({ value }) => pieces(value),
  newWork: ({ value }) => {
    const parts = pieces(value);
    return [...parts, { value: new Set(parts.flatMap((part) => [...part.value])) }];
  },
  employer: ({ predicate }) =>
    filled(nameWords(newEmployerIn(predicate.statement) ?? '')).map((each) => ({
      ...each,
      kind: 'named employer',
    })),
  partner: ({ value, predicate }) => {
    const own = wordsOf(predicate.holderNames.join(' '));
    return [{ value: new Set([...nameWords(value.split(',')[0]!)].filter((word) => !own.has(word))) }];
  },
  state,
  activity: ({ value }) => activity(value),
  doing: ({ value, verb }) => doing(verb, value),
  thing: ({ value }) => thing(value),
  ownThing: ({ value, predicate }) => (isOwnedByHolder(value, predicate) ? thing(value) : []),
  attribute: ({ slot, value, predicate }) =>
    isOneOfSeveral(predicate.holderName) ? [] : attributeValues(slot, value),
  ownAttribute: ({ slot, value, predicate }) =>
    isOwnedByHolder(slot, predicate)
      ? attributeValues(slot.replace(/^(?:the|that|his|her|their|.+?['’]s?) /i, ''), value)
      : [],
  preferred: ({ value }) => preferredValues(value),
  car: ({ value }) => attributeValues('car', value),
  kind: (said) => ofOne(said, () => classValues(said.value)),
  doneBy: (said) => ofOne(said, () => verbValues(said.slot, said.verb, said.value)),
  quantity: (said) => ofOne(said, () => quantityValues(said)),
  plan,
  calledOff: ({ value }) => filled(wordsOf(objectOf(value).replace(/\b(?:trip|plans?|visit)\b/g, ''))),
} as const satisfies Readonly<Record<string, (said: Said) => readonly Value[]>>;

export type ValueReader = keyof typeof READERS;

export function readValues(reader: ValueReader, said: Said): readonly Value[] {
  return READERS[reader](said);
}

function filled(value: ReadonlySet<string>): { value: ReadonlySet<string> }[] {
  return value.size === 0 ? [] : [{ value }];
}

function whole(said: string): Value[] {
  return filled(wordsOf(wholeObjectOf(said)));
}

const DWELLING =
  /^(?:an?|the|\S+['’]s) (?:\p{Ll}+ ){0,3}(?:flat|apartment|house|place|room|farm|cottage|village|suburb|town) (?:in|near|on|at) (?=\p{Lu})/u;

/** The place in "a small flat in Ghent with a view"; a possessive names no place. */
function placeIn(said: string): string {
  return objectOf(said)
    .replace(DWELLING, '')
    .replace(/\S+['’]s (?:home ?town |birthplace |native \p{Ll}+ |home country )?/gu, '')
    .split(/ (?:with|near|for|next to|on|in|from|as|at|by)(?= |$)/)[0]!
    .trim();
}

function placeOf(said: string): Pick<Value, 'kind' | 'name'> {
  const name = placeIn(said);
  return { name, kind: placeKind(name) ?? 'place' };
}

/** "Over to" and "as" are said of work and tools; so is a move from what is no place. */
const NO_MOVE = /\b(?:over to|as an? |as the |team|department|from scratch)\b/;

/** The new home: any place, unless the name or the former one is known to be none. */
function movedTo({ value, predicate }: Said): readonly Value[] {
  const place = placeOf(value);
  const name = place.name!;
  const from = [...predicate.text.matchAll(/ from (.+?)(?= to |,|$)/g)].map(([, said]) => placeIn(said!));
  if (from.some((each) => /^\p{Lu}/u.test(each) && !mayBePlace(each))) return [];
  const isListed = place.kind !== 'place';
  if (!isListed && (NO_MOVE.test(predicate.text) || !mayBePlace(name))) return [];
  return filled(nameWords(name)).map((each) => ({ ...each, ...place }));
}

/** Parts of " at Acme as a nurse": an employer's name, the description of one ("a bakery") or a role. */
function pieces(said: string): Value[] {
  return Array.from(
    ` ${said.trim()}`.matchAll(/ (at|for|as|by|with|in) (.+?)(?= (?:at|for|as|by|with) |,|$)/g),
    ([, preposition, words]) => {
      const object = objectOf(words!);
      const names = preposition === 'as' ? new Set<string>() : nameWords(object);
      if (names.size > 0) return { value: names, kind: 'named employer' };
      return { value: wordsOf(object), kind: preposition === 'as' ? 'role' : 'employer' };
    },
  );
}

/** Empty if no workplace is named: it covers any job then. */
function workplace(said: string): ReadonlySet<string> {
  const where = / (?:at|as|with|for|from) (.+)$/.exec(` ${said.trim()}`)?.[1];
  return where === undefined ? new Set() : wordsOf(objectOf(where).replace(/^(?:an?|the) /, ''));
}

const SHORT_STATE = /^(?:strict )?[\p{L}-]+(?: [\p{L}\p{M}'’-]+){0,5}$/u;
const COMPLEMENT =
  /^(?:\S+ ){1,4}?(?:to|of|for|with|about|from|against|than|as|in|at|on|by|that|who|which|where|what|how|when|if) /;
/** Temporary states, or words with many meanings. */
const MOOD =
  /^(?:[\p{L}-]+ing\b|into|really|very|super|too|sure|done|back|here|there|ready|late|early|busy|happy|glad|sorry|excited|proud|thankful|grateful|tired|able|kidding|okay|ok|fine|good|great|home|right|wrong|nervous|alone|afraid|amused|surprised|easy|perfect|hard|worth|much|so|like|at|in|on|about|all|always|never|from|to|up|down|out|off|of|more|that|it)\b/u;

/** Includes the object: who is allergic to nuts is not necessarily allergic to cats. */
function state({ value }: Said): readonly Value[] {
  const all = wholeObjectOf(value);
  const said = COMPLEMENT.test(all) ? all : objectOf(value);
  return MOOD.test(said) || !SHORT_STATE.test(said) ? [] : filled(wordsOf(said));
}

/** Verbs of other families, without duration, or of opinions. */
const NO_HABIT =
  /^(?:is|was|has|goes|loves?|likes?|enjoys?|hates?|adores?|prefers|lives|living|works|working|thinks?|thinking|feels?|feeling|wants?|wanting|needs?|hopes?|hoping|plans?|planning|going|looking|getting|says|knows|means|seems|looks|sounds|makes|making|gets|takes|considering|trying|tries|being|having|dating|seeing|moving|buys|selling|sells|misses|fears|remembers|wishes|believes|thanks|excited)$/;
/** Stems of verbs without content: the habit in "gave up doing yoga" is yoga. */
const EMPTY_VERBS: ReadonlySet<string> = new Set('do go have take attend practic practis be'.split(' '));

function activity(said: string): readonly Value[] {
  const gerund = /^([\p{L}-]+ing) (.+)$/u.exec(wholeObjectOf(said).replace(/ and \p{Ll}.*$/u, ''));
  if (gerund !== null && !NO_HABIT.test(gerund[1]!)) return doing(gerund[1]!, gerund[2]!);
  const opening =
    /^(?:(?:going to|going|doing|attending|taking|having|playing with) )?(?:an? |the |\S+['’]s )?/;
  return filled(wordsOf(objectOf(said.replace(opening, ''))));
}

function doing(verb: string, said: string): readonly Value[] {
  if (NO_HABIT.test(verb) || NO_HABIT.test(`${verb}s`)) return [];
  const [stem = ''] = wordsOf(verb);
  const object = wordsOf(objectOf(said));
  const isEmpty = EMPTY_VERBS.has(stem);
  const value = object.size > 0 ? object : new Set(isEmpty ? [] : [stem]);
  return filled(value).map((each) => ({ ...each, verb: isEmpty ? '' : stem }));
}

/** "Sold Hugo's Volvo", "sold the Volvo"; "sold a painting" is trade. */
function isOwnedByHolder(said: string, { holderNames }: Predicate): boolean {
  if (/^(?:the|that|his|her|their|all) /i.test(said)) return true;
  const lower = said.toLowerCase();
  return holderNames.some(
    (name) => /^['’]s? /.test(lower.slice(name.length)) && lower.startsWith(name.toLowerCase()),
  );
}

function thing(said: string): readonly Value[] {
  const noun = objectOf(said)
    .split(/ (?:with|for|from|in|at|named|called|on|to|about|of) /)[0]!
    .replace(/^(?:an?|the|that|his|her|their|one|two|three|some|all|\S+['’]s) /i, '')
    .replace(/^(?:old|new|little|big|beloved|second[- ]hand|used) /, '');
  return filled(wordsOf(noun));
}

/** "Ann's cat" may be one of several, whose names differ; "the project" is the one. */
function ofOne({ slot, verb, predicate }: Said, values: () => readonly Value[]): readonly Value[] {
  const isNaming = /^(?:is called|is named|goes by)$/.test(verb);
  const isOne = predicate.holder === THE && !isNaming;
  return isOneOfSeveral(predicate.holderName) || (isOfSeveral(slot) && !isOne) ? [] : values();
}

const TRAVEL: ReadonlySet<string> = new Set('visit go travel fly head attend take'.split(' '));
/** Stems of verbs that do not specify the plan. */
const STEADY: ReadonlySet<string> = new Set(
  'not never alwai need love enjoi be keep continu make stay get give help share think try see'.split(' '),
);

function plan({ value: said, verb, phase }: Said): readonly Value[] {
  const stem = [...wordsOf(verb)][0] ?? 'be';
  const object = objectOf(said);
  const value = wordsOf(phase === 'ends' ? said : object.replace(/ (?:with|for) .*$/, ''));
  if (!isSpecific(object) || STEADY.has(stem)) return [];
  return [{ value, verb: TRAVEL.has(stem) ? 'go' : stem }];
}

/** "Work hard" and "do more" can be planned and done every day. */
function isSpecific(object: string): boolean {
  const words = object.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => !GRADING.has(word) && !VAGUE_NOUNS.has(word) && wordsOf(word).size > 0);
}
