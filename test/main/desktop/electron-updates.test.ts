import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSigned, publicPartOf, updateNoticeSchema } from '../../../main/desktop/update-signature.ts';
import { signedNotice } from '../../../scripts/signed-notice.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const folder = freshFolder();
const program = join(folder, 'check.mjs');
const NEW = Buffer.from('the new version');
const asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
let notice = '';

const server = createServer(({ url = '', headers }, reply) => {
  asked.push({ path: url, headers });
  if (/^\/latest-linux(-arm64)?\.yml/.test(url)) reply.end(notice);
  else if (url === '/Mnemis-2.0.0.AppImage') reply.end(NEW);
  else reply.writeHead(404).end();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, 'test/fixtures/check-for-updates.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { electron: join(ROOT, 'test/fakes/electron-for-updates.ts') },
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  });
});
afterAll(() => {
  server.close();
});

const noticeOf = (version: string, content: Buffer) => {
  const sha512 = createHash('sha512').update(content).digest('base64');
  return `version: ${version}
files:
  - url: Mnemis-${version}.AppImage
    sha512: ${sha512}
    size: ${content.length}
    isAdminRightsRequired: true
path: Mnemis-${version}.AppImage
sha512: ${sha512}
releaseDate: '2026-12-01T00:00:00.000Z'
`;
};

async function check(environment: NodeJS.ProcessEnv = { APPIMAGE: join(folder, 'old.AppImage') }) {
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(folder, 'old.AppImage'), 'the old version');
  writeFileSync(
    join(folder, 'app-update.yml'),
    `provider: generic\nurl: http://127.0.0.1:${port}\nupdaterCacheDirName: mnemis-updater\n`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      TEST_FOLDER: folder,
      XDG_CACHE_HOME: join(folder, 'cache'),
      ...environment,
    },
  });
  return JSON.parse(stdout) as { found: unknown; isFetched: boolean | string };
}

const reason = process.platform === 'linux' ? '' : ' (skipped: the update of an AppImage is tried on Linux)';

describe.skipIf(reason !== '')(`electron-updater, bundled, against a server${reason}`, () => {
  it('passes the signature on, and fetches what is asked for alone', async () => {
    const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    notice = signedNotice(noticeOf('2.0.0', NEW), key);
    const { found, isFetched } = await check();
    expect(JSON.stringify(found)).not.toContain('isAdminRightsRequired'); // the signature does not cover it
    const read = updateNoticeSchema.parse(found);
    expect(read).toMatchObject({
      version: '2.0.0',
      files: [{ url: 'Mnemis-2.0.0.AppImage', size: NEW.length }],
    });
    expect(isSigned(read, publicPartOf(key))).toBe(true);
    expect(isFetched).toBe(true);
    expect(asked.map(({ path }) => path.replace(/[?-].*/, ''))).toEqual(['/latest', '/Mnemis']);
  });

  it('gives the server nothing by which it could know an installation', async () => {
    notice = noticeOf('2.0.0', NEW);
    asked.length = 0;
    await check();
    const [first, ...others] = asked.map(({ headers }) => headers);
    expect(first!['x-user-staging-id']).toBe('00000000-0000-0000-0000-000000000000');
    const names = new Set([first!, ...others].flatMap((headers) => Object.keys(headers)));
    const known = ['host', 'connection', 'user-agent', 'cache-control', 'accept', 'x-user-staging-id'];
    expect([...names].filter((name) => !known.includes(name))).toEqual([]);
    expect(first!['user-agent']).toBe('electron-builder');
  });

  it('keeps no file whose hash is another', async () => {
    rmSync(join(folder, 'cache'), { recursive: true, force: true });
    notice = noticeOf('2.0.0', Buffer.from('another file...'));
    expect((await check()).isFetched).toMatch(/sha512 checksum mismatch/);
  });

  it('offers no older version, and none where an installation cannot be replaced', async () => {
    notice = noticeOf('0.9.0', NEW);
    expect(await check()).toEqual({ found: null, isFetched: false });
    expect(await check({})).toMatchObject({ found: { failed: 'This installation cannot be updated.' } });
  });
});
