import { afterEach, describe, expect, it } from 'vitest';
import type { TokenRequest, TokenStore } from '../../main/http/network/tokens/token-store.ts';

/** Tokens of a test's own. */
export interface TokenStoreSetup {
  readonly store: TokenStore;
  /** The same tokens, as another process has them. */
  another(): Promise<TokenStore>;
  /** All that is stored, as text. */
  atRest(): Promise<string>;
  end(): Promise<void>;
}

const START = Date.UTC(2026, 0, 5, 12);
const DAY = 86_400_000;
const REQUEST: TokenRequest = { name: 'laptop', scopes: ['ana', 'team-*'], access: 'write', expires: null };

/** What every TokenStore does. `open` gets the time from the clock that it is given. */
export function tokenStoreContract(
  name: string,
  open: (clock: () => number) => Promise<TokenStoreSetup>,
): void {
  describe(`${name}: the TokenStore contract`, () => {
    let now = START;
    const setups: TokenStoreSetup[] = [];
    const opened = async () => {
      now = START;
      const setup = await open(() => now);
      setups.push(setup);
      return setup;
    };
    afterEach(async () => {
      for (const setup of setups.splice(0)) await setup.end();
    });

    it('has no tokens at first', async () => {
      const { store } = await opened();
      expect(await store.list()).toEqual([]);
      expect(await store.verify(`mnemis_0123456789abcdef_${'x'.repeat(43)}`)).toBeNull();
      expect(await store.isValid('0123456789abcdef')).toBe(false);
    });

    it('issues a token that it accepts', async () => {
      const { store, another } = await opened();
      const { token, entry } = await store.issue(REQUEST);
      expect(token).toMatch(/^mnemis_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
      expect(entry).toEqual({ ...REQUEST, id: entry.id, created: START, revoked: null, lastUsed: null });
      for (const each of [store, await another()]) {
        expect(await each.verify(token)).toMatchObject({
          id: entry.id,
          scopes: REQUEST.scopes,
          access: 'write',
        });
        expect(await each.isValid(entry.id)).toBe(true);
      }
    });

    it('issues a different token each time', async () => {
      const { store } = await opened();
      const issued = await Promise.all(Array.from({ length: 8 }, () => store.issue(REQUEST)));
      expect(new Set(issued.map(({ token }) => token)).size).toBe(8);
      expect(new Set(issued.map(({ entry }) => entry.id)).size).toBe(8);
      expect(await store.list()).toHaveLength(8);
      for (const { token, entry } of issued) expect((await store.verify(token))?.id).toBe(entry.id);
    });

    it('accepts no other text', async () => {
      const { store } = await opened();
      const { token, entry } = await store.issue(REQUEST);
      const other = (await store.issue(REQUEST)).token;
      const [, , secret = ''] = token.split('_');
      const wrong = [
        ...['', ' ', token.slice(0, -1), `${token}x`, ` ${token}`, `${token} `, `${token}\n`],
        ...[token.toUpperCase(), secret, entry.id, `mnemis_${entry.id}_`, token.replace('mnemis', 'Mnemis')],
        `mnemis_${entry.id}_${'A'.repeat(43)}`,
        // The id of one token with the secret of another.
        `mnemis_${entry.id}_${other.slice(24)}`,
        `mnemis_${'0'.repeat(16)}_${token.slice(24)}`,
      ];
      for (const text of wrong) expect(await store.verify(text), text).toBeNull();
    });

    it('keeps no token, only what it is recognised by', async () => {
      const { store, atRest } = await opened();
      const { token, entry } = await store.issue(REQUEST);
      await store.verify(token);
      const stored = await atRest();
      expect(stored).toContain(entry.id);
      expect(stored).not.toContain(token);
      expect(stored).not.toContain(token.slice(24));
    });

    it('lists tokens, the newest first', async () => {
      const { store, another } = await opened();
      await store.issue(REQUEST);
      now += DAY;
      await store.issue({ ...REQUEST, name: 'figures', scopes: [], access: 'metrics' });
      const listed = await store.list();
      expect(listed.map((entry) => [entry.name, entry.created])).toEqual([
        ['figures', START + DAY],
        ['laptop', START],
      ]);
      expect(await (await another()).list()).toEqual(listed);
      expect(JSON.stringify(listed)).not.toContain('hash');
    });

    it('accepts a revoked token no more, also in another process', async () => {
      const { store, another } = await opened();
      const { token, entry } = await store.issue(REQUEST);
      const kept = await store.issue(REQUEST);
      const elsewhere = await another();
      expect(await elsewhere.verify(token)).not.toBeNull();
      now += 1_000;
      expect(await store.revoke(entry.id)).toMatchObject({ id: entry.id, revoked: START + 1_000 });
      for (const each of [store, elsewhere]) {
        expect(await each.verify(token)).toBeNull();
        expect(await each.isValid(entry.id)).toBe(false);
        expect((await each.verify(kept.token))?.id).toBe(kept.entry.id);
      }
      now += 1_000;
      expect(await store.revoke(entry.id)).toMatchObject({ revoked: START + 1_000 });
      expect((await store.list()).find(({ id }) => id === entry.id)).toMatchObject({
        revoked: START + 1_000,
      });
    });

    it('refuses to revoke what is not there', async () => {
      const { store } = await opened();
      for (const id of ['', '0123456789abcdef', '__proto__', 'constructor'])
        await expect(store.revoke(id)).rejects.toMatchObject({ code: 'unknown-token' });
    });

    it('accepts a token until it expires', async () => {
      const { store } = await opened();
      const { token, entry } = await store.issue({ ...REQUEST, expires: START + DAY });
      now = START + DAY - 1;
      expect(await store.verify(token)).toMatchObject({ expires: START + DAY });
      now = START + DAY;
      expect(await store.verify(token)).toBeNull();
      expect(await store.isValid(entry.id)).toBe(false);
      expect(await store.list()).toHaveLength(1);
    });

    it('says to the minute when a token was last used', async () => {
      const { store, another } = await opened();
      const { token } = await store.issue(REQUEST);
      await store.verify(token);
      now += DAY;
      await store.verify(token);
      now += 5_000;
      await store.verify(token);
      await store.close();
      const [entry] = await (await another()).list();
      expect(entry!.lastUsed).toBeGreaterThanOrEqual(START + DAY);
      expect(entry!.lastUsed).toBeLessThanOrEqual(START + DAY + 5_000);
    });

    it('notes no use of a token that it refuses', async () => {
      const { store } = await opened();
      const { token, entry } = await store.issue(REQUEST);
      await store.verify(`mnemis_${entry.id}_${'A'.repeat(43)}`);
      await store.revoke(entry.id);
      await store.verify(token);
      expect((await store.list())[0]!.lastUsed).toBeNull();
    });

    it('loses no token where several processes issue at once', async () => {
      const { store, another } = await opened();
      const stores = [store, await another(), await another()];
      await Promise.all(stores.flatMap((each) => [each.issue(REQUEST), each.issue(REQUEST)]));
      for (const each of stores) expect(await each.list()).toHaveLength(6);
    });

    it.each<[string, Partial<Record<keyof TokenRequest, unknown>>]>([
      ['no name', { name: ' ' }],
      ['a name that is too long', { name: 'x'.repeat(101) }],
      ['no scopes', { scopes: [] }],
      ['scopes for metrics', { access: 'metrics' }],
      ['an unknown access', { access: 'admin' }],
      ['an empty scope', { scopes: [''] }],
      ['a padded scope', { scopes: [' ana'] }],
      ['a star within a scope', { scopes: ['a*b'] }],
      ['two stars', { scopes: ['a**'] }],
      ['half a surrogate pair', { scopes: ['\ud83d'] }],
      ['no time', { expires: Number.NaN }],
      ['an unknown field', { more: 1 } as object],
    ])('refuses %s', async (_, wrong) => {
      const { store } = await opened();
      await expect(store.issue({ ...REQUEST, ...wrong } as TokenRequest)).rejects.toMatchObject({
        code: 'invalid-input',
      });
      expect(await store.list()).toEqual([]);
    });
  });
}
