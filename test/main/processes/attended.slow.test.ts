import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../main/client/connect.ts';
import { findEngine } from '../../../main/client/find-engine.ts';
import { resolveConfig } from '../../../main/config.ts';
import { readDiscovery } from '../../../main/processes/discovery-file.ts';
import { Mnemis } from '../../../src/engine.ts';
import { programArguments } from '../../child-program.ts';
import { CommandLab, MAIN, TURNS } from '../cli/fake-terminal.ts';

const WAIT = 60_000;

describe('an engine that was started for a client', () => {
  it('stays while one is there, and leaves the file to a program that waits soon after the last', async () => {
    using lab = new CommandLab();
    const { values: config } = resolveConfig({ flags: {}, environment: lab.env, folder: lab.folder });
    const options = {
      config,
      environment: { ...process.env, ...lab.env },
      folder: lab.folder,
      program: programArguments(MAIN),
    };
    // The third leaves without a request.
    const [one, two, three] = [await connect(options), await connect(options), await connect(options)];
    await one.add({ scope: 'default', turns: TURNS });
    const { pid } = (await readDiscovery(config.path))!;
    await one.close();
    await expect(Mnemis.open({ path: config.path, wait: 7_000 })).rejects.toMatchObject({
      code: 'database-locked',
      message: expect.stringContaining(`npx mnemis server stop --path "${config.path}"`),
    });
    expect(await two.health({})).toMatchObject({ pid });
    await two.close();
    await three.close();
    await using engine = await Mnemis.open({ path: config.path, wait: WAIT });
    expect((await engine.scope('default').stats()).episode).toBe(TURNS.length);
  });

  it('stays between the prompts of an agent, whose hooks come and go', async () => {
    using lab = new CommandLab();
    const env = { ...process.env, ...lab.env };
    const { values: config } = resolveConfig({ flags: {}, environment: lab.env, folder: lab.folder });
    const hook = ['--import', import.meta.resolve('tsx'), MAIN, 'agent', 'hook', 'claude-code'];
    const child = spawn(process.execPath, hook, {
      cwd: lab.folder,
      env,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const prompt = 'Fonts are in the bundle.';
    const event = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: lab.folder, prompt };
    child.stdin.end(JSON.stringify(event));
    await once(child, 'close');
    await expect(Mnemis.open({ path: config.path, wait: 8_000 })).rejects.toMatchObject({
      code: 'database-locked',
    });
    await (await findEngine(config.path))!.client.shutdown({});
    await using engine = await Mnemis.open({ path: config.path, wait: WAIT });
    expect((await engine.scopes()).length).toBe(1);
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
