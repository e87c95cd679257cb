import { BARE_TAIL, MARKED_TAIL, SAID_TAIL } from './labelled-tail.ts';
import { looksSecret } from './password-value.ts';
import { atEach, following, isNear, type Span } from './secret-rule.ts';

/** A number that is secret because of the words before it. */
interface LabelledNumber {
  readonly label: RegExp;
  /** Read where the number must begin; the whole match is the secret. */
  readonly number: RegExp;
  /** Words that must stand within 120 characters. */
  readonly near?: RegExp;
}

const CODE = /^(?:[A-Z]-)?(?:\d{3}[ -]\d{3}|\d{4,8})(?![\p{L}\p{N}]|[.,-]\d)/u;
const UNITS = /^\s{1,2}(?:or|times|people|characters|digits|days|years|dollars|points|users|euros)(?!p{L})/i;

/** Words that say that somebody logs in. "Code" alone also names zip codes, discounts and errors. */
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

/** India's postal codes are called PIN codes. */
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
