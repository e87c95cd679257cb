import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import { parseJson } from '../../../src/util/parse-json.ts';
import { InvalidSettingError } from '../../errors.ts';
import { isLoopbackHost } from '../loopback-access.ts';
import type { ForeignTokens } from './authenticator.ts';
import { accessSchema, type Grant, scopePatternSchema } from './grant.ts';

export interface OidcOptions {
  /** As the claim `iss` has it. */
  readonly issuer: string;
  /** As the claim `aud` has it, or one of its values. */
  readonly audience: string;
  /** The provider's keys. Default: as the provider's own description says. */
  readonly jwksUrl?: string | undefined;
  /** The claim with the scopes: a list, or a text with spaces between them. */
  readonly scopesClaim: string;
  /** Only values of the claim that begin with this are scopes, without it. Default: all of them. */
  readonly scopesPrefix?: string | undefined;
  /** The claim with `read` or `write`. A token without it reads. */
  readonly accessClaim: string;
  /** How long keys are kept before an unknown one is asked for. Default 30,000. */
  readonly cooldownMilliseconds?: number;
}

/** Signatures by which the holder of the public key cannot sign; never `none`, and no shared secrets. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const CLOCK_SECONDS = 5;
const FETCH_MILLISECONDS = 10_000;

const descriptionSchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const scopesSchema = z.array(scopePatternSchema).max(1_000);
const accessClaimSchema = z.union([accessSchema, z.tuple([accessSchema]).transform(([access]) => access)]);
const subjectSchema = z.string().min(1).max(255);

/**
 * Accepts the signed tokens (JWT) of an OpenID provider: with its signature, for this audience, and not expired. They
 * end when they expire; they cannot be revoked here.
 *
 * @throws InvalidSettingError for addresses without TLS, and for a provider that cannot be asked for its keys.
 */
export async function openOidc(options: OidcOptions): Promise<ForeignTokens> {
  const { issuer, audience, cooldownMilliseconds = 30_000 } = options;
  const jwksUrl = secureUrl(options.jwksUrl ?? (await describedKeys(issuer)), 'the keys');
  const keys = createRemoteJWKSet(jwksUrl, {
    cooldownDuration: cooldownMilliseconds,
    timeoutDuration: FETCH_MILLISECONDS,
  });
  return {
    verify: async (token) => {
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms: ALGORITHMS,
          clockTolerance: CLOCK_SECONDS,
          requiredClaims: ['exp', 'sub'],
        });
        return grantOf(payload, options);
      } catch (error) {
        if (isRefused(error)) return null;
        throw error;
      }
    },
  };
}

/** Whether the token is at fault, and not the way to the provider's keys. */
function isRefused(error: unknown): boolean {
  const isUnreachable =
    !(error instanceof errors.JOSEError) ||
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    error.code === errors.JOSEError.code;
  return !isUnreachable;
}

/** Null for claims that are not what they should be. A claim that is missing allows nothing. */
function grantOf(
  payload: JWTPayload,
  { scopesClaim, scopesPrefix = '', accessClaim }: OidcOptions,
): Grant | null {
  const claim = (name: string) => (Object.hasOwn(payload, name) ? payload[name] : undefined);
  const subject = subjectSchema.safeParse(payload.sub);
  const scopes = scopesSchema.safeParse(withPrefix(claim(scopesClaim) ?? [], scopesPrefix));
  const access = accessClaimSchema.safeParse(claim(accessClaim) ?? 'read');
  if (!subject.success || !scopes.success || !access.success || payload.exp === undefined) return null;
  return {
    id: `oidc:${subject.data}`,
    scopes: scopes.data,
    access: access.data,
    expires: (payload.exp + CLOCK_SECONDS) * 1_000,
    isForeign: true,
  };
}

function withPrefix(claim: unknown, prefix: string): unknown {
  const values = typeof claim === 'string' ? claim.split(' ').filter((value) => value !== '') : claim;
  if (prefix === '' || !Array.isArray(values)) return values;
  return values.flatMap((value) =>
    typeof value === 'string' && value.startsWith(prefix) ? [value.slice(prefix.length)] : [],
  );
}

/** The address of the keys in the provider's own description. @throws InvalidSettingError */
async function describedKeys(issuer: string): Promise<string> {
  const address = secureUrl(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, 'the provider');
  const advice = 'Check the issuer, or set the address of its keys (--oidc-jwks-url)';
  let text: string;
  try {
    const response = await fetch(address, {
      redirect: 'error',
      signal: AbortSignal.timeout(FETCH_MILLISECONDS),
    });
    text = response.ok ? await response.text() : '';
  } catch (error) {
    throw new InvalidSettingError(
      `The OpenID provider does not answer at ${address.origin}. ${advice}`,
      error,
    );
  }
  const read = parseJson(text);
  const described = read.ok ? descriptionSchema.safeParse(read.value).data : undefined;
  if (described?.issuer === issuer) return described.jwks_uri;
  throw new InvalidSettingError(
    `The OpenID provider at ${address.origin} does not describe this issuer. ${advice}`,
  );
}

/** Keys that come without TLS could be anybody's. @throws InvalidSettingError */
function secureUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url !== null && isSecure) return url;
  throw new InvalidSettingError(`The address of ${what} of OpenID must begin with https://`);
}
