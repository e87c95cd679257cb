import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { besideMemory } from '../../../main/beside-memory.ts';
import { findEngine } from '../../../main/client/find-engine.ts';
import { programArguments } from '../../child-program.ts';
import { describeWithPostgres } from '../../fixtures/describe-with-postgres.ts';
import { type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { CommandLab, MAIN } from './fake-terminal.ts';

const PASSWORD = 'password-of-nora';

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

describeWithPostgres('mnemis over a Postgres server', () => {
  let server: PostgresServer;
  let lab: CommandLab;
  /** Everything that any command has printed. */
  let printed = '';
  /** The command line of every process, at some moments. */
  let processes = '';

  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
    const nora = await server.createRole('nora');
    lab = new CommandLab();
    lab.env.MNEMIS_PATH = server.url(await server.createDatabase('memory', nora), nora);
  });
  afterAll(async () => {
    await run('server', 'stop');
    await server.stop();
    lab[Symbol.dispose]();
  });

  const listProcesses = () => {
    if (process.platform !== 'win32')
      processes += execFileSync('ps', ['-A', '-ww', '-o', 'args'], { encoding: 'utf8' });
  };

  async function run(...argv: readonly string[]): Promise<Outcome> {
    const child = spawn(process.execPath, [...programArguments(MAIN), ...argv], {
      cwd: lab.folder,
      env: { ...process.env, ...lab.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const timer = setInterval(listProcesses, 100);
    const outcome = await outcomeOf(child).finally(() => clearInterval(timer));
    printed += outcome.out + outcome.err;
    return outcome;
  }

  /** @returns what it printed to standard output. */
  async function succeeds(...argv: readonly string[]): Promise<string> {
    const { code, out, err } = await run(...argv);
    expect([argv[0], code, code === 0 ? '' : err]).toEqual([argv[0], 0, '']);
    return out;
  }

  /** @returns what it printed to standard error. */
  async function fails(code: number, ...argv: readonly string[]): Promise<string> {
    const outcome = await run(...argv);
    expect([argv[0], outcome.code]).toEqual([argv[0], code]);
    return outcome.err;
  }

  const shown = () => `postgres://nora@127.0.0.1:${server.port}/memory`;

  it('adds, finds, answers and counts', async () => {
    expect(await succeeds('add', 'I moved to Ghent last week.', '--speaker', 'Nora')).toContain(
      `of ${shown()}`,
    );
    await succeeds('add', 'My kiln arrived yesterday.', '--speaker', 'Ben', '--session', 'kiln');
    expect(await succeeds('search', 'Where does Nora live?')).toContain('I moved to Ghent');
    expect(await succeeds('ask', 'Where did Nora move?')).toContain('Ghent');
    const stats = JSON.parse(await succeeds('stats', '--json'));
    expect(stats).toMatchObject({ path: shown(), episodes: 2, backend: 'postgres' });
    expect(await succeeds('config')).toContain(shown());
    expect(await succeeds('verify')).toContain(`${shown()}: sound`);
    expect(await succeeds('doctor', '--no-devices')).toContain(`${shown()}: postgres`);
  });

  it('exports, copies and forgets', async () => {
    await succeeds('export', 'scope.jsonl');
    expect(lab.read('scope.jsonl')).toContain('kiln');
    expect(await succeeds('copy', lab.env.MNEMIS_PATH!, 'copy.sqlite')).toContain(`from ${shown()}`);
    expect(JSON.parse(await succeeds('stats', '--path', 'copy.sqlite', '--json'))).toMatchObject({
      episodes: 2,
    });
    const report = await succeeds('forget', '--session', 'kiln', '--yes');
    expect(report).toContain('and found none');
    expect(report).toContain('To erase it: VACUUM FULL');
    expect(await run('search', 'kiln')).toMatchObject({ out: expect.not.stringContaining('kiln arrived') });
    expect(await succeeds('restore', 'scope.jsonl', '--scope', 'second')).toContain('into scope "second"');
  });

  it('says what to do instead of commands that need files', async () => {
    await succeeds('backup', 'one.mnemis-backup');
    expect(await succeeds('verify', 'one.mnemis-backup')).toContain('sound');
    expect(await fails(1, 'compact')).toContain('VACUUM FULL');
    expect(await fails(2, 'repair')).toContain('Make one with pg_dump, then run again with --no-backup');
    expect(await succeeds('repair', '--no-backup')).toContain('Nothing to repair');
    await succeeds('backup', 'of-copy', '--path', 'copy.sqlite');
    expect(await fails(1, 'restore', 'of-copy', '--replace')).toContain('restore it to a new path');
  });

  it('starts a server in another process and uses it', async () => {
    expect(await succeeds('server', 'start', '--detach', '--idle', '5')).toContain(`${shown()} is served by`);
    listProcesses();
    expect(processes).toMatch(/server start --idle 5 --json/);
    const { pid } = JSON.parse(await succeeds('server', 'status', '--json'));
    const { client } = (await findEngine(besideMemory(lab.env.MNEMIS_PATH!, lab.env)))!;
    printed += JSON.stringify([await client.health({}), await client.settings({}), await client.backups({})]);
    const backup = { job: randomUUID() };
    await expect(client.startBackup(backup)).rejects.toThrow('pg_dump');
    await client.close();
    await succeeds('add', 'I planted leeks.', '--speaker', 'Nora');
    expect(await succeeds('search', 'leeks')).toContain('I planted leeks');
    expect(await fails(1, 'repair', '--no-backup')).toContain(
      `${shown()} is served by the engine with pid ${pid}`,
    );
    await succeeds('backup', 'two.mnemis-backup');
    await succeeds('export', 'served.jsonl');
    expect(lab.read('served.jsonl')).toContain('leeks');
    await succeeds('server', 'stop');
    expect(await succeeds('server', 'status')).toBe(`Nothing serves ${shown()}.\n`);
  });

  it('has shown the password nowhere: not in outputs, files, or the list of processes', () => {
    expect(printed).toContain(shown());
    expect(printed).not.toContain(PASSWORD);
    // `copy` alone was given the URL as an argument.
    const listed = processes.split('\n').filter((line) => !/\bcopy postgres:/.test(line));
    expect(listed.filter((line) => line.includes(PASSWORD))).toEqual([]);
    const files = filesIn(lab.folder);
    expect(files.filter((file) => file.endsWith('memory.app.sqlite'))).toHaveLength(1);
    expect(files.filter((file) => readFileSync(file).includes(PASSWORD))).toEqual([]);
  });
});

async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let [out, err] = ['', ''];
  child.stdout!.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr!.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}
