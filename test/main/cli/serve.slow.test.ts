import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programArguments } from '../../child-program.ts';
import { bearer } from '../http/network/serve-lab.ts';
import { spanReceiver } from '../http/network/span-receiver.ts';
import { CommandLab, MAIN, type Run } from './fake-terminal.ts';

/** A server of the command line in this process. */
class Served {
  readonly lab: CommandLab;
  readonly run: Promise<Run>;
  readonly port: Promise<number>;

  constructor(lab: CommandLab, ...flags: readonly string[]) {
    this.lab = lab;
    let text = '';
    let [listening, failed]: [(port: number) => void, (error: Error) => void] = [() => {}, () => {}];
    this.port = new Promise((resolve, reject) => {
      [listening, failed] = [resolve, reject];
    });
    this.port.catch(() => undefined); // it may have failed before anybody asks for it
    lab.onError = (more) => {
      text += more;
      const found = /"port":(\d+)/.exec(text)?.[1];
      if (found !== undefined) listening(Number(found));
    };
    this.run = lab.run('serve', '--json', '--port', '0', '--drain-seconds', '0', ...flags);
    void this.run.then(({ err }) => failed(new Error(err)));
  }

  async post(token: string, name: string, input: object): Promise<Response> {
    return fetch(`http://127.0.0.1:${await this.port}/v1/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token) },
      body: JSON.stringify(input),
    });
  }

  async stop(): Promise<Run> {
    this.lab.signals.emit('SIGTERM');
    return this.run;
  }
}

async function tokenOf(lab: CommandLab, ...flags: readonly string[]): Promise<string> {
  const { out, err } = await lab.run('token', 'issue', '--name', 'test', '--json', ...flags);
  if (out === '') throw new Error(err);
  return JSON.parse(out).token;
}

const TURN = { content: 'I adopted a cat called Miso.', speaker: 'Ana', session: 's1', index: 0 };

describe('mnemis serve', () => {
  it('serves a memory by tokens, and this machine’s own commands beside them', async () => {
    using lab = new CommandLab();
    const token = await tokenOf(lab, '--scope', 'default', '--access', 'write');
    const served = new Served(lab);
    expect((await served.post(token, 'add', { scope: 'default', turns: [TURN] })).status).toBe(200);
    expect((await served.post(token, 'stats', { scope: 'other' })).status).toBe(403);
    const stats = await lab.run('stats', '--json');
    expect(stats.json<{ episodes: number }>()).toMatchObject({ episodes: 1 });
    // The token of the one server is none of the other's.
    const { token: own, port } = JSON.parse(lab.read('memory.db.server.json'));
    expect(port).not.toBe(await served.port);
    expect((await served.post(own, 'health', {})).status).toBe(401);
    const late = await tokenOf(lab, '--scope', 'default');
    expect((await served.post(late, 'stats', { scope: 'default' })).status).toBe(200);

    const { exitCode, out } = await served.stop();
    expect(exitCode).toBe(0);
    const audited = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(audited.map(({ method, outcome }) => [method, outcome])).toEqual([
      ['add', 'ok'],
      ['stats', 'forbidden-scope'],
      ['health', 'unauthorized'],
      ['stats', 'ok'],
    ]);
    expect(existsSync(join(lab.folder, 'memory.db.server.json'))).toBe(false);
    expect((await lab.run('token', 'list')).out).toContain('last used');
  });

  it('writes the audit log to a file of its owner', async () => {
    using lab = new CommandLab();
    const token = await tokenOf(lab, '--scope', 'a');
    for (const _ of [1, 2]) {
      const served = new Served(lab, '--audit-log', 'audit.jsonl');
      expect((await served.post(token, 'stats', { scope: 'a' })).status).toBe(200);
      expect((await served.stop()).out).toBe('');
    }
    expect(lab.read('audit.jsonl').trim().split('\n')).toHaveLength(2);
    expect(statSync(join(lab.folder, 'audit.jsonl')).mode & 0o777).toBe(0o600);
    const failed = await lab.run('serve', '--port', '0', '--audit-log', 'no/such/folder');
    expect([failed.exitCode, failed.err]).toEqual([2, expect.stringContaining('audit log')]);
  });

  it('does not listen beyond this machine without a valid token or an OpenID provider', async () => {
    using lab = new CommandLab();
    const refused = async () => {
      const { exitCode, err } = await lab.run('serve', '--host', '0.0.0.0', '--port', '0');
      expect([exitCode, err]).toEqual([2, expect.stringContaining('mnemis token issue')]);
      expect(existsSync(join(lab.folder, 'memory.db'))).toBe(false);
    };
    await refused();
    const { id } = JSON.parse(
      (await lab.run('token', 'issue', '--name', 'gone', '--scope', 'a', '--json')).out,
    );
    await lab.run('token', 'revoke', id);
    await refused();
    await tokenOf(lab, '--scope', 'a');
    const served = new Served(lab, '--host', '0.0.0.0');
    expect(await served.port).toBeGreaterThan(0);
    expect((await served.stop()).exitCode).toBe(0);
  });

  it('does not start with a damaged file of tokens, a setting that is wrong, or a memory without a place', async () => {
    using lab = new CommandLab();
    lab.file('memory.db.tokens.json', '{}');
    expect((await lab.run('serve', '--port', '0')).exitCode).toBe(1);
    for (const flags of [
      ['--port', '70000'],
      ['--port', 'http'],
      ['--requests-per-minute', '0'],
      ['--max-request-mb', '1e3'],
      ['--oidc-issuer', 'https://issuer.example'],
      ['--recipe', 'no such recipe'],
      ['--host', '192.0.2.1', '--oidc-issuer', 'http://issuer.example', '--oidc-audience', 'mnemis'],
    ])
      expect([flags, (await lab.run('serve', '--tokens', 'tokens.json', ...flags)).exitCode]).toEqual([
        flags,
        2,
      ]);
    expect((await lab.run('serve', '--port', '0', '--path', ':memory:', '--tokens', 't.json')).exitCode).toBe(
      2,
    );
  });

  it('takes its settings from the environment, too', async () => {
    using lab = new CommandLab();
    const token = await tokenOf(lab, '--scope', 'a', '--tokens', 'own.json');
    Object.assign(lab.env, { MNEMIS_TOKENS: 'own.json', MNEMIS_SERVE_REQUESTS_PER_MINUTE: '1' });
    const served = new Served(lab);
    expect((await served.post(token, 'health', {})).status).toBe(200);
    expect((await served.post(token, 'health', {})).status).toBe(429);
    await served.stop();
    lab.env.MNEMIS_SERVE_PORT = 'x';
    const { exitCode, err } = await lab.run('serve');
    expect([exitCode, err]).toEqual([2, expect.stringContaining('MNEMIS_SERVE_PORT')]);
  });

  it('says so where the memory is served already', async () => {
    using lab = new CommandLab();
    const token = await tokenOf(lab, '--scope', 'a');
    const served = new Served(lab);
    expect((await served.post(token, 'health', {})).status).toBe(200);
    const { exitCode, err } = await lab.run('serve', '--port', '0');
    expect([exitCode, err]).toEqual([1, expect.stringContaining(`pid ${process.pid}`)]);
    await served.stop();
  });

  it('ends in a process of its own by SIGTERM: not ready first, then its streams end, then it is gone', async () => {
    using lab = new CommandLab();
    const token = await tokenOf(lab, '--scope', 'a');
    using collector = await spanReceiver();
    lab.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
    const child = spawn(
      process.execPath,
      [...programArguments(MAIN), 'serve', '--json', '--port', '0', '--drain-seconds', '1'],
      { env: { ...process.env, ...lab.env }, cwd: lab.folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const ended = once(child, 'exit');
    const port = await new Promise<number>((resolve, reject) => {
      let text = '';
      child.stderr.on('data', (chunk) => {
        text += chunk;
        const found = /"port":(\d+)/.exec(text)?.[1];
        if (found !== undefined) resolve(Number(found));
      });
      child.once('exit', () => reject(new Error(text)));
    });
    const url = `http://127.0.0.1:${port}`;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const stream = await fetch(`${url}/v1/changes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token) },
      body: '{"scope":"a"}',
    });
    child.kill('SIGTERM');
    let status = 200;
    while (status === 200) status = (await fetch(`${url}/readyz`)).status;
    expect(status).toBe(503);
    expect(await stream.text()).toContain('engine-stopped');
    expect(await ended).toEqual([0, null]);
    expect(collector.received.map(({ text }) => text).join('')).toContain('"mnemis changes"');
    expect(existsSync(join(lab.folder, 'memory.db.owner.lock'))).toBe(false);
  });
});
