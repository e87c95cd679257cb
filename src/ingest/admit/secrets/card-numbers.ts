import { isNear, type Span } from './secret-rule.ts';

const GAP = '[ \\u00a0\\u2009\\u202f\\u2010-\\u2013-]';
export const CARD_CUE = new RegExp(`\\d(?:${GAP}?\\d){12}`);
/** Whole runs of digits, so that nothing is read twice. */
const RUN = new RegExp(`\\d+(?:${GAP}\\d+)*`, 'g');
const GROUP = /\d+/g;

/** First digits and lengths that issuers have given out (ISO/IEC 7812); the lengths that nearly all cards have come first. */
const ISSUERS: readonly {
  readonly prefix: RegExp;
  readonly usual: number;
  readonly rare: readonly number[];
}[] = [
  { prefix: /^4/, usual: 16, rare: [13, 19] }, // Visa
  {
    prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    usual: 16,
    rare: [],
  }, // Mastercard
  { prefix: /^3[47]/, usual: 15, rare: [] }, // American Express
  { prefix: /^(?:30[0-5]|3[689])/, usual: 14, rare: [16, 19] }, // Diners Club
  { prefix: /^(?:6011|64[4-9]|65)/, usual: 16, rare: [17, 18, 19] }, // Discover
  { prefix: /^35(?:2[89]|[3-8])/, usual: 16, rare: [17, 18, 19] }, // JCB
  { prefix: /^62/, usual: 16, rare: [17, 18, 19] }, // UnionPay
  { prefix: /^220[0-4]/, usual: 16, rare: [17, 18, 19] }, // Mir
  { prefix: /^(?:50|5[6-8]|60|6304|67|81|82)/, usual: 16, rare: [13, 14, 15, 17, 18, 19] }, // Maestro, RuPay
];

const CARD_WORDS =
  /(?<!\p{L})(?:(?:credit|debit|bank|gift)? ?cards?|visa|master ?card|maestro|amex|american express|discover|diners|jcb|unionpay|cvv|cvc|kreditkarte|karte|tarjeta|carte|cartão|carta)(?!\p{L})/iu;
/** What other long numbers are called. */
const OTHER_WORDS =
  /(?<!\p{L})(?:order|tracking|track|invoice|parcel|shipment|serial|imei|isbn|ean|upc|barcode|ticket|case|booking|confirmation|reference|ref|policy|account|phone|tel|call|fax|mobile|member(?:ship)?|student|version|build|id)(?:\p{L}{0,3}| (?:number|no|code|id|nr))?\.?\s{0,2}(?:is|was)?[\s:#=("'-]{0,4}$/iu;

export function* findCardNumbers(text: string): Generator<Span | null> {
  for (const match of text.matchAll(RUN)) {
    if (match[0].length < 13) yield null;
    else yield* inRun(text, match[0], match.index);
  }
}

/** Looks for groups of digits that together are a card; an expiry date or a second card may follow in the same run. */
function* inRun(text: string, run: string, offset: number): Generator<Span | null> {
  const groups: Group[] = [];
  for (const { index, 0: digits } of run.matchAll(GROUP)) {
    groups.push({ digits, start: offset + index });
    yield null;
  }
  for (let from = 0; from < groups.length; from += 1) {
    const count = isInsideDigits(groups, from) ? 0 : cardGroups(text, groups, from);
    if (count === 0) {
      yield null;
      continue;
    }
    const last = groups[from + count - 1]!;
    yield { start: groups[from]!.start, end: last.start + last.digits.length };
    from += count - 1;
  }
}

interface Group {
  readonly digits: string;
  readonly start: number;
}

/** A number read out digit by digit is looked at from its first digit only. */
function isInsideDigits(groups: readonly Group[], at: number): boolean {
  return groups[at]!.digits.length === 1 && groups[at - 1]?.digits.length === 1;
}

/** How many groups from here on are a card: 0 where none. The longest wins. */
function cardGroups(text: string, groups: readonly Group[], from: number): number {
  let [digits, found] = ['', 0];
  for (let at = from; at < groups.length && at - from < 19; at += 1) {
    digits += groups[at]!.digits;
    if (digits.length > 19) break;
    // Few numbers pass, and most shapes are costlier to tell.
    if (digits.length < 13 || !passesLuhn(digits) || !hasCardShape(groups.slice(from, at + 1))) continue;
    const end = groups[at]!.start + groups[at]!.digits.length;
    if (isCard(text, digits, { start: groups[from]!.start, end })) found = at - from + 1;
  }
  return found;
}

/** As cards are printed or read out: one block, fours, 4-6-5 and 4-6-4, or digit by digit. */
function hasCardShape(groups: readonly Group[]): boolean {
  const sizes = groups.map(({ digits }) => digits.length).join('-');
  return /^(?:\d\d|4-4-4-4(?:-[123])?|4-6-[45]|8-8|1(?:-1)+)$/.test(sizes);
}

function isCard(text: string, digits: string, span: Span): boolean {
  const issuer = ISSUERS.find(({ prefix }) => prefix.test(digits));
  if (issuer === undefined || new Set(digits).size < 2 || !passesLuhn(digits)) return false;
  const isUsual = digits.length === issuer.usual;
  if (!isUsual && !issuer.rare.includes(digits.length)) return false;
  if (isPartOfMore(text, span)) return false;
  if (isNear(text, span, { words: CARD_WORDS, distance: 60 })) return true;
  return isUsual && !isNamedOtherwise(text, span);
}

/** A decimal, an identifier, a telephone number with its country. */
function isPartOfMore(text: string, { start, end }: Span): boolean {
  return (
    /[\p{L}_+]$|\d[.,]$/u.test(text.slice(Math.max(0, start - 2), start)) ||
    /^(?:[\p{L}_]|[.,]\d)/u.test(text.slice(end, end + 2))
  );
}

function isNamedOtherwise(text: string, { start }: Span): boolean {
  const before = text.slice(Math.max(0, start - 40), start);
  return /[/=&]$/.test(before) || OTHER_WORDS.test(before);
}

/** ISO/IEC 7812-1, annex B. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 48;
    const doubled = at % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
