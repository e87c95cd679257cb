import { wordSet } from '../../../util/collections.ts';
import words from './passwords.json' with { type: 'json' };
import { atEach, BARE_TAIL, following, isNear, MARKED_TAIL, SAID_TAIL, type Span } from './secret-rule.ts';

/** Words that occur in sentences but not in passphrases. */
const FUNCTION_WORDS = wordSet(words.functionWords);
/** Words that describe a password's state ("expired"). */
const STATES = wordSet(words.states);
const STATE_ENDING = /(?:ed|ing|able|ible|ive|ful|less|ly|ness|tion)$/i;
const UNITS =
  /^\s{0,2}-?\s?(?:or more|to \d|\+|characters?|chars?|digits?|letters?|words?|symbols?|numbers?|bits?|bytes?|years?|months?|weeks?|days?|hours?|minutes?|times?|percent|%|people|accounts?|sites?|attempts?|tries)(?!\p{L})/iu;
const COUNT =
  /^\d{1,3}(?:st|nd|rd|th|x|\+|-?(?:bit|char|digit|character|letter|word|day|year|time|factor)s?)?$/i;
const PLACEHOLDER =
  /^(?:<|\{\{|\$\{|\$\(|\[(?:redacted|your|password|hidden|removed|secret|insert)|https?:)/i;
/** A variable of a shell: `$PASSWORD`, `%PASSWORD%`. */
const VARIABLE = /^(?:\$[A-Z_][A-Z\d_]*$|%[A-Z_]+%)/;
/** Code that reads the password: getpass(), settings.PASSWORD, req.body.password. */
const EXPRESSION = /^[A-Za-z_][\w.]*\(|^[A-Za-z_]\w*(?:\.[A-Za-z_]+)+\b[;,]?$|^(?:process|os)\.env/;

/** Whether it has letters only, like a name or word: "swordfish", "Blue-Whale". */
function isPlainWord(value: string): boolean {
  return /^\p{L}[\p{L}'’-]{2,40}$/u.test(value);
}

/** Whether the value is a word, or several of them, that describes a password rather than being one. */
function saysNothing(value: string): boolean {
  const words = value.toLowerCase().split(/\s+/u);
  if (words.length === 1) return STATES.has(words[0]!) || STATE_ENDING.test(words[0]!);
  return words.some((word) => FUNCTION_WORDS.has(word));
}

/**
 * Whether the value has digits, signs or inner capitals, and is no counter, mask, placeholder or expression. `next`
 * is the text after it.
 */
export function looksSecret(value: string, next = ''): boolean {
  const head = value.slice(0, 300);
  if (head.length < 4 || !/[\p{L}\p{N}]/u.test(head)) return false;
  if (PLACEHOLDER.test(head) || VARIABLE.test(head) || EXPRESSION.test(head) || COUNT.test(head))
    return false;
  if (/^\d[\d+–-]*$/.test(head) && UNITS.test(next)) return false;
  if (STATES.has(head.toLowerCase())) return false;
  if (/\d/.test(head)) return !/^\d+-(?:\p{L}|-)+$/u.test(head);
  return /\p{Ll}\p{Lu}/u.test(head) || /[^\p{L}\p{N}'’\s/-]/u.test(head);
}

const LABEL =
  /(?:pass ?(?:word|phrase|code)|passwd|pwd|pw|pass(?=["'`]?\s?[:=])|(?:seed|recovery|mnemonic|backup) phrase|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль)(?![\p{L}\p{N}])|密码|密碼|パスワード|비밀번호/giu;
export const PASSWORD_CUE = new RegExp(LABEL.source, 'iu');
/** "Pass" may also mean a ticket: it labels a password only near words for an account. */
const ACCOUNT = /(?<!\p{L})(?:user|username|login|log in|account|e-?mail|admin|root|wi-?fi|ssid)(?!\p{L})/iu;
const OF_SEVERAL_WORDS = /phrase$/i;
const WORDS = /^\p{L}{2,20}(?:[ -]\p{L}{2,20}){2,23}(?![\p{L}\p{N}])/u;
const QUOTED = /^(["'“‘`«])([^"'”’`»\n]{1,200})["'”’`»]/;
/** End of a clause, after which the value has no further words. */
const CLAUSE_END =
  /^["'”’)\]}>*`]{0,3}(?:\s{0,3}$|\s{0,3}[\n.,;!?)|]|\s{1,3}(?:and|but|or|so|for|on|at|btw|please|in case|if)(?!\p{L}))/iu;

/** Passwords and passphrases that a text states: "my password is …", "pw: …", "DB_PASSWORD=…". */
export const findPasswords = (text: string): Iterable<Span | null> =>
  atEach(LABEL, text, ({ index, 0: label }) => {
    if (isInsideWord(text, index)) return null;
    const after = index + label.length;
    const rest = following(text, after);
    const stated = MARKED_TAIL.exec(rest) ?? SAID_TAIL.exec(rest);
    const tail = stated ?? BARE_TAIL.exec(rest);
    if (tail === null) return null;
    const found = readValue(text, after + tail[0].length, { label, isStated: stated !== null });
    if (found === null || label.toLowerCase() !== 'pass') return found;
    return isNear(text, found, { words: ACCOUNT, distance: 80 }) ? found : null;
  });

/** True for "1Password" and "compassword"; dbPassword and DB_PASSWORD are labels. */
function isInsideWord(text: string, at: number): boolean {
  const before = text.charAt(at - 1);
  if (!/[\p{L}\p{N}]/u.test(before)) return false;
  return !/^\p{Ll}\p{Lu}/u.test(text.slice(at - 1, at + 1)) && /[\p{L}\p{N}]/u.test(text.charAt(at));
}

interface Statement {
  readonly label: string;
  /** Whether a mark or a verb separates label and value. */
  readonly isStated: boolean;
}

function readValue(text: string, start: number, { label, isStated }: Statement): Span | null {
  const rest = following(text, start);
  if (isStated && OF_SEVERAL_WORDS.test(label)) {
    const words = WORDS.exec(rest)?.[0];
    if (words !== undefined && !saysNothing(words)) return { start, end: start + words.length };
  }
  const quoted = QUOTED.exec(rest);
  if (quoted !== null) {
    const value = quoted[2]!;
    const isSecret = isStated ? !isEmptyTalk(value) : looksSecret(value);
    return isSecret ? { start: start + 1, end: start + 1 + value.length } : null;
  }
  return readBare(text, start, isStated);
}

function readBare(text: string, start: number, isStated: boolean): Span | null {
  const rest = following(text, start);
  const raw = /^[*_]{0,2}(\S+)/.exec(rest);
  if (raw === null) return null;
  const value = raw[1]!.replace(/[.,;:?)\]}"'”’>*`。，]{1,9}$/, '');
  const from = start + raw[0].length - raw[1]!.length;
  const goesOn = raw[0].length === rest.length && start + rest.length < text.length;
  const span = { start: from, end: goesOn ? wordEnd(text, from) : from + value.length };
  const next = following(text, from + value.length);
  if (looksSecret(value, next)) return isStated || value.length >= 6 ? span : null;
  return isStated && isPlainWord(value) && !saysNothing(value) && CLAUSE_END.test(next) ? span : null;
}

function isEmptyTalk(value: string): boolean {
  return !looksSecret(value) && (!/^\p{L}[\p{L} '’-]*$/u.test(value) || saysNothing(value));
}

function wordEnd(text: string, from: number): number {
  const space = /\s/g;
  space.lastIndex = from;
  return space.exec(text)?.index ?? text.length;
}
