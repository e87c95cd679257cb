const SECRET_KINDS = [
  'private key',
  'API key',
  'access token',
  'password',
  'PIN',
  'login code',
  'card number',
  'card security code',
  'IBAN',
  'social security number',
] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

/** Position of a secret in a text: from `start` up to, but excluding, `end`, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * A way to find one kind of secret. `cue` is a quick test that is true wherever `find` may find something. The time
 * of both is linear for every text: each place is read once, or up to a fixed length. `find` yields null after it has
 * read on without a match, so that callers can yield to the event loop.
 */
export interface SecretRule {
  readonly kind: SecretKind;
  readonly cue: RegExp;
  find(text: string): Iterable<Span | null>;
}

/** Maximum distance of a secret from its label, in characters. */
const REACH = 400;

/** The text after a place, limited to the distance that rules read. */
export function following(text: string, at: number): string {
  return text.slice(at, at + REACH);
}

/** Calls the reader at every match of `label`, which is global, and continues after the secret that it found. */
export function* atEach(
  label: RegExp,
  text: string,
  read: (match: RegExpExecArray) => Span | null,
): Generator<Span | null> {
  const scan = new RegExp(label);
  for (let match = scan.exec(text); match !== null; match = scan.exec(text)) {
    const span = read(match);
    yield span;
    if (span !== null) scan.lastIndex = Math.max(scan.lastIndex, span.end);
  }
}

/** The first group is the secret and ends the match; `accept` decides whether it is one. */
export function byPattern(
  pattern: RegExp,
  accept: (secret: string) => boolean = () => true,
): (text: string) => Iterable<Span | null> {
  return (text) =>
    atEach(pattern, text, (match) => {
      const secret = match[1]!;
      const end = match.index + match[0].length;
      return accept(secret) ? { start: end - secret.length, end } : null;
    });
}

/** Whether a pattern matches within `distance` characters of a span. */
export function isNear(
  text: string,
  { start, end }: Span,
  { words, distance }: { readonly words: RegExp; readonly distance: number },
): boolean {
  return words.test(text.slice(Math.max(0, start - distance), end + distance));
}

/** "for the bank", "to my laptop": up to five words between a label and its value. */
const BRIDGE =
  '(?:\\s{1,3}(?:for|to|of|on|at|into|für|para|pour|voor|per)(?:\\s{1,2}(?!(?:and|but|or|is|was)\\b)[^\\s,;:=.!?"“]{1,30}){1,5}?)?';
const MARK = '\\s{0,3}(?:[:=：]|->|=>|→)[*_]{0,2}\\s{0,3}';
const VERB =
  "(?:\\s{1,3}(?:is|was|will be|ist|war|es|est|é|è|это)|['’]s)(?:\\s{1,2}(?:now|currently|still|just|simply|set to|going to be))?:?\\s{1,3}";
const VERB_WITHOUT_SPACE = '\\s?(?:是|は|는|은|为)[:：]?\\s{0,3}';

/**
 * Text between a label and its value: closing quotes of a key, a bridge, then a mark or a verb. Bounded, for use with
 * ^.
 */
export const MARKED_TAIL = new RegExp(`^["'\`*]{0,3}${BRIDGE}${MARK}`, 'iu');
export const SAID_TAIL = new RegExp(`^["'\`*]{0,3}${BRIDGE}(?:${VERB}|${VERB_WITHOUT_SPACE})`, 'iu');
/** Text between a label and its value without a mark: a space, a bracket or a number sign. */
export const BARE_TAIL = /^["'`*]{0,3}\s{0,2}(?:to\s|#|\(|-\s)?\s{0,2}(?=["'`“«\p{L}\p{N}])/u;
