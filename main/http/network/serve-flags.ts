import { z } from 'zod';
import { InvalidSettingError } from '../../errors.ts';
import { isSecureOrigin } from '../loopback-access.ts';
import { TOKENS_VARIABLE } from './tokens/open-tokens.ts';

const MEGABYTE = 2 ** 20;
export const DEFAULT_SERVE_PORT = 7411;

/** What `mnemis serve` is set by, besides the settings of the memory: flags, then the environment, then defaults. */
const schema = z.strictObject({
  host: text(255).default('127.0.0.1').describe('address to listen on; 0.0.0.0 is every network'),
  port: wholeNumber(0, 65_535).default(DEFAULT_SERVE_PORT).describe('port to listen on; 0 is any free one'),
  app: z
    .string()
    .trim()
    .refine(isSecureOrigin, {
      error: 'it must be an https address without a path, such as https://memory.example.org',
    })
    .optional()
    .describe('also serve the app to browsers, at this https address of the proxy'),
  tokens: text(4_096).optional().describe('file of the tokens (unset: beside the memory)'),
  auditLog: text(4_096).default('-').describe('file of the audit log; - is standard output'),
  requestsPerMinute: wholeNumber(1, 1_000_000).default(600).describe('most requests of one token a minute'),
  requestsAtOnce: wholeNumber(1, 10_000)
    .default(32)
    .describe('most requests of one token at once, event streams included'),
  maxRequestMb: wholeNumber(1, 256).default(8).describe('largest request, in MB'),
  drainSeconds: wholeNumber(0, 3_600)
    .default(5)
    .describe('time between "not ready" and the end of accepting requests'),
  graceSeconds: wholeNumber(0, 3_600)
    .default(25)
    .describe('time for running requests to complete at the end'),
  oidcIssuer: text(2_000).optional().describe('OpenID provider whose tokens are accepted, as its issuer'),
  oidcAudience: text(2_000).optional().describe('audience that its tokens must name'),
  oidcJwksUrl: text(2_000).optional().describe('address of its keys (unset: as the provider says)'),
  oidcScopesClaim: text(200).default('mnemis_scopes').describe('claim with the scopes of a token'),
  oidcScopesPrefix: text(200)
    .optional()
    .describe('beginning of the claim’s values that are scopes (unset: all are)'),
  oidcAccessClaim: text(200).default('mnemis_access').describe('claim with read or write (missing: read)'),
});
export type ServeSettings = z.output<typeof schema>;
export type ServeSetting = keyof ServeSettings;

export const SERVE_SETTINGS = Object.keys(schema.shape) as readonly ServeSetting[];

function text(longest: number) {
  const error = `it must be a text of 1 to ${longest} characters`;
  return z.string({ error }).trim().min(1, { error }).max(longest, { error });
}

function wholeNumber(least: number, most: number) {
  const error = `it must be a whole number from ${least} to ${most}`;
  return z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], { error })
    .refine((value) => Number.isInteger(value) && value >= least && value <= most, { error });
}

/** The environment's name of a setting: `MNEMIS_SERVE_PORT`. */
export function serveVariable(key: ServeSetting): string {
  return key === 'tokens' ? TOKENS_VARIABLE : `MNEMIS_SERVE_${separated(key, '_').toUpperCase()}`;
}

/** The flag of a setting: `--port`. */
export function serveFlag(key: ServeSetting): string {
  return `--${separated(key, '-').toLowerCase()}`;
}

/** One line for the help. */
export function describeServeSetting(key: ServeSetting): string {
  const shape = schema.shape[key];
  const parsed = shape.safeParse(undefined);
  const usual = parsed.success && parsed.data !== undefined ? ` (default: ${parsed.data})` : '';
  return `${shape.description}${usual}`;
}

/** @throws InvalidSettingError */
export function readServeSettings(
  flags: Partial<Record<ServeSetting, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): ServeSettings {
  const given = SERVE_SETTINGS.flatMap((key) => {
    const value = flags[key] ?? (environment[serveVariable(key)] || undefined);
    return value === undefined ? [] : [[key, value]];
  });
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const key = issue!.path[0] as ServeSetting;
    throw new InvalidSettingError(
      `The setting ${serveFlag(key)} (${serveVariable(key)} in the environment) is not valid: ${issue!.message}`,
    );
  }
  const { oidcIssuer, oidcAudience } = parsed.data;
  if ((oidcIssuer === undefined) !== (oidcAudience === undefined))
    throw new InvalidSettingError(
      'An OpenID provider needs both --oidc-issuer and --oidc-audience: a token for another program must not work here',
    );
  return parsed.data;
}

/** The limits of the server that the settings name. */
export function limitsOf(settings: ServeSettings) {
  const { requestsPerMinute, requestsAtOnce, maxRequestMb, drainSeconds, graceSeconds } = settings;
  return {
    requestsPerMinute,
    requestsOfToken: requestsAtOnce,
    bodyBytes: maxRequestMb * MEGABYTE,
    drainMilliseconds: drainSeconds * 1_000,
    graceMilliseconds: graceSeconds * 1_000,
  };
}

function separated(key: string, by: string): string {
  return key.replace(/[A-Z]/g, (letter) => `${by}${letter}`);
}
