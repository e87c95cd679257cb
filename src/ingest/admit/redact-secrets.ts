import { atOnce, type Breather, gradually, type Steps } from '../../util/breathe.ts';
import {
  findAuthorization,
  findJsonWebTokens,
  findKeys,
  findLabelledKeys,
  findPrivateKeys,
  findTokens,
  findUrlPasswords,
} from './secrets/keys.ts';
import {
  CARD_CUE,
  findCardCodes,
  findCardNumbers,
  findIbans,
  findLoginCodes,
  findPasswordsBefore,
  findPins,
  findSocialSecurityNumbers,
} from './secrets/numbers.ts';
import { findPasswords, PASSWORD_CUE } from './secrets/passwords.ts';
import type { SecretKind, SecretRule, Span } from './secrets/secret-rule.ts';

/** The rules for every kind of secret. Where two find the same place, the first one decides its kind. */
export const SECRET_RULES: readonly SecretRule[] = [
  { kind: 'private key', cue: /PRIVATE KEY/, find: findPrivateKeys },
  { kind: 'API key', cue: /(?<![\w-])[\w-]{18}|SG\./, find: findKeys },
  { kind: 'access token', cue: /(?<![\w-])[\w-]{16}|services\//, find: findTokens },
  { kind: 'access token', cue: /eyJ/, find: findJsonWebTokens },
  { kind: 'access token', cue: /authorization|bearer/i, find: findAuthorization },
  { kind: 'password', cue: /:\/\//, find: findUrlPasswords },
  { kind: 'API key', cue: /(?:key|token|secret)/i, find: findLabelledKeys },
  { kind: 'card number', cue: CARD_CUE, find: findCardNumbers },
  { kind: 'IBAN', cue: /[A-Za-z]{2}\d{2}/, find: findIbans },
  { kind: 'social security number', cue: /ssn|soc/i, find: findSocialSecurityNumbers },
  { kind: 'card security code', cue: /cv[vc]|card/i, find: findCardCodes },
  { kind: 'PIN', cue: /pin(?!\p{L})/iu, find: findPins },
  { kind: 'login code', cue: /code|otp|2fa|mfa|one-?time/i, find: findLoginCodes },
  { kind: 'password', cue: PASSWORD_CUE, find: findPasswords },
  { kind: 'password', cue: /pass(?:word|phrase)/i, find: findPasswordsBefore },
];

/** Start of the mark that replaces a secret. */
export const REDACTED = '[redacted: ';

export interface FoundSecret {
  readonly kind: SecretKind;
  readonly count: number;
}
interface Redaction {
  /** The text with each secret replaced by "[redacted: kind]"; the unchanged text if there is none. */
  readonly text: string;
  /** Each kind once, in text order. Never the secrets themselves. */
  readonly found: readonly FoundSecret[];
}

interface Secret extends Span {
  readonly kind: SecretKind;
}

/**
 * Redacts secrets in a text: keys and tokens by their format, card numbers and IBANs by their checksum, passwords,
 * PINs, login codes and US social security numbers by the words next to them.
 *
 * Idempotent. The time is linear in the length of the text. A secret without known format, checksum or words next to
 * it (a bare password) is not recognised.
 */
export function redactSecrets(text: string): Redaction {
  return atOnce(redacted(text));
}

/** A text that is read in less than a millisecond. */
const SHORT = 4_096;

/** Like `redactSecrets`, but yields to the event loop while it reads a long text. */
export async function redactGradually(text: string, breather: Breather): Promise<Redaction> {
  return text.length <= SHORT ? redactSecrets(text) : gradually(redacted(text), breather);
}

function* redacted(text: string): Steps<Redaction> {
  const found: Secret[] = [];
  for (const { kind, cue, find } of SECRET_RULES) {
    yield;
    if (!cue.test(text)) continue;
    for (const span of find(text)) {
      if (span !== null) found.push({ ...span, kind });
      yield;
    }
  }
  const secrets = merged(found);
  yield;
  if (secrets.length === 0) return { text, found: [] };
  const parts: string[] = [];
  const counts = new Map<SecretKind, number>();
  let at = 0;
  for (const { start, end, kind } of secrets) {
    parts.push(text.slice(at, start), `${REDACTED}${kind}]`);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    at = end;
  }
  parts.push(text.slice(at));
  return { text: parts.join(''), found: Array.from(counts, ([kind, count]) => ({ kind, count })) };
}

/** In text order; overlapping secrets become one of the kind that comes first in the table. */
function merged(secrets: readonly Secret[]): Secret[] {
  if (secrets.length < 2) return [...secrets];
  const ranked = secrets
    .map((secret, rank) => ({ secret, rank }))
    .sort((a, b) => a.secret.start - b.secret.start);
  const result: { secret: Secret; rank: number }[] = [];
  for (const next of ranked) {
    const last = result.at(-1);
    if (last === undefined || next.secret.start >= last.secret.end) result.push(next);
    else result[result.length - 1] = united(last, next);
  }
  return result.map(({ secret }) => secret);
}

function united(
  a: { secret: Secret; rank: number },
  b: { secret: Secret; rank: number },
): { secret: Secret; rank: number } {
  const first = a.rank <= b.rank ? a : b;
  const end = Math.max(a.secret.end, b.secret.end);
  return { rank: first.rank, secret: { kind: first.secret.kind, start: a.secret.start, end } };
}
