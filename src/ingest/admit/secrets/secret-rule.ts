export const SECRET_KINDS = [
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

/** Where a secret stands in a text: from `start` up to, not with, `end`, in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * One way to find one kind of secret. `cue` is a quick test that is true wherever `find` may find something. The time
 * of both is linear in the text, whatever the text is: what stands at one place is read once, or to a fixed length.
 * `find` gives null where it has read on and found nothing: others may get their turn there.
 */
export interface SecretRule {
  readonly kind: SecretKind;
  readonly cue: RegExp;
  find(text: string): Iterable<Span | null>;
}

/** How far after a label a secret is looked for. */
const REACH = 400;

/** The text after a place, as far as rules read. */
export function following(text: string, at: number): string {
  return text.slice(at, at + REACH);
}

/** Reads at every match of `label`, which is global; goes on behind what was found. */
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

/** The first group is the secret and ends the match; `accept` says whether it is one. */
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
