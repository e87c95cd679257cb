import { AMOUNT, MONTH, SHORT_MONTH, WEEKDAY } from './time-words.ts';

/** What can stand in for what when a speaker puts a word right. */
export type SlotKind = 'clock' | 'day' | 'ordinal' | 'month' | 'number' | 'name';

export interface Slot {
  readonly kind: SlotKind;
  readonly start: number;
  readonly end: number;
}

const NUMBER = AMOUNT.replaceAll(
  /\ba couple\(\?: of\)\?\||couple\(\?: of\)\?\||a few\||few\||several\||an\?\|/g,
  '',
).replace('\\d{1,3}', '[$€£]?\\d+(?:[.,]\\d+)*%?');
/** Strongest first: a later kind does not read what an earlier one has. */
const PATTERNS: readonly (readonly [SlotKind, RegExp])[] = [
  [
    'clock',
    /\b(?:\d{1,2}[:.]\d{2}(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?[ap]\.?m\b\.?|noon|midnight|(?:half past|quarter (?:past|to)) \w+|\w+ o'clock)/giu,
  ],
  ['ordinal', /\b\d{1,2}(?:st|nd|rd|th)\b/giu],
  [
    'day',
    new RegExp(
      `\\b(?:(?:next|last|this) )?(?:${WEEKDAY})\\b|\\b(?:today|tonight|tomorrow|yesterday)\\b|\\b(?:next|last|this) (?:week|weekend)\\b`,
      'giu',
    ),
  ],
  ['month', new RegExp(`\\b(?:${MONTH}|(?:${SHORT_MONTH})\\b\\.?)(?![\\p{L}])`, 'gu')],
  [
    'number',
    new RegExp(
      `(?<![\\p{L}\\d.,:])(?:${NUMBER}|hundred|thousand|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?![\\p{L}\\d]|[.,:]\\d)`,
      'giu',
    ),
  ],
  [
    'name',
    /(?<![\p{L}'])\p{Lu}[\p{L}\p{M}'-]+(?: (?:(?:de|la|of|the|van|von) ){0,2}\p{Lu}[\p{L}\p{M}'-]+){0,3}/gu,
  ],
];

/** The words of a text that another of their kind may replace, in order. */
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

/** The kind of a word or two that stand alone, else null. */
export function kindOf(text: string): SlotKind | null {
  const slots = slotsOf(`x ${text}`).map((slot) => ({ ...slot, start: slot.start - 2, end: slot.end - 2 }));
  return slots.length === 1 && text.length - (slots[0]!.end - slots[0]!.start) <= LONGEST_REST
    ? slots[0]!.kind
    : null;
}

/** Beside its slot a replacement may hold a unit or a preposition: "45 euros", "on Thursday". */
const LONGEST_REST = 14;

/** The slot's text in a replacement such as "on Thursday". */
export function slotText(text: string): string {
  const [slot] = slotsOf(`x ${text}`);
  return slot === undefined ? text : text.slice(slot.start - 2, slot.end - 2);
}
