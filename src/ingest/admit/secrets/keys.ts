import { atEach, byPattern, following, type Span } from './secret-rule.ts';

/** Key formats that identify their issuer. None matches anything after its last run, so the time is linear. */
const KEY_SHAPES: readonly RegExp[] = [
  /sk-[\w-]{20,}/, // OpenAI, Anthropic, OpenRouter, DeepSeek
  /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/, // AWS
  /[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/, // Stripe
  /whsec_[A-Za-z0-9]{24,}/,
  /AIza[\w-]{35}/, // Google
  /GOCSPX-[\w-]{20,}/,
  /hf_[A-Za-z0-9]{30,}/, // Hugging Face
  /(?:gsk|pcsk|tgp_v1|nvapi|xai|pplx|tvly|lsv2_[a-z]{2}|r8)[_-][\w-]{24,}/, // model hosts and their tools
  /SG\.[\w-]{16,40}\.[\w-]{16,}/, // SendGrid
  /SK[0-9a-f]{32}(?![A-Za-z0-9])/, // Twilio
  /(?:dop|doo|dor)_v1_[a-f0-9]{40,}/, // DigitalOcean
  /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}/, // Shopify
  /lin_api_[A-Za-z0-9]{32,}/,
  /AGE-SECRET-KEY-1[A-Z0-9]{50,}/,
];
const TOKEN_SHAPES: readonly RegExp[] = [
  /gh[pousr]_[A-Za-z0-9]{36,}/, // GitHub
  /github_pat_\w{22,}/,
  /gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[\w-]{20,}/, // GitLab
  /xox[abceoprs]-[A-Za-z0-9-]{10,}/, // Slack
  /xapp-\d-[A-Za-z0-9-]{10,}/,
  /npm_[A-Za-z0-9]{36,}/,
  /pypi-[\w-]{50,}/,
  /ya29\.[\w-]{20,}/, // Google
  /hvs\.[\w-]{24,}/, // Vault
  /\d{8,10}:AA[\w-]{33}/, // Telegram bots
  /ATATT3x[\w=-]{40,}/, // Atlassian
  /(?<=hooks\.slack\.com\/services\/)[A-Z0-9]{6,}\/[A-Z0-9]{6,}\/[A-Za-z0-9]{16,}/,
];

export const findKeys = byPattern(anyOf(KEY_SHAPES), isRandom);
export const findTokens = byPattern(anyOf(TOKEN_SHAPES), isRandom);

/**
 * Must not start inside a run, because a header without a dot after it would be scanned again from each of its
 * dashes.
 */
export const findJsonWebTokens = byPattern(/(?<![\w-])(eyJ[\w-]{8,}\.[\w-]*\.[\w-]{4,}(?:\.[\w-]+){0,2})/g);

/** `Authorization: Bearer …`, and a bearer token without the header if it is long. */
export function* findAuthorization(text: string): Generator<Span | null> {
  yield* byPattern(
    /authorization["'`]?\s{0,3}[:=]\s{0,3}["'`]?(?:bearer|basic|token|digest|apikey)\s{1,3}([\w.~+/=-]{8,})/gi,
  )(text);
  yield* byPattern(/(?<![\p{L}\p{N}])bearer\s{1,3}([\w.~+/=-]{20,})/giu, isRandom)(text);
}

/** The password of `https://user:password@host`; one that contains an @ extends to the last @ before the path. */
export const findUrlPasswords = (text: string): Iterable<Span | null> =>
  atEach(/:\/\/[^\s/?#:@[\]]{0,200}:(?=([^\s/?#]{1,300}@)[\w[])/g, text, (match) => {
    const start = match.index + match[0].length;
    return { start, end: start + match[1]!.length - 1 };
  });

const KEY_LABEL =
  /(?:api|secret|access|auth|private|client|app|bot|refresh|session|aws|service)[ _-]?(?:secret[ _-]?|access[ _-]?)?(?:key|token|secret)(?:[ _-]id)?(?![\p{L}\p{N}])/giu;
const LABELLED_KEY =
  /^["'`*]{0,3}(?:\s{0,3}(?:[:=：]|->|=>|→)|\s{1,3}(?:is|was))\s{0,3}["'`“*]{0,3}([A-Za-z0-9+/_.~=-]{16,})/;

/** A value that looks random after "API key:" or "AWS_SECRET_ACCESS_KEY=". */
export const findLabelledKeys = (text: string): Iterable<Span | null> =>
  atEach(KEY_LABEL, text, ({ index, 0: label }) => {
    const after = index + label.length;
    const match = LABELLED_KEY.exec(following(text, after));
    if (match === null) return null;
    const secret = match[1]!.replace(/[.]+$/, '');
    const start = after + match[0].length - match[1]!.length;
    return isRandom(secret) ? { start, end: start + wholeRun(text, start, secret.length) } : null;
  });

/** Length of the whole run of key characters from `start`; at least `length`. */
function wholeRun(text: string, start: number, length: number): number {
  const rest = /[^A-Za-z0-9+/_~=-]/g;
  rest.lastIndex = start + length;
  return (rest.exec(text)?.index ?? text.length) - start;
}

/** Whether it mixes digits and letters in a long run: no class name, heading or placeholder such as sk-xxxxxxxx. */
function isRandom(secret: string): boolean {
  if (!/\d/.test(secret) || !/[A-Za-z]/.test(secret)) return false;
  const head = secret.slice(0, 500);
  return /[A-Za-z0-9+/]{12}/.test(head) && new Set(head).size >= 10;
}

function anyOf(shapes: readonly RegExp[]): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])(${shapes.map(({ source }) => source).join('|')})`, 'g');
}

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Lines of Base64, also with line breaks written as \n, and a shorter last one. */
const BODY = /(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})*(?:(?:\s|\\[nr])*[A-Za-z0-9+/]{1,15}={1,2})?/y;

/** PEM and PGP blocks; one without an end marker extends as far as its Base64. */
export function* findPrivateKeys(text: string): Generator<Span> {
  const [begin, end] = [new RegExp(BEGIN), new RegExp(END)];
  let hasEnd = true;
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    end.lastIndex = begin.lastIndex;
    // Once no end marker is found, it is not searched for again, so that the time stays linear.
    const closed: RegExpExecArray | null = hasEnd ? end.exec(text) : null;
    hasEnd = closed !== null;
    const until = closed === null ? endOfBody(text, begin.lastIndex) : end.lastIndex;
    yield { start: match.index, end: until };
    begin.lastIndex = until;
  }
}

function endOfBody(text: string, from: number): number {
  const body = new RegExp(BODY);
  body.lastIndex = from;
  body.exec(text);
  return Math.max(from, body.lastIndex);
}
