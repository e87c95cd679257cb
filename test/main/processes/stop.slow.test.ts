import { describe, expect, it } from 'vitest';
import { findOrStart } from '../../../main/client/find-engine.ts';
import { resolveConfig } from '../../../main/config.ts';
import { discoveryPath } from '../../../main/processes/discovery-file.ts';
import { isRunning } from '../../../src/store/database-lock.ts';
import { programArguments } from '../../child-program.ts';
import { CommandLab, MAIN } from '../cli/fake-terminal.ts';

describe('mnemis server stop', () => {
  it('returns when the process has ended, after all its requests, and not when the file is free', async () => {
    using lab = new CommandLab();
    const { values: config } = resolveConfig({ flags: {}, environment: lab.env, folder: lab.folder });
    const environment = { ...process.env, ...lab.env };
    const file = JSON.stringify(discoveryPath(config.path));
    const linger = lab.file(
      'linger.mjs',
      `import { existsSync } from 'node:fs';
      let isServing = false;
      const look = setInterval(() => {
        if (isServing && !existsSync(${file})) (clearInterval(look), setTimeout(() => undefined, 1_500));
        isServing ||= existsSync(${file});
      }, 5).unref();`,
    );
    const program = ['--import', linger, ...programArguments(MAIN)];
    const { client, discovery } = await findOrStart({ config, environment, folder: lab.folder, program });
    await Promise.all([1, 2, 3].map(() => client.stats({ scope: 'default' })));
    const stopped = await lab.run('server', 'stop', '--json');
    expect(stopped.json()).toMatchObject({ stopped: true, pid: discovery.pid });
    expect(await isRunning(discovery.pid)).toBe(false);
  });
});
