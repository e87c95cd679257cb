/** Words that stand in sentences and in no passphrase. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  'a an the my your our his her their its this that these those it i you we they he she not no so too very is are was were be been to in on of at for from with by as if when where what which who how why and or but than has have had can could will would should must may might do does did'.split(
    ' ',
  ),
);
/** What is said of passwords that is no password. */
const STATES: ReadonlySet<string> = new Set(
  (
    'a an the my your our his her their its this that these those it i you we they he she not no never always also ' +
    'too so very really only just still again at in on of to for from with by as if when where what which who how ' +
    'why and or but than then there here same one mine yours something anything nothing everything been being be ' +
    'is are was were do does did has have had can could will would should must may might ok okay fine good great ' +
    'bad best better wrong right correct incorrect weak strong secure insecure safe unsafe invalid valid missing ' +
    'lost easy hard difficult complex simple unique different random long longer short shorter old older new newer ' +
    'unknown known blank empty optional mandatory obvious common public private secret personal important ' +
    'irrelevant essential sufficient insufficient available unavailable gone stolen broken hidden forgotten ' +
    'written given set reset kept held sent shown taken due up down out off yes none null undefined nil true ' +
    'false string str text password passwd passcode passphrase pin code number char varchar any object ' +
    'todo tbd example placeholder ask call see check use create enter choose type try make change please click ' +
    'n-a your-password changeme above below case-sensitive ein eine der die das nicht sehr el la un una no muy le ' +
    'une pas très o um uma não de het een niet'
  ).split(' '),
);
const STATE_ENDING = /(?:ed|ing|able|ible|ive|ful|less|ly|ness|tion)$/i;
const UNITS =
  /^\s{0,2}-?\s?(?:or more|to \d|\+|characters?|chars?|digits?|letters?|words?|symbols?|numbers?|bits?|bytes?|years?|months?|weeks?|days?|hours?|minutes?|times?|percent|%|people|accounts?|sites?|attempts?|tries)(?!\p{L})/iu;
const COUNT =
  /^\d{1,3}(?:st|nd|rd|th|x|\+|-?(?:bit|char|digit|character|letter|word|day|year|time|factor)s?)?$/i;
const PLACEHOLDER =
  /^(?:<|\{\{|\$\{|\$\(|\$[A-Z_]+$|%[A-Z_]+%|\[(?:redacted|your|password|hidden|removed|secret|insert)|https?:)/i;
/** Code that fetches it: getpass(), settings.PASSWORD, req.body.password. */
const EXPRESSION = /^[A-Za-z_][\w.]*\(|^[A-Za-z_]\w*(?:\.[A-Za-z_]+)+\b[;,]?$|^(?:process|os)\.env/;

/** Letters only, as a name or a word is written: "swordfish", "Blue-Whale". */
export function isPlainWord(value: string): boolean {
  return /^\p{L}[\p{L}'’-]{2,40}$/u.test(value);
}

/** Whether a word, or any of several, is one that is said about passwords. */
export function saysNothing(value: string): boolean {
  const words = value.toLowerCase().split(/\s+/u);
  if (words.length === 1) return STATES.has(words[0]!) || STATE_ENDING.test(words[0]!);
  return words.some((word) => FUNCTION_WORDS.has(word));
}

/** Digits, signs or capitals inside a word, and nothing that counts, masks, points or fetches; `next` is what follows. */
export function looksSecret(value: string, next = ''): boolean {
  const head = value.slice(0, 300);
  if (head.length < 4 || !/[\p{L}\p{N}]/u.test(head)) return false;
  if (PLACEHOLDER.test(head) || EXPRESSION.test(head) || COUNT.test(head)) return false;
  if (/^\d[\d+–-]*$/.test(head) && UNITS.test(next)) return false;
  if (STATES.has(head.toLowerCase())) return false;
  if (/\d/.test(head)) return !/^\d+-(?:\p{L}|-)+$/u.test(head);
  return /\p{Ll}\p{Lu}/u.test(head) || /[^\p{L}\p{N}'’\s/-]/u.test(head);
}
