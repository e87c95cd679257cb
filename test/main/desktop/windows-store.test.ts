import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { defaultMemory } from '../../../main/config.ts';
import { openStoreAt } from '../../../src/files/open-store.ts';
import { reasonOf } from '../../../src/inference/onnx/onnx-session.ts';
import { isKuzuLoadable } from '../../../src/store/kuzu/load-kuzu.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = freshFolder();
const { platform, execPath } = process;
const pretend = (values: { platform: string; execPath: string }) => {
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(process, name, { value, configurable: true });
};
afterEach(() => pretend({ platform, execPath }));

it('takes Kùzu on Windows in Node.js alone', () => {
  for (const [program, isLoadable] of [
    ['C:\\Program Files\\nodejs\\node.exe', true],
    ['C:\\Users\\ann\\NODE.EXE', true],
    ['C:\\Program Files\\Mnemis\\Mnemis.exe', false],
    ['C:\\bun\\bun.exe', false],
    ['C:\\my-node.exe', false],
  ] as const)
    expect(isKuzuLoadable('win32', program), program).toBe(isLoadable);
  expect(isKuzuLoadable('linux', '/opt/Mnemis/mnemis-app')).toBe(true);
});

it('makes a SQLite file for who names none on Windows, and keeps a Kùzu file that is there', () => {
  expect(defaultMemory(folder, 'win32')).toBe(join(folder, 'memory.sqlite'));
  expect(defaultMemory(folder, 'linux')).toBe(join(folder, 'memory.db'));
  writeFileSync(join(folder, 'memory.db'), 'KUZU');
  expect(defaultMemory(folder, 'win32')).toBe(join(folder, 'memory.db'));
});

it('says how to copy a Kùzu file that the desktop app cannot open there, and opens SQLite files', async () => {
  pretend({ platform: 'win32', execPath: '/opt/Mnemis.exe' });
  const path = join(folder, 'memory.db');
  await expect(openStoreAt(path)).rejects.toMatchObject({
    code: 'store-unsupported',
    message: expect.stringMatching(/npx mnemis copy ".*memory\.db" ".*memory\.db\.sqlite"/),
  });
  const store = await openStoreAt(join(folder, 'memory.sqlite'));
  await store.close();
});

it('names the runtime of Visual C++ where Windows refuses the ONNX runtime', () => {
  expect(reasonOf({ code: 'ERR_DLOPEN_FAILED' }, 'win32')).toContain('vc_redist.x64.exe');
  expect(reasonOf({ code: 'ERR_DLOPEN_FAILED' }, 'linux')).toBe('ERR_DLOPEN_FAILED');
  expect(reasonOf({ code: 'ERR_MODULE_NOT_FOUND' }, 'win32')).toBe('ERR_MODULE_NOT_FOUND');
  expect(reasonOf({}, 'darwin')).toBe('it does not load');
});
