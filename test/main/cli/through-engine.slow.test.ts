import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../main/config.ts';
import { runEngine } from '../../../main/processes/run-engine.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { type CommandLab, FIXTURES, LOCOMO, type Run, TURNS } from './fake-terminal.ts';
import { groupedLab } from './grouped-lab.ts';

/** Serves the lab's memory while the job runs; its settings are the lab's. */
async function whileServed(lab: CommandLab, job: () => Promise<void>): Promise<void> {
  const config = resolveConfig({ flags: {}, environment: lab.env, folder: lab.folder }).values;
  const stop = new AbortController();
  let run = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    run = runEngine(config, {
      ...{ environment: lab.env, logger: { warn: () => undefined }, idleMinutes: null },
      signal: stop.signal,
      onListening: () => resolve(),
    });
    run.catch(reject);
  });
  try {
    await job();
  } finally {
    stop.abort();
    await run;
  }
}

/** All that a command printed but for times, which differ from run to run. */
function timeless({ exitCode, out, err }: Run) {
  return [exitCode, out, err].map((each) =>
    String(each)
      .replace(/("(?:milliseconds|seconds|turnsPerSecond|before|score)": )[\d.e-]+/g, '$1…')
      .replace(/[\d.]+ (ms|s)\b/g, '… $1')
      .replace(/score [\d.]+/g, 'score …'),
  );
}

const lab = await groupedLab();

const QUESTION = 'Which animals did Ana buy?';
/** What leaves memory as it is, or comes to the same when it is done again. */
const COMMANDS: readonly (readonly string[])[] = [
  ['explain', QUESTION, '--recipe', 'mnemis', '--k', '5'],
  ['explain', QUESTION, '--as-of', '2024-01-06', '--json'],
  ['explain', QUESTION, '--recipe', 'nope', '--json'],
  ['hierarchy'],
  ['hierarchy', 'status', '--json', '--scope', 'nobody'],
  ['hierarchy', 'update'],
  ['hierarchy', 'rebuild', '--json'],
  ['hierarchy', 'refresh', '--all', '--json'],
  ['hierarchy', 'refresh', '--by-model'],
  ['correct', 'fact', 'none', '--reject', '--json'],
  ['correct', 'entity', 'Zed', '--rename', 'Zoe'],
  ['corrections'],
  ['corrections', '--uncertain', '--json'],
  ['maintain', '--json'],
  ['maintain', '--retention', '1h', '--dry-run'],
  ['maintain', '--retention', 'none'],
];

describe('commands on a memory that an engine serves', () => {
  it('print the same as on one that they open themselves', async () => {
    const alone = new Map<readonly string[], unknown>();
    for (const argv of COMMANDS) alone.set(argv, timeless(await lab.run(...argv)));
    await whileServed(lab, async () => {
      for (const argv of COMMANDS)
        expect(timeless(await lab.run(...argv)), argv.join(' ')).toEqual(alone.get(argv));
    });
  });

  it('write to it, and reject settings that it does not have', async () => {
    await whileServed(lab, async () => {
      const renamed = await lab.run('correct', 'entity', 'zither', '--rename', 'lute', '--author', 'Ben');
      expect(renamed.out).toMatch(/^Edited “zither”: name “lute”\.\nTo undo it: mnemis correct undo \S+\n$/);
      expect((await lab.run('tree', 'Instruments')).out).toContain('lute');
      const [made] = (await lab.run('corrections', '--json')).json<{ id: string; author: string }[]>();
      expect(made!.author).toBe('Ben');
      expect(await lab.run('correct', 'undo', made!.id)).toMatchObject({ exitCode: 0, err: '' });
      for (const argv of [
        ['explain', 'a'],
        ['hierarchy', 'rebuild'],
        ['import', LOCOMO],
      ])
        expect((await lab.run(...argv, '--embedder', 'static', '--json')).json()).toMatchObject({
          error: { code: 'engine-settings' },
        });
    });
    expect((await lab.run('tree', 'Instruments')).out).toContain('zither');
  });

  it('import into it what they import into their own, and export the same', async () => {
    const [first, ...rest] = TURNS.map((turn) => JSON.stringify(turn));
    const bad = JSON.stringify({ ...TURNS[0], at: 'secretword' });
    const file = lab.file('more.jsonl', [first, 'secretword', bad, ...rest].join('\n'));
    const importing = ['import', file, '--format', 'jsonl', '--json'];
    const facts = ['import', join(FIXTURES, 'graphiti.json'), '--json', '--no-enrich'];
    const runs = async (scope: string) => {
      const printed: unknown[] = [];
      for (const argv of [importing, facts]) printed.push(timeless(await lab.run(...argv, '--scope', scope)));
      const {
        episodes,
        entities,
        facts: known,
        pending,
      } = (await lab.run('stats', '--scope', scope, '--json')).json<Record<string, number>>();
      const exported = await lab.run('export', `${scope}.jsonl`, '--scope', scope, '--json');
      expect(exported.json()).toMatchObject({ file: join(lab.folder, `${scope}.jsonl`) });
      printed.push(
        { episodes, entities, known, pending },
        timeless(await lab.run('export', 'no/such/a.jsonl', '--scope', scope, '--json')),
      );
      return printed;
    };
    const alone = await runs('alone');
    await lab.run('export', 'alone-too.jsonl', '--scope', 'alone');
    mkdirSync(join(lab.folder, 'memory.db.export-1-of-a-killed-process'));
    await whileServed(lab, async () => {
      expect(await runs('served')).toEqual(alone);
      await lab.run('export', 'alone.jsonl', '--scope', 'alone');
      const price = await lab.run(...importing, '--dry-run', '--scope', 'alone');
      expect(price.json()).toMatchObject({ profile: 'local', turns: 5, new: 0, known: 3, rejected: 2 });
    });
    const rows = (name: string) => lab.read(name).split('\n').slice(1, -2).sort();
    expect(rows('alone.jsonl')).toEqual(rows('alone-too.jsonl'));
    expect(rows('served.jsonl')).toHaveLength(rows('alone.jsonl').length);
    expect(readdirSync(lab.folder).filter((name) => /export-|\.tmp$/.test(name))).toEqual([]);
  });

  it('are stopped by Ctrl-C, and say what was kept', async () => {
    await using server = await ScriptedOpenAiServer.start({
      reply: () => {
        lab.signals.emit('SIGINT');
        return { categories: [] };
      },
    });
    Object.assign(lab.env, {
      ...{ MNEMIS_TIER: 'llm', MNEMIS_LLM_PROVIDER: 'openai-compatible', MNEMIS_LLM_MODEL: 'm' },
      MNEMIS_LLM_BASE_URL: `${server.url}/v1`,
    });
    const stop = async () => {
      const run = await lab.run('hierarchy', 'rebuild');
      expect(run.exitCode).toBe(130);
      expect(run.err).toContain(
        'Cancelled; placed nodes are kept; run "mnemis hierarchy rebuild" again to continue.',
      );
      expect((await lab.run('hierarchy', '--json')).json()).toMatchObject({ layers: [6, 4], waiting: 0 });
    };
    await stop();
    await whileServed(lab, stop);
    expect(server.requests).toHaveLength(2);
  });
});
