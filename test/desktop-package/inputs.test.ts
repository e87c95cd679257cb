import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IMPORTED_ENDINGS } from '../../main/desktop/opened-files.ts';
import { isSigned, publicPartOf, updateNoticeSchema } from '../../main/desktop/update-signature.ts';
import manifest from '../../package.json' with { type: 'json' };
import { placeRuntime } from '../../scripts/place-runtime.ts';
import { signedNotice } from '../../scripts/signed-notice.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { importTables } from './import-tables.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'desktop');
const read = (name: string) => readFileSync(join(FOLDER, name));

describe('what electron-builder is given', () => {
  const rules = readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8');

  it('names each package that the bundles leave to node_modules, and what it needs itself', () => {
    const left = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
    const needed = ['onnxruntime-node', 'onnxruntime-common', 'pend'];
    const packed = new Set(Array.from(rules.matchAll(/from: node_modules\/([\w-]+)/g), ([, name]) => name));
    expect([...packed].sort()).toEqual([...left.filter((name) => name !== 'zod'), ...needed].sort());
    expect(rules).toContain("'!node_modules'");
  });

  it('packs for platforms only that the database has a binary for', () => {
    const known = readdirSync(join(ROOT, 'node_modules/kuzu/prebuilt')).map((name) =>
      name.replace(/^kuzujs-|\.node$/g, ''),
    );
    expect(known.sort()).toEqual(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64']);
    expect(rules).toMatch(/nsis, arch: \[x64\]/);
  });

  it('leaves out for Windows what imports from node.exe as it loads', () => {
    const read = (name: string) => importTables(readFileSync(join(ROOT, 'node_modules', name)));
    expect(read('kuzu/prebuilt/kuzujs-win32-x64.node').needed).toContain('node.exe');
    expect(rules).not.toContain('kuzujs-win32');
    const onnx = read('onnxruntime-node/bin/napi-v6/win32/x64/onnxruntime_binding.node');
    expect([onnx.needed.includes('node.exe'), onnx.late]).toEqual([false, ['node.exe']]);
    expect(read('onnxruntime-node/bin/napi-v6/win32/x64/onnxruntime.dll').needed).toContain('msvcp140.dll');
  });

  it('offers itself for the files that it opens', () => {
    const list = IMPORTED_ENDINGS.join(', ');
    expect(rules).toContain(`ext: [${list}]`);
    const offered = read('installer.nsh')
      .toString()
      .matchAll(/SupportedTypes" "\.(\w+)"/g);
    expect(Array.from(offered, ([, ending]) => ending)).toEqual([...IMPORTED_ENDINGS]);
  });

  it('has the icons of each system', () => {
    for (const size of [16, 32, 48, 64, 128, 256, 512])
      expect(sizeOfPng(read(`icons/${size}x${size}.png`))).toEqual([size, size]);
    const ico = read('icon.ico');
    expect([ico.readUInt16LE(2), ico.readUInt16LE(4)]).toEqual([1, 6]);
    const largest = 6 + 16 * 5;
    expect(sizeOfPng(ico.subarray(ico.readUInt32LE(largest + 12)))).toEqual([256, 256]);
    const icns = read('icon.icns');
    expect([icns.toString('ascii', 0, 4), icns.readUInt32BE(4)]).toEqual(['icns', icns.length]);
    expect(icns.includes('ic09')).toBe(true);
    expect([sizeOfPng(read('tray.png')), sizeOfPng(read('trayTemplate@2x.png'))]).toEqual([
      [16, 16],
      [32, 32],
    ]);
  });

  it('asks macOS for one right: to compile code while it runs', () => {
    const keys = Array.from(
      read('entitlements.mac.plist')
        .toString()
        .matchAll(/<key>(.*)<\/key>/g),
      ([, key]) => key,
    );
    expect(keys).toEqual(['com.apple.security.cs.allow-jit']);
  });

  it('takes of the runtime of models what runs on the platform, without sources and accelerators', () => {
    const [source, target] = [freshFolder(), join(freshFolder(), 'llama')];
    const names = [
      ...['node-llama-cpp/dist/index.js', 'node-llama-cpp/llama/grammars/json.gbnf', 'semver/index.js'],
      ...['@node-llama-cpp/linux-x64/bins/a.node', '@node-llama-cpp/mac-arm64-metal/bins/a.node'],
      ...['@node-llama-cpp/linux-x64-cuda/bins/a.node', '@node-llama-cpp/win-x64/bins/a.node'],
      ...[
        'node-llama-cpp/llama/gitRelease.bundle',
        'node-llama-cpp/llama/addon/a.cpp',
        'node-llama-cpp/dist/index.d.ts',
      ],
    ];
    for (const name of names) {
      mkdirSync(dirname(join(source, 'node_modules', name)), { recursive: true });
      writeFileSync(join(source, 'node_modules', name), '');
    }
    const placed = () =>
      readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
    placeRuntime(source, target, { platform: 'linux', archs: ['x64'] });
    expect(placed().sort()).toEqual([names[3], ...names.slice(0, 3)].sort());
    placeRuntime(source, target, { platform: 'darwin', archs: ['arm64'] });
    expect(placed()).toContain('@node-llama-cpp/mac-arm64-metal/bins/a.node');
    expect(() => placeRuntime(source, target, { platform: 'linux', archs: ['arm64'] })).toThrow(
      'linux arm64',
    );
    placeRuntime(null, target, { platform: 'linux', archs: ['x64'] });
    expect(existsSync(target)).toBe(false);
  });

  it('needs no secrets in the repository', () => {
    expect(existsSync(join(ROOT, 'electron-builder.env'))).toBe(false);
    expect(rules).not.toMatch(/password|token|apple[A-Z]/i);
  });
});

describe('the notice for the update server', () => {
  const sha512 = (letter: string) => `${letter.repeat(86)}==`;
  const plain = `version: 1.2.0
files:
  - url: Mnemis-1.2.0-mac-arm64.zip
    sha512: ${sha512('a')}
    size: 150000000
  - url: Mnemis-1.2.0-mac-arm64.dmg
    sha512: ${sha512('b')}
    size: 160000000
path: Mnemis-1.2.0-mac-arm64.zip
sha512: ${sha512('a')}
releaseDate: '2026-12-01T00:00:00.000Z'
`;
  const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  it('gets one signature over all files', () => {
    const once = signedNotice(plain, key);
    expect(once.startsWith(plain)).toBe(true);
    expect(signedNotice(once, key)).toBe(once);
    const signature = /^signature: (.+)$/m.exec(once)?.[1];
    const files = [
      { url: 'Mnemis-1.2.0-mac-arm64.zip', sha512: sha512('a'), size: 150_000_000 },
      { url: 'Mnemis-1.2.0-mac-arm64.dmg', sha512: sha512('b'), size: 160_000_000 },
    ];
    const notice = updateNoticeSchema.parse({ version: '1.2.0', files, signature });
    expect(isSigned(notice, publicPartOf(key))).toBe(true);
    expect(isSigned({ ...notice, files: files.slice(0, 1) }, publicPartOf(key))).toBe(false);
  });

  it('is not signed where nothing is found in it', () => {
    expect(() => signedNotice('version: 1.2.0\nfiles: []\n', key)).toThrow();
    expect(() => signedNotice('', key)).toThrow();
  });
});

/** Width and height, from the first chunk. */
function sizeOfPng(png: Buffer): readonly number[] {
  expect(png.toString('latin1', 1, 4)).toBe('PNG');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
