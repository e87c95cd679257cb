import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { closeModelHosts, modelInUse, sharedModelHost } from '../../../src/inference/llama/model-hosts.ts';

afterAll(() => closeModelHosts());
afterEach(() => vi.restoreAllMocks());

const runtime = join(import.meta.dirname, 'scripted-runtime.ts');
const folder = mkdtempSync(join(tmpdir(), 'hosts-'));

function hostOf(name: string) {
  const file = join(folder, name);
  writeFileSync(file, 'weights');
  return { file, host: sharedModelHost({ name, file, contextTokens: 64, runtime }) };
}

test('two models share the memory while there is some; where it is short, an idle one leaves', async () => {
  const [one, other] = [hostOf('one.gguf'), hostOf('other.gguf')];
  expect(modelInUse('nowhere.gguf')).toBeNull();
  await one.host.load();
  await other.host.load();
  expect([one, other].map(({ file }) => modelInUse(file)?.isLoaded)).toEqual([true, true]);
  await one.host.close();
  vi.spyOn(process as { availableMemory(): number }, 'availableMemory').mockReturnValue(5);
  await one.host.load();
  expect([one, other].map(({ file }) => modelInUse(file)?.isLoaded)).toEqual([true, false]);
});
