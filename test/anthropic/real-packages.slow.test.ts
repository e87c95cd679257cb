import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { inFolder, inProject, pack } from '../../scripts/consumer.ts';

const PROGRAM = 'with-anthropic.ts';
const NAMES = ['@anthropic-ai/sdk', '@anthropic-ai/claude-agent-sdk'] as const;

/** `npm run peers` checks the oldest versions too. */
it('serves the newest packages of Anthropic, installed from the registry', { timeout: 900_000 }, async () => {
  const { peerDependencies, devDependencies } = manifest;
  const peers = NAMES.map((name) => `${name}@${peerDependencies[name]}`);
  await inFolder(async (folder) => {
    const packages = [pack(folder), ...peers, `tsx@${devDependencies.tsx}`];
    // Without the program that the SDK starts, which is for each platform another 100 MB.
    await inProject(packages, ['--omit=optional'], (project) => {
      for (const file of [PROGRAM, 'anthropic-messages.ts'])
        copyFileSync(join(import.meta.dirname, '../fixtures', file), join(project, file));
      const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', PROGRAM], {
        cwd: project,
        encoding: 'utf8',
      });
      expect([status, stdout], stdout).toEqual([0, expect.not.stringContaining('FAILED')]);
    });
  });
});
