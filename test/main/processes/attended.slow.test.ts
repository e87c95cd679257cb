import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../main/client/connect.ts';
import { resolveConfig } from '../../../main/config.ts';
import { readDiscovery } from '../../../main/processes/discovery-file.ts';
import { Mnemis } from '../../../src/engine.ts';
import { programArguments } from '../../child-program.ts';
import { CommandLab, MAIN, TURNS } from '../cli/fake-terminal.ts';

const WAIT = 60_000;

describe('an engine that was started for a client', { timeout: 120_000 }, () => {
  it('stays while one is there, and leaves the file to a program that waits soon after the last', async () => {
    using lab = new CommandLab();
    const { values: config } = resolveConfig({ flags: {}, environment: lab.env, folder: lab.folder });
    const options = {
      config,
      environment: { ...process.env, ...lab.env },
      folder: lab.folder,
      program: programArguments(MAIN),
    };
    const [one, two] = [await connect(options), await connect(options)];
    await one.add({ scope: 'default', turns: TURNS });
    const { pid } = (await readDiscovery(config.path))!;
    await one.close();
    await expect(Mnemis.open({ path: config.path, wait: 7_000 })).rejects.toMatchObject({
      code: 'database-locked',
      message: expect.stringContaining(`npx mnemis server stop --path "${config.path}"`),
    });
    expect(await two.health({})).toMatchObject({ pid });
    await two.close();
    await using engine = await Mnemis.open({ path: config.path, wait: WAIT });
    expect((await engine.scope('default').stats()).episode).toBe(TURNS.length);
  });

  it('ends when the MCP server that used it is killed', async () => {
    using lab = new CommandLab();
    const { values: config } = resolveConfig({ flags: {}, environment: lab.env, folder: lab.folder });
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), MAIN, 'mcp'], {
      cwd: lab.folder,
      env: { ...process.env, ...lab.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const replies = child.stdout[Symbol.asyncIterator]();
    const ask = async (method: string, params: object) => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`);
      return String((await replies.next()).value);
    };
    const clientInfo = { name: 'test', version: '1' };
    await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    const content = 'Ana moved to Ghent.';
    expect(await ask('tools/call', { name: 'remember', arguments: { content } })).toContain('added');
    expect(await readDiscovery(config.path)).not.toBeNull();
    child.kill('SIGKILL');
    await once(child, 'close');
    await using engine = await Mnemis.open({ path: config.path, wait: WAIT });
    expect((await engine.scope('default').stats()).episode).toBe(1);
  });
});
