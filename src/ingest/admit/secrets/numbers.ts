import { looksSecret } from './passwords.ts';
import { atEach, BARE_TAIL, following, isNear, MARKED_TAIL, SAID_TAIL, type Span } from './secret-rule.ts';

const GAP = '[ \\u00a0\\u2009\\u202f\\u2010-\\u2013-]';
export const CARD_CUE = new RegExp(`\\d(?:${GAP}?\\d){12}`);
/** Whole runs of digits, so that no digit is scanned twice. */
const RUN = new RegExp(`\\d+(?:${GAP}\\d+)*`, 'g');
const GROUP = /\d+/g;

/** First digits and lengths that issuers use (ISO/IEC 7812), most frequent lengths first. */
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
/** Words that label other long numbers. */
const OTHER_WORDS =
  /(?<!\p{L})(?:order|tracking|track|invoice|parcel|shipment|serial|imei|isbn|ean|upc|barcode|ticket|case|booking|confirmation|reference|ref|policy|account|phone|tel|call|fax|mobile|member(?:ship)?|student|version|build|id)(?:\p{L}{0,3}| (?:number|no|code|id|nr))?\.?\s{0,2}(?:is|was)?[\s:#=("'-]{0,4}$/iu;

export function* findCardNumbers(text: string): Generator<Span | null> {
  for (const match of text.matchAll(RUN)) {
    if (match[0].length < 13) yield null;
    else yield* inRun(text, match[0], match.index);
  }
}

/**
 * Searches for groups of digits that together form a card number; an expiry date or a second card may follow in the
 * same run.
 */
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

/** A number that is written digit by digit is tested from its first digit only. */
function isInsideDigits(groups: readonly Group[], at: number): boolean {
  return groups[at]!.digits.length === 1 && groups[at - 1]?.digits.length === 1;
}

/** Number of groups from `from` on that form a card number, the longest match; 0 if none does. */
function cardGroups(text: string, groups: readonly Group[], from: number): number {
  let [digits, found] = ['', 0];
  for (let at = from; at < groups.length && at - from < 19; at += 1) {
    digits += groups[at]!.digits;
    if (digits.length > 19) break;
    // The cheap tests first: few numbers pass the checksum.
    if (digits.length < 13 || !passesLuhn(digits) || !hasCardShape(groups.slice(from, at + 1))) continue;
    const end = groups[at]!.start + groups[at]!.digits.length;
    if (isCard(text, digits, { start: groups[from]!.start, end })) found = at - from + 1;
  }
  return found;
}

/** Whether the groups are as cards are printed or read out: one block, fours, 4-6-5 and 4-6-4, or digit by digit. */
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

/** Whether it is part of a decimal, an identifier or a telephone number with a country code. */
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

/** Length of an IBAN by country (ISO 13616 registry). */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 ' +
    'EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 ' +
    'KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 ' +
    'PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 ' +
    'UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const HEAD = /(?<![\p{L}\p{N}])[A-Za-z]{2}\d{2}(?=[ \u00a0-]?[A-Za-z0-9])/gu;

export const findIbans = (text: string): Iterable<Span | null> =>
  atEach(HEAD, text, ({ index, 0: head }) => {
    const length = LENGTHS.get(head.slice(0, 2).toUpperCase());
    return length === undefined ? null : readIban(text, index, length);
  });

/** Reads as many letters and digits as an IBAN of the country has, ignoring single spaces and dashes. */
function readIban(text: string, start: number, length: number): Span | null {
  let [account, at] = ['', start];
  while (account.length < length) {
    if (/[ \u00a0-]/.test(text.charAt(at)) && account.length >= 4) at += 1;
    const character = text.charAt(at);
    if (!/[A-Za-z0-9]/.test(character)) return null;
    account += character.toUpperCase();
    at += 1;
  }
  return /^[\p{L}\p{N}]/u.test(text.slice(at)) || !passesMod97(account) ? null : { start, end: at };
}

/** ISO 7064: moves the first four characters to the end and maps letters to 10 to 35; the remainder must be 1. */
export function passesMod97(account: string): boolean {
  let remainder = 0;
  for (const character of account.slice(4) + account.slice(0, 4))
    for (const digit of Number.parseInt(character, 36).toString())
      remainder = (remainder * 10 + Number(digit)) % 97;
  return remainder === 1;
}

/** A number that is secret because of the words before it. */
interface LabelledNumber {
  readonly label: RegExp;
  /** Matched where the number must begin; the whole match is the secret. */
  readonly number: RegExp;
  /** Words that must occur within 120 characters. */
  readonly near?: RegExp;
}

const CODE = /^(?:[A-Z]-)?(?:\d{3}[ -]\d{3}|\d{4,8})(?![\p{L}\p{N}]|[.,-]\d)/u;
const UNITS = /^\s{1,2}(?:or|times|people|characters|digits|days|years|dollars|points|users|euros)(?!p{L})/i;

/** Words that refer to logging in. "Code" alone also names zip codes, discounts and errors. */
const LOGIN =
  /verif|\blog(?:ging|ged)?[ -]?(?:in|on)\b|\bsign(?:ing|ed)?[ -]?in\b|two-factor|2-step|\b2fa\b|\bmfa\b|\botp\b|one-time|authenticat|passcode|(?:do not|don['’]t|never) share|expires in \d+ min/iu;
const OTHER_CODE =
  '(?<!(?:promo|promotion|zip|area|error|country|dial(?:l?ing)?|postal|post|discount|coupon|tracking|source|product|item|bar|qr|status|exit|voucher|referral|gift|booking|colou?r|hex|building|course|dress|morse|swift|sort|tax|stock|fault|response|country|airport|model|part|style)[ -]?)';

const PIN: LabelledNumber = {
  label:
    /(?<![\p{L}\p{N}])(?:PIN|(?:my|your|our|his|her|their|the|card|bank|phone|sim|atm|debit|credit|unlock) (?:[\p{L}'’]{1,15} ){0,2}?(?:pin|Pin|PIN)|[Pp]in(?=\s?[:=]| (?:is|was) ))(?:[ -]?(?:number|no\.?|code))?(?![\p{L}\p{N}])/gu,
  number: /^\d(?:[ -]?\d){3,7}(?![\p{L}\p{N}]|[.,-]\d)/u,
};
const LOGIN_CODE: LabelledNumber = {
  label:
    /(?<![\p{L}\p{N}])(?:(?:verification|security|log-?in|sign-?in|authenticat(?:ion|or)|two-factor|2-?step|2fa|mfa|one-?time|sms|otp)(?: verification)? (?:code|passcode|pin|password)|otp|2fa)(?![\p{L}\p{N}])/giu,
  number: CODE,
};
const CODE_BESIDE_LOGIN: LabelledNumber = {
  label: new RegExp(`${OTHER_CODE}(?<![\\p{L}\\p{N}])code(?![\\p{L}\\p{N}])`, 'giu'),
  number: CODE,
  near: LOGIN,
};
const CARD_CODE: LabelledNumber = {
  label:
    /(?<![\p{L}\p{N}])(?:cvv2?|cvc2?|card (?:security|verification) (?:code|number|value))(?![\p{L}\p{N}])/giu,
  number: /^\d{3,4}(?![\p{L}\p{N}]|[.,]\d)/u,
};
const SOCIAL_SECURITY: LabelledNumber = {
  label:
    /(?<![\p{L}\p{N}])(?:ssn|social security|soc\.? sec\.?)(?: (?:number|no\.?|num|#))?(?![\p{L}\p{N}])/giu,
  number: /^(?!000|666)\d{3}(?:[ –-]?)(?!00)\d{2}[ –-]?(?!0000)\d{4}(?![\p{L}\p{N}])/u,
};

/** "118922 is your … code", "4921 as my PIN": the number comes first. */
const SAID_AFTER =
  /(?<![\p{L}\p{N}])(?:is|as) (?:my|your|the|our|his|her|their) ((?:[\p{L}\d'’-]{1,20} ){0,4}?)(code|pin|passcode|password|passphrase|otp)(?![\p{L}\p{N}])/giu;
const LAST_CODE = /(?<![\p{L}\p{N}.,/])(?:[A-Z]-)?(?:\d{3}[ -]\d{3}|\d{4,8})(?=["'”’*`]{0,2}\s{1,2}$)/u;
const LAST_WORD = /(?<=^|[\s"'“‘`*])[^\s"'“”‘’`*[\]]{4,80}(?=["'”’*`]{0,2}\s{1,2}$)/u;

export const findPins = (text: string): Iterable<Span | null> =>
  concat(labelled(PIN, text), before(text, 'pin'));
export const findCardCodes = (text: string): Iterable<Span | null> => labelled(CARD_CODE, text);
export const findSocialSecurityNumbers = (text: string): Iterable<Span | null> =>
  labelled(SOCIAL_SECURITY, text);
export const findLoginCodes = (text: string): Iterable<Span | null> =>
  concat(labelled(LOGIN_CODE, text), labelled(CODE_BESIDE_LOGIN, text), before(text, 'code'));
export const findPasswordsBefore = (text: string): Iterable<Span | null> => before(text, 'password');

function labelled({ label, number, near }: LabelledNumber, text: string): Iterable<Span | null> {
  return atEach(label, text, ({ index, 0: said }) => {
    const start = valueStart(text, index + said.length);
    const found = start === null ? null : number.exec(following(text, start));
    if (start === null || found === null || isPostal(said, found[0])) return null;
    const span = { start, end: start + found[0].length };
    if (UNITS.test(following(text, span.end))) return null;
    return near === undefined || isNear(text, span, { words: near, distance: 120 }) ? span : null;
  });
}

function valueStart(text: string, after: number): number | null {
  const rest = following(text, after);
  const tail = MARKED_TAIL.exec(rest) ?? SAID_TAIL.exec(rest) ?? BARE_TAIL.exec(rest);
  if (tail === null) return null;
  const quotes = /^["'“‘`*]{0,3}/.exec(rest.slice(tail[0].length))![0];
  return after + tail[0].length + quotes.length;
}

/** In India, postal codes are called PIN codes. */
function isPostal(label: string, number: string): boolean {
  return /^pin[ -]?code$/i.test(label) && /^[1-9]\d{2} ?\d{3}$/.test(number);
}

function before(text: string, wanted: 'pin' | 'code' | 'password'): Iterable<Span | null> {
  return atEach(SAID_AFTER, text, ({ index, 0: said, 1: between = '', 2: label = '' }) => {
    if (kindOf(label) !== wanted) return null;
    const head = text.slice(Math.max(0, index - (wanted === 'password' ? 100 : 30)), index);
    const found = (wanted === 'password' ? LAST_WORD : LAST_CODE).exec(head);
    if (found === null || (wanted === 'password' && !looksSecret(found[0]))) return null;
    const start = index - head.length + found.index;
    const span = { start, end: start + found[0].length };
    const isLogin = wanted !== 'code' || LOGIN.test(`${between}${said}`) || /security/i.test(between);
    return isLogin || isNear(text, span, { words: LOGIN, distance: 120 }) ? span : null;
  });
}

function kindOf(label: string): 'pin' | 'code' | 'password' {
  const lower = label.toLowerCase();
  if (lower === 'pin') return 'pin';
  return lower === 'code' || lower === 'otp' || lower === 'passcode' ? 'code' : 'password';
}

function* concat(...lists: readonly Iterable<Span | null>[]): Generator<Span | null> {
  for (const list of lists) yield* list;
}
