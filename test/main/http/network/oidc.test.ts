import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  base64url,
  exportJWK,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ForeignTokens } from '../../../../main/http/network/authenticator.ts';
import { type OidcOptions, openOidc } from '../../../../main/http/network/oidc-tokens.ts';
import { bearer, ServeLab } from './serve-lab.ts';

const AUDIENCE = 'mnemis';
const now = () => Math.floor(Date.now() / 1_000);

/** An OpenID provider on this machine, as far as a server needs one. */
class Provider {
  readonly url: string;
  readonly #close: () => void;
  readonly #keys = new Map<string, GenerateKeyPairResult>();
  isDown = false;
  asked = 0;
  description: object;

  private constructor(url: string, close: () => void) {
    this.url = url;
    this.#close = close;
    this.description = { issuer: url, jwks_uri: `${url}/keys` };
  }

  static async open(): Promise<Provider> {
    const http = createServer(async (request, response) => {
      if (provider.isDown) return void response.writeHead(500).end();
      const isKeys = request.url === '/keys';
      if (isKeys) provider.asked += 1;
      const body = isKeys ? { keys: await provider.published() } : provider.description;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;
    const provider = new Provider(`http://127.0.0.1:${port}`, () => void http.close());
    await provider.rotate('first');
    return provider;
  }

  async published() {
    return Promise.all(
      [...this.#keys].map(async ([kid, { publicKey }]) => ({
        ...(await exportJWK(publicKey)),
        kid,
        alg: 'ES256',
      })),
    );
  }

  /** Replaces all keys by a new one. */
  async rotate(kid: string): Promise<void> {
    this.#keys.clear();
    this.#keys.set(kid, await generateKeyPair('ES256'));
  }

  /** A token of this provider, with changes. */
  async token(claims: JWTPayload = {}, key?: { readonly kid: string; readonly pair: GenerateKeyPairResult }) {
    const [[kid, pair] = []] = [...this.#keys];
    const payload = {
      ...{ iss: this.url, aud: AUDIENCE, sub: 'ana', exp: now() + 300, iat: now() },
      ...{ mnemis_scopes: ['a'], mnemis_access: 'write' },
      ...claims,
    };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', kid: key?.kid ?? kid! })
      .sign((key?.pair ?? pair!).privateKey);
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}

const open = (provider: Provider, more: Partial<OidcOptions> = {}): Promise<ForeignTokens> =>
  openOidc({
    ...{
      issuer: provider.url,
      audience: AUDIENCE,
      scopesClaim: 'mnemis_scopes',
      accessClaim: 'mnemis_access',
    },
    cooldownMilliseconds: 0,
    ...more,
  });

const part = (value: object) => base64url.encode(JSON.stringify(value));

describe('tokens of an OpenID provider', () => {
  let provider: Provider;
  let foreign: ForeignTokens;
  beforeAll(async () => {
    provider = await Provider.open();
    foreign = await open(provider);
  });
  afterAll(() => provider[Symbol.dispose]());

  it('are accepted with their scopes and rights', async () => {
    const exp = now() + 300;
    expect(await foreign.verify(await provider.token({ exp }))).toEqual({
      ...{ id: 'oidc:ana', scopes: ['a'], access: 'write', isForeign: true },
      expires: (exp + 5) * 1_000,
    });
  });

  it.each<[string, JWTPayload, object | null]>([
    ['a text of scopes', { mnemis_scopes: 'a team-*' }, { scopes: ['a', 'team-*'] }],
    ['several audiences', { aud: ['other', AUDIENCE] }, { scopes: ['a'] }],
    ['no access: it reads', { mnemis_access: undefined }, { access: 'read' }],
    ['access in a list', { mnemis_access: ['read'] }, { access: 'read' }],
    ['no scopes: it gets none', { mnemis_scopes: undefined }, { scopes: [] }],
    ['an empty text of scopes', { mnemis_scopes: '' }, { scopes: [] }],
    ['scopes that are none', { mnemis_scopes: ['a*b'] }, null],
    ['scopes of another type', { mnemis_scopes: { a: true } }, null],
    ['a scope of another type', { mnemis_scopes: ['a', 1] }, null],
    ['an unknown access', { mnemis_access: 'admin' }, null],
    ['no subject', { sub: undefined as never }, null],
    ['no end', { exp: undefined as never }, null],
    ['a time that is over', { exp: now() - 60 }, null],
    ['a beginning to come', { nbf: now() + 60 }, null],
    ['another issuer', { iss: 'https://evil.example' }, null],
    ['no issuer', { iss: undefined as never }, null],
    ['another audience', { aud: 'other' }, null],
    ['no audience', { aud: undefined as never }, null],
  ])('are read with %s', async (_, claims, expected) => {
    const grant = await foreign.verify(await provider.token(claims));
    if (expected === null) expect(grant).toBeNull();
    else expect(grant).toMatchObject(expected);
  });

  it('are refused without a signature, and with a secret that all know', async () => {
    const good = await provider.token();
    const [, payload = '', signature = ''] = good.split('.');
    const keys = await provider.published();
    const shared = new TextEncoder().encode(JSON.stringify(keys[0]));
    const forged = [
      ...[
        `${part({ alg: 'none' })}.${payload}.`,
        `${part({ alg: 'None', kid: 'first' })}.${payload}.${signature}`,
      ],
      `${part({ alg: 'ES256' })}.${payload}.`,
      // The public key as the secret of an HMAC.
      await new SignJWT(JSON.parse(new TextDecoder().decode(base64url.decode(payload))))
        .setProtectedHeader({ alg: 'HS256', kid: 'first' })
        .sign(shared),
      `${good.slice(0, -2)}AA`,
      `${good.split('.')[0]}.${part({ iss: provider.url, aud: AUDIENCE, sub: 'eve', exp: now() + 99 })}.${signature}`,
      ...['', 'a', 'a.b.c', '..', `${good}.x`, `x${good}`],
    ];
    for (const token of forged) expect(await foreign.verify(token), token.slice(0, 40)).toBeNull();
  });

  it('are refused with the key of somebody else, also under a known name or with an address of their own', async () => {
    const pair = await generateKeyPair('ES256');
    for (const kid of ['first', 'unknown'])
      expect(await foreign.verify(await provider.token({}, { kid, pair }))).toBeNull();
    using evil = await Provider.open();
    const elsewhere = await new SignJWT({ iss: provider.url, aud: AUDIENCE, sub: 'eve', exp: now() + 99 })
      .setProtectedHeader({
        alg: 'ES256',
        kid: 'first',
        jku: `${evil.url}/keys`,
        jwk: await exportJWK(pair.publicKey),
      })
      .sign(pair.privateKey);
    expect(await foreign.verify(elsewhere)).toBeNull();
    expect(evil.asked).toBe(0);
  });

  it('are accepted with a new key, and no longer with the old one, when the provider rotates them', async () => {
    using own = await Provider.open();
    const tokens = await open(own);
    const old = await own.token();
    expect(await tokens.verify(old)).not.toBeNull();
    await own.rotate('second');
    expect(await tokens.verify(await own.token())).not.toBeNull();
    expect(await tokens.verify(old)).toBeNull();
  });

  it('do not make the server ask for keys more often than it should', async () => {
    using own = await Provider.open();
    const tokens = await open(own, { cooldownMilliseconds: 60_000 });
    const pair = await generateKeyPair('ES256');
    for (let count = 0; count < 10; count++)
      expect(await tokens.verify(await own.token({}, { kid: `made-up-${count}`, pair }))).toBeNull();
    expect(own.asked).toBe(1);
  });

  it('can name scopes among other things', async () => {
    const tokens = await open(provider, { scopesClaim: 'scope', scopesPrefix: 'mnemis:' });
    const grant = await tokens.verify(await provider.token({ scope: 'openid email mnemis:a mnemis:team-*' }));
    expect(grant?.scopes).toEqual(['a', 'team-*']);
    expect((await tokens.verify(await provider.token({ scope: 'openid' })))?.scopes).toEqual([]);
  });

  it('need a provider that describes itself, with TLS', async () => {
    using own = await Provider.open();
    own.description = { issuer: 'https://evil.example', jwks_uri: `${own.url}/keys` };
    await expect(open(own)).rejects.toMatchObject({ code: 'invalid-setting' });
    own.isDown = true;
    await expect(open(own)).rejects.toMatchObject({ code: 'invalid-setting' });
    for (const jwksUrl of ['http://keys.example/keys', 'ftp://keys.example', 'keys', ''])
      await expect(open(own, { jwksUrl })).rejects.toMatchObject({ code: 'invalid-setting' });
    await expect(open(own, { issuer: 'http://issuer.example' })).rejects.toMatchObject({
      code: 'invalid-setting',
    });
  });
});

describe('the server with an OpenID provider', () => {
  it('lets its tokens in for their scopes, beside its own', async () => {
    using provider = await Provider.open();
    await using lab = await ServeLab.open({ foreign: await open(provider) });
    const token = await provider.token({ sub: 'ana@example.org' });
    expect((await lab.post(token, 'stats', { scope: 'a' })).status).toBe(200);
    expect((await lab.post(token, 'stats', { scope: 'b' })).code).toBe('forbidden-scope');
    expect((await lab.post(await lab.token(), 'stats', { scope: 'a' })).status).toBe(200);
    expect((await lab.post(await provider.token({ aud: 'other' }), 'stats', { scope: 'a' })).status).toBe(
      401,
    );
    expect((await lab.fetch('/metrics', { headers: bearer(token) })).status).toBe(403);
    const none = await provider.token({ mnemis_scopes: undefined });
    expect((await lab.post(none, 'scopes', {})).result).toEqual([]);
    expect((await lab.post(none, 'stats', { scope: 'a' })).status).toBe(403);
    expect(lab.audit.entries[0]).toMatchObject({ token: 'oidc:ana@example.org', outcome: 'ok' });
    expect(lab.audit.text).not.toContain(token.split('.')[2]);
  });

  it('ends event streams when a token expires', async () => {
    using provider = await Provider.open();
    await using lab = await ServeLab.open({ foreign: await open(provider) });
    // Five seconds are added for clocks that differ.
    const stream = await lab.follow(await provider.token({ exp: now() - 2 }), 'changes', { scope: 'a' });
    expect(stream.status).toBe(200);
    expect(await stream.text).toContain('"code":"token-ended"');
  });

  it('says that it cannot tell where the provider does not answer', async () => {
    using provider = await Provider.open();
    await using lab = await ServeLab.open({ foreign: await open(provider) });
    provider.isDown = true;
    const reply = await lab.post(await provider.token(), 'stats', { scope: 'a' });
    expect([reply.status, reply.code]).toEqual([503, 'unavailable']);
    provider.isDown = false;
    expect((await lab.post(await provider.token(), 'stats', { scope: 'a' })).status).toBe(200);
  });
});
