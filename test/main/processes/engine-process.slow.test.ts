import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../main/client/connect.ts';
import { findEngine, findOrStart, type StartOptions } from '../../../main/client/find-engine.ts';
import { type Config, resolveConfig } from '../../../main/config.ts';
import { discoveryPath, readDiscovery } from '../../../main/processes/discovery-file.ts';
import { runEngine } from '../../../main/processes/run-engine.ts';
import { programArguments } from '../../child-program.ts';
import { CommandLab, MAIN, TURNS } from '../cli/fake-terminal.ts';

const configOf = (lab: CommandLab): Config =>
  resolveConfig({ flags: {}, environment: lab.env, folder: lab.folder }).values;

/** An engine keeps the allocator settings that it is started with; without any, it sets its own. */
function withoutAllocatorSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('MALLOC_')));
}

const startOf = (lab: CommandLab): StartOptions => ({
  config: configOf(lab),
  environment: { ...withoutAllocatorSettings(process.env), ...lab.env },
  folder: lab.folder,
  program: programArguments(MAIN),
});

const turn = (index: number) => ({
  content: `Note ${index} was acknowledged.`,
  at: '2024-04-01',
  session: 'notes',
  index,
});

/** Runs a job on engines that are sure to be gone afterwards. */
async function withEngines(lab: CommandLab, job: (pids: Set<number>) => Promise<void>): Promise<void> {
  const pids = new Set<number>();
  try {
    await job(pids);
  } finally {
    const last = await readDiscovery(configOf(lab).path);
    if (last !== null) pids.add(last.pid);
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    lab[Symbol.dispose]();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Looks again and again, for what no event tells. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('an engine in a process of its own', () => {
  it('is one for all that start it at once, is used by commands, and survives a kill', async () => {
    const lab = new CommandLab();
    await withEngines(lab, async (pids) => {
      const options = startOf(lab);
      const { path } = options.config;
      const [one, two, client] = await Promise.all([
        findOrStart(options),
        findOrStart(options),
        connect(options),
      ]);
      pids.add(one.discovery.pid).add(two.discovery.pid);
      expect(two.discovery).toEqual(one.discovery);
      expect(one.discovery.pid).not.toBe(process.pid);
      expect(statSync(discoveryPath(path)).mode & 0o777).toBe(0o600);
      if (process.platform === 'linux')
        expect(readFileSync(`/proc/${one.discovery.pid}/environ`, 'utf8')).toContain('MALLOC_ARENA_MAX=2');

      await client.add({ scope: 'default', turns: TURNS });
      const found = await lab.run('search', 'Where did Ana move?', '--json');
      expect(found.json<{ episodes: { content: string }[] }>().episodes[0]?.content).toContain('Lisbon');
      for (const command of ['resume', 'stats', 'tree', 'hierarchy', 'changes'])
        expect((await lab.run(command)).exitCode).toBe(0);
      const explained = await lab.run('explain', 'Where did Ana move?');
      expect(explained).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^system1: /) });
      const asked = await lab.run('ask', 'Where did Ana move?', '--json');
      expect(asked.json<{ answered: boolean }>().answered).toBe(true);
      const erased = await lab.run('forget', '--session', 's2', '--yes', '--compact', '--json');
      expect(erased.json()).toMatchObject({ removed: { episode: 1 }, onDisk: 'erased' });
      expect((await lab.run('compact')).exitCode).toBe(0);
      expect((await lab.run('verify', '--json')).json()).toMatchObject({ sound: true, findings: [] });
      expect(await lab.run('backup', 'in-use.mnemis-backup')).toMatchObject({ exitCode: 0, err: '' });
      const copied = await lab.run('verify', 'in-use.mnemis-backup', '--json');
      expect(copied.json()).toMatchObject({ sound: true, findings: [] });
      const { healthy, findings } = (await lab.run('doctor', '--no-devices', '--json')).json<{
        healthy: boolean;
        findings: { name: string; detail: string }[];
      }>();
      expect(healthy).toBe(true);
      expect(findings.find(({ name }) => name === 'memory')?.detail).toContain(
        `served by the engine with pid ${one.discovery.pid}, `,
      );
      const alone = await lab.run('repair', '--dry-run', '--json');
      expect(alone.json()).toMatchObject({ error: { code: 'engine-running' } });
      expect(alone.err).toContain(`pid ${one.discovery.pid}`);
      const strange = await lab.run('search', 'cat', '--embedder', 'static', '--json');
      expect(strange.json()).toMatchObject({ error: { code: 'engine-settings' } });

      const before = await one.client.stats({ scope: 'default' });
      let acknowledged = 0;
      for (; acknowledged < 5; acknowledged++)
        await one.client.add({ scope: 'default', turns: [turn(acknowledged)] });
      const late = one.client.add({ scope: 'default', turns: [turn(acknowledged)] }).then(
        () => true,
        () => false,
      );
      process.kill(one.discovery.pid, 'SIGKILL');
      const isLateIn = await late;
      await until(() => !isAlive(one.discovery.pid));
      expect(existsSync(discoveryPath(path))).toBe(true);
      expect(await findEngine(path)).toBeNull();

      const after = await client.stats({ scope: 'default' }); // its engine is started anew
      const next = (await readDiscovery(path))!;
      pids.add(next.pid);
      expect([next.pid, next.token]).not.toEqual([one.discovery.pid, one.discovery.token]);
      expect(after.episode - before.episode).toBeGreaterThanOrEqual(acknowledged + (isLateIn ? 1 : 0));

      const stopped = await lab.run('server', 'stop', '--json');
      expect(stopped.json()).toMatchObject({ stopped: true, pid: next.pid });
      expect(readdirSync(lab.folder).filter((name) => /\.(lock|server\.json)/.test(name))).toEqual([]);
      expect((await lab.run('server', 'status', '--json')).json()).toMatchObject({ running: false });
    });
  });

  it('says why it cannot be started', async () => {
    using lab = new CommandLab();
    const { config, ...rest } = startOf(lab);
    const unset = { ...config, tier: 'llm' as const };
    await expect(findOrStart({ ...rest, config: unset })).rejects.toMatchObject({ code: 'invalid-setting' });
    const program = [lab.file('no-engine.mjs', 'process.exit(3)')];
    await expect(findOrStart({ ...rest, config, program })).rejects.toMatchObject({ code: 'engine-start' });
  });
});

describe('runEngine', () => {
  const quiet = { logger: { warn: () => undefined }, environment: {} };

  it('stops when idle, and leaves nothing behind', async () => {
    using lab = new CommandLab();
    const config = configOf(lab);
    let pid = 0;
    await runEngine(config, {
      ...quiet,
      idleMinutes: 0.001,
      signal: new AbortController().signal,
      onListening: (discovery) => {
        ({ pid } = discovery);
      },
    });
    expect(pid).toBe(process.pid);
    expect(readdirSync(lab.folder).filter((name) => /\.(lock|server\.json)/.test(name))).toEqual([]);
  });

  it('stops on request, and consolidates new turns first', async () => {
    using lab = new CommandLab();
    const config = configOf(lab);
    const stop = new AbortController();
    let run = Promise.resolve();
    await new Promise<void>((resolve) => {
      run = runEngine(config, {
        ...quiet,
        idleMinutes: null,
        signal: stop.signal,
        onListening: () => resolve(),
      });
    });
    const { client } = (await findEngine(config.path))!;
    await client.add({ scope: 'default', turns: [{ ...turn(0), content: 'I moved to Lisbon.' }] });
    const refused = await lab.run('server', 'start', '--json');
    expect(refused.json()).toMatchObject({ error: { code: 'engine-running' } });
    stop.abort();
    await run;
    const stats = (await lab.run('stats', '--json')).json<{ pending: number; segments: number }>();
    expect(stats).toMatchObject({ pending: 0, segments: 1 });
  });

  it('is found by the time it can be reached in another way', async () => {
    using lab = new CommandLab();
    const config = configOf(lab);
    const stop = new AbortController();
    let found: unknown = null;
    await runEngine(config, {
      ...quiet,
      idleMinutes: null,
      signal: stop.signal,
      serveAlso: async () => {
        found = await readDiscovery(config.path);
        return { close: async () => undefined };
      },
      onListening: () => stop.abort(),
    });
    expect(found).toMatchObject({ pid: process.pid });
  });

  it('does not serve an in-memory database', async () => {
    using lab = new CommandLab();
    lab.env.MNEMIS_PATH = ':memory:';
    const { signal } = new AbortController();
    const run = runEngine(configOf(lab), {
      ...quiet,
      idleMinutes: null,
      signal,
      onListening: () => undefined,
    });
    await expect(run).rejects.toMatchObject({ code: 'invalid-setting' });
    const client = await connect(startOf(lab));
    expect(await client.health({})).toMatchObject({ path: ':memory:', pid: process.pid });
    await client.close();
  });
});
