import { z } from 'zod';
import { HIDDEN } from '../../contract/tools.ts';
import { SecretsSealedError } from './sealed-secrets.ts';

const MOST_CAUSES = 5;
const LONGEST_LINE = 200;
/** Codes of the protocol's own errors, in the SDK. */
const [CLOSED, TIMED_OUT, OTHER] = [-32_000, -32_001, -32_603];

const errorSchema = z.looseObject({
  name: z.string().nullish().catch(null),
  code: z.union([z.string(), z.number()]).nullish().catch(null),
  cause: z.unknown().optional(),
});

interface Failing {
  readonly name: string;
  readonly what: 'start' | 'call';
  readonly isProgram: boolean;
  /** What the program wrote about itself. */
  readonly said: string;
  /** It wrote what is no message of the protocol. */
  readonly isNoise: boolean;
  readonly seconds: number;
  /** Values that no sentence may have. */
  readonly secrets: readonly string[];
}

/** Why a server of tools failed, in a sentence for people, without secrets. */
export function connectionProblem(error: unknown, failing: Failing): string {
  if (SecretsSealedError.isInstance(error)) return error.message;
  const { name, what, isProgram, isNoise, seconds } = failing;
  const codes = codesOf(error);
  const has = (...wanted: readonly (string | number)[]) => wanted.find((code) => codes.includes(code));
  const doing = what === 'start' ? 'started' : 'called';
  if (has('ENOENT'))
    return `${name} could not be started: its command was not found. Install it, or enter its full path.`;
  if (has('EACCES')) return `${name} could not be started: its command may not be run.`;
  if (has(401, 403, 'UnauthorizedError')) return `${name} refused the token or the headers.`;
  if (has(404, 405)) return `${name} does not answer at this address.`;
  if (has(301, 302, 303, 307, 308)) return `${name} has another address; enter that one.`;
  if (has(TIMED_OUT, 'TimeoutError'))
    return isNoise
      ? `${name} writes something that is no message of the protocol.`
      : `${name} did not answer within ${seconds} seconds.`;
  if (has(CLOSED) && isProgram) return `${name} ended before it answered.${lastWords(failing)}`;
  const status = codes.find((code) => typeof code === 'number' && code >= 400 && code < 600);
  if (status !== undefined) return `${name} answered with the status ${status}.`;
  const network = codes.find((code) => typeof code === 'string' && /^(?:E[A-Z]|UND_ERR)/.test(code));
  if (network !== undefined) return `${name} cannot be reached (${network}).`;
  if (has('ZodError', 'SyntaxError')) return `${name} replied with something that is not of the protocol.`;
  return `${name} could not be ${doing}.${lastWords(failing)}`;
}

/** Whether an error is what the server replied. */
export function isReply(error: unknown): boolean {
  const [code] = codesOf(error).filter((each) => typeof each === 'number');
  return code !== undefined && code < 0 && code !== CLOSED && code !== TIMED_OUT;
}

/** Whether a server over HTTP knows the session no more. */
export const isExpired = (error: unknown): boolean => codesOf(error).includes(404);

function lastWords({ said, secrets }: Failing): string {
  const text = secrets
    .filter((secret) => secret.length > 3)
    .sort((a, b) => b.length - a.length)
    .reduce((left, secret) => left.replaceAll(secret, HIDDEN), said);
  const line = text.trim().split('\n').at(-1)!.trim().slice(0, LONGEST_LINE);
  return line === '' ? '' : ` It said: ${line}${/[.!?]$/.test(line) ? '' : '.'}`;
}

/** Names and codes of an error and its causes. */
function codesOf(error: unknown): (string | number)[] {
  const codes: (string | number)[] = [];
  for (let [at, depth] = [error, 0]; at != null && depth < MOST_CAUSES; depth += 1) {
    const { name, code, cause } = errorSchema.safeParse(at).data ?? {};
    // A number that the server replied with is no status of HTTP.
    const isOwn = name === 'McpError' && Number(code) >= 0;
    codes.push(...[name, isOwn ? OTHER : code].filter((each) => each != null));
    at = cause;
  }
  return codes;
}
