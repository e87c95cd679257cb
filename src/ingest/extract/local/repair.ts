/** Kinds of words that a correction replaces by words of the same kind. */
type SlotKind = 'clock' | 'day' | 'number' | 'name';

interface Slot {
  readonly kind: SlotKind;
  readonly start: number;
  readonly end: number;
}

const DAY =
  '(?:(?:next|last|this) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tonight|tomorrow|yesterday|(?:next|last|this) week(?:end)?';
const NUMBER =
  '[$€£]?\\d+(?:[.,]\\d+)*%?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand';
/** In order of priority: text that an earlier kind matched is not matched again. */
const PATTERNS: readonly (readonly [SlotKind, RegExp])[] = [
  [
    'clock',
    /\b(?:\d{1,2}[:.]\d{2}(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?[ap]\.?m\b\.?|noon|midnight|(?:half past|quarter (?:past|to)) \w+|\w+ o'clock)/giu,
  ],
  ['day', new RegExp(`\\b(?:${DAY})\\b`, 'giu')],
  ['number', new RegExp(`(?<![\\p{L}\\d.,:])(?:${NUMBER})(?![\\p{L}\\d]|[.,:]\\d)`, 'giu')],
  [
    'name',
    /(?<![\p{L}'])\p{Lu}[\p{L}\p{M}'-]+(?: (?:(?:de|la|of|the|van|von) ){0,2}\p{Lu}[\p{L}\p{M}'-]+){0,3}/gu,
  ],
];

/** The words of a text that a correction may replace, in order. */
export function slotsOf(text: string): Slot[] {
  const slots: Slot[] = [];
  for (const [kind, pattern] of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const slot = { kind, start: match.index, end: match.index + match[0].length };
      const taken = slots.some(({ start, end }) => slot.start < end && start < slot.end);
      const isOpening = kind === 'name' && slot.start === 0;
      if (!taken && !isOpening && match[0] !== 'I' && !/^I'/.test(match[0])) slots.push(slot);
    }
  }
  return slots.sort((a, b) => a.start - b.start);
}

/** The kind of a text of one or two words, else null. */
export function kindOf(text: string): SlotKind | null {
  const slots = slotsOf(`x ${text}`).map((slot) => ({ ...slot, start: slot.start - 2, end: slot.end - 2 }));
  return slots.length === 1 && text.length - (slots[0]!.end - slots[0]!.start) <= LONGEST_REST
    ? slots[0]!.kind
    : null;
}

/** Maximum length of a replacement's other text, such as a unit or a preposition: "45 euros", "on Thursday". */
const LONGEST_REST = 14;

/** The slot's text in a replacement such as "on Thursday". */
export function slotText(text: string): string {
  const [slot] = slotsOf(`x ${text}`);
  return slot === undefined ? text : text.slice(slot.start - 2, slot.end - 2);
}

/** A correction without the words that announce it. */
export interface Statement {
  readonly text: string;
  /** 2 if it states an error, 1 if it only hesitates ("actually"). */
  readonly strength: 1 | 2;
  /** Whether it contains "I meant". */
  readonly meant: boolean;
  /** The wrong value, if it is stated: "not 10". */
  readonly instead: string | null;
}

interface Repair {
  /** The corrected statement; null if it is unknown which of its words were wrong. */
  readonly text: string | null;
  /** The wrong words; empty if the whole statement was wrong. */
  readonly wrong: string;
}

const POINTER =
  /^(?:it|that|this|she|he|they|there)(?:'s|'re| is| are| was| were)(?: (?:on|in|at|the|actually|really))* /i;
const PRONOUN = /^(?:it|that|she|he|they)(?:'s| (?=\p{L}))\s?/iu;
const PREPOSITION = /^(on|in|at|the|to|for|with) /i;
const ADDS = /\b(?:too|also|as well|either|now|still|both)\b/i;
/** Maximum number of words of a replacement. */
const LONGEST_REPLACEMENT = 4;
/** Words that are ignored when statements are compared. */
const FILLERS: ReadonlySet<string> = new Set(
  'finally just really actually so then already and well but oh'.split(' '),
);
const FEWEST_SHARED = 3;

/** The result of applying a correction to a statement; null if the correction is not about it. */
export function repairFor(said: string, correction: Statement): Repair | null {
  const { instead } = correction;
  if (instead !== null && !said.toLowerCase().includes(instead.trim().toLowerCase())) return null;
  return replaceSlot(said, correction) ?? replaceWhole(said, correction) ?? replaceTail(said, correction);
}

/** "I meant Thursday": replaces the weekday of the statement. */
function replaceSlot(said: string, { text, strength, meant }: Statement): Repair | null {
  const bare = text.replace(POINTER, '').replace(PREPOSITION, '');
  const words = bare.split(' ').length;
  const kind = words <= LONGEST_REPLACEMENT ? kindOf(bare) : null;
  const isReplacement =
    meant || POINTER.test(text) || (strength === 2 && words <= 2) || bare === slotText(bare);
  if (kind === null || !isReplacement) return null;
  const slots = slotsOf(said).filter((each) => each.kind === kind);
  const preposition = PREPOSITION.exec(text.replace(POINTER, ''))?.[1]?.toLowerCase();
  const alike = slots.filter(({ start }) => said.slice(0, start).toLowerCase().endsWith(` ${preposition} `));
  const slot = alike.length === 1 ? alike[0] : slots.at(-1);
  if (slot === undefined) return null;
  const [value, wrong] = [slotText(bare), said.slice(slot.start, slot.end)];
  if (value.toLowerCase() === wrong.toLowerCase()) return null;
  if (slots.length > 1 && alike.length !== 1) return { text: null, wrong: '' };
  return { text: said.slice(0, slot.start) + value + said.slice(slot.end), wrong };
}

/** "My sister lives in Ghent" after "My sister lives in Bruges". */
function replaceWhole(said: string, { text, strength }: Statement): Repair | null {
  if (strength < 2 || ADDS.test(text)) return null;
  const isSame = wordsOf(said).join(' ') === wordsOf(text).join(' ');
  return !isSame && sharedOpening(said, text) >= FEWEST_SHARED ? { text, wrong: '' } : null;
}

/** "She lives in Ghent" after "My sister lives in Bruges". */
function replaceTail(said: string, { text, strength }: Statement): Repair | null {
  const tail = text.replace(PRONOUN, '');
  if (tail === text || ADDS.test(text)) return null;
  const [words, [verb, next]] = [said.split(' '), tail.toLowerCase().split(' ')];
  const at = words.findIndex((word, index) => {
    const goesOn = strength === 2 || words[index + 1]?.toLowerCase() === next;
    return index > 0 && word.toLowerCase() === verb && goesOn;
  });
  if (at < 0 || next === undefined) return null;
  return { text: [...words.slice(0, at), tail].join(' '), wrong: '' };
}

function sharedOpening(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared += 1;
  return shared;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}' ]/gu, '')
    .split(' ')
    .filter((word) => !FILLERS.has(word));
}
