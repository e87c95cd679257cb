import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PAPER_TABLES } from '../../../eval/papers/tables.ts';
import { programArguments } from '../../child-program.ts';
import type { ChatAsked } from '../../fakes/openai-server/script.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { seededRandom } from '../../search/random.ts';
import { CommandLab, LOCOMO, MAIN, startProgram } from './fake-terminal.ts';

const RUN = ['eval', 'run', '--data', LOCOMO] as const;

interface Table {
  readonly lines: readonly {
    readonly label: string;
    readonly questions: number;
    readonly figures: Readonly<Record<string, { readonly mean: number }>>;
    readonly paper: Readonly<Record<string, number>>;
  }[];
  readonly skipped: readonly { readonly label: string; readonly reason: string }[];
  readonly files: readonly string[];
}

describe('mnemis eval run', () => {
  it.each(PAPER_TABLES)(
    '$name runs to its end, written and answered by a simulated model',
    async ({ name, rows }) => {
      using lab = new CommandLab();
      const run = await lab.run(
        ...RUN,
        '--table',
        name,
        '--dataset',
        'locomo',
        '--tier',
        'llm',
        '--rehearsed',
        '--questions',
        '2',
        '--conversations',
        '1',
        '--json',
      );
      expect(run.exitCode, run.err).toBe(0);
      const table = run.json<Table>();
      expect([...table.lines, ...table.skipped].map(({ label }) => label).toSorted()).toEqual(
        rows.map(({ label }) => label).toSorted(),
      );
      for (const { label, reason } of table.skipped)
        expect([label, reason]).toEqual([label, expect.stringMatching(/mnemis models|There is no/)]);
      for (const { questions, figures } of table.lines) {
        expect(questions).toBe(2);
        expect(Object.keys(figures)).toEqual(expect.arrayContaining(['turn@10', 'ms']));
      }
      const answered = table.lines.filter(({ figures }) => figures.judge !== undefined);
      expect(answered.length > 0).toBe(table.lines.length > 0);
      for (const file of table.files) expect(existsSync(file)).toBe(true);
    },
  );

  it.each(PAPER_TABLES)('$name runs by rules', async ({ name, rows }) => {
    using lab = new CommandLab();
    const run = await lab.run(
      ...RUN,
      '--table',
      name,
      '--dataset',
      'locomo',
      '--questions',
      '1',
      '--conversations',
      '1',
      '--json',
    );
    expect(run.exitCode, run.err).toBe(0);
    const table = run.json<Table>();
    expect(table.lines.length + table.skipped.length).toBe(rows.length);
    for (const { figures } of table.lines) expect(figures).not.toHaveProperty('judge');
  });

  it('prints the table, with the paper’s figures, and where it lies', async () => {
    using lab = new CommandLab();
    const { out, err, exitCode } = await lab.run(...RUN, '--table', 'memorai-table6', '--out', 'here');
    expect(exitCode, err).toBe(0);
    expect(out).toMatch(/^\| line \| questions \| .*turn@10 \| paper \| .*session@10 \| paper \|/m);
    expect(out).toMatch(/^\| Subgraph \| 5 \| .*\| 64\.68 \|/m);
    expect(out).toMatch(/^written: .*here\/table\.json, .*here\/table\.csv/m);
    expect(readFileSync(join(lab.folder, 'here/table.md'), 'utf8')).toContain('# Subgraph of MemORAI');
  });

  it('takes what to compare from flags, or from a file', async () => {
    using lab = new CommandLab();
    const flags = [
      '--dataset',
      'locomo',
      '--recipe',
      'auto,BM25',
      '--context',
      'mnemis,turns',
      '--k',
      '5',
      '--answerer',
      'none',
    ];
    const byFlags = (await lab.run(...RUN, ...flags, '--json')).json<Table>();
    expect(byFlags.lines.map(({ label }) => label)).toEqual(['auto, mnemis', 'auto, turns', 'BM25']);
    const spec = {
      ...{ name: 'mine', dataset: 'locomo', without: ['5'] },
      rows: [{ label: 'a', recipe: 'auto', context: 'mnemis', k: 5, answerer: 'none' }],
    };
    const byFile = (
      await lab.run(...RUN, lab.file('spec.json', JSON.stringify(spec)), '--json')
    ).json<Table>();
    expect(byFile.lines).toMatchObject([{ label: 'a', questions: 5 }]);
  });

  it('says what it would cost, and asks nothing', async () => {
    await using server = await ScriptedOpenAiServer.start({ reply: filled });
    using lab = new CommandLab();
    useServer(lab, server);
    const { out, exitCode } = await lab.run(
      ...RUN,
      '--table',
      'memorai-table8',
      '--tier',
      'llm',
      '--dry-run',
      '--per-million',
      '1000,1000',
    );
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^writing with memorai-paper: about \d+ calls/m);
    expect(out).toMatch(/^answers: about 10 calls/m);
    expect(out).toMatch(/^in all: about .*, some \d+\.\d\d$/m);
    expect(server.requests).toEqual([]);
  });

  it.each([
    [['--dataset', 'locomo'], 'usage', 'Name a specification'],
    [['--table', 'memorai-table7'], 'unknown-name', 'memorai-table6'],
    [['--recipe', 'auto'], 'usage', '--dataset <name> is missing'],
    [['--dataset', 'locomo', '--recipe', 'autos'], 'unknown-name', 'autos'],
    [['nowhere.json', '--dataset', 'locomo'], 'file-unreadable', 'nowhere.json'],
    [['nowhere.json', '--table', 'gam-table3'], 'usage', 'exclude each other'],
  ])('rejects %s', async (flags, code, message) => {
    using lab = new CommandLab();
    const run = await lab.run(...RUN, ...flags, '--json');
    expect(run.json()).toEqual({ error: { code, message: expect.stringContaining(message) } });
  });
});

/** One question of HotpotQA, with passages as long as PersonalAI's. */
const PASSAGES = {
  _id: 'q1',
  question: 'In which country is the town where the Zwin reserve lies?',
  answer: 'Belgium',
  type: 'bridge',
  supporting_facts: [
    ['Zwin', 0],
    ['Knokke-Heist', 0],
  ],
  context: [
    ['Zwin', ['The Zwin is a nature reserve by the North Sea coast that lies in the town of Knokke-Heist.']],
    ['Knokke-Heist', ['Knokke-Heist is a town by the sea in the province of West Flanders in Belgium.']],
  ],
};

/** The first command of "Reproduce it" on each paper's page is the table as the paper ran it. */
it.each(['mnemis', 'memorai', 'gam', 'personalai'])(
  'the command of docs/papers/%s.md runs',
  async (paper) => {
    const page = readFileSync(join(import.meta.dirname, `../../../docs/papers/${paper}.md`), 'utf8');
    const command = /^mnemis eval run .* --tier llm .*$/m.exec(page)![0];
    const words = command
      .split(' ')
      .slice(1)
      .map((word) =>
        word.endsWith('.json') ? (word.startsWith('hotpot') ? 'hotpotqa.json' : LOCOMO) : word,
      );
    using lab = new CommandLab();
    lab.file('hotpotqa.json', JSON.stringify([PASSAGES]));
    const run = await lab.run(...words, '--rehearsed', '--questions', '2', '--conversations', '1', '--json');
    expect(run.exitCode, run.err).toBe(0);
    const { lines } = run.json<Table>();
    expect(lines.length).toBeGreaterThan(0);
    for (const { questions } of lines) expect(questions).toBeGreaterThan(0);
  },
);

const KILLS = 10;

it('that is killed ten times makes no call twice, and ends with the same table', async () => {
  const asked = ['--profile', 'memorai-paper,gam-paper', '--context', 'memorai,mnemis', '--judge', 'locomo'];
  const flags = ['--dataset', 'locomo', ...asked, '--out', 'run', '--yes'];
  const undisturbed = await tableOf(flags, []);
  const calls = undisturbed.made.length;
  expect(calls).toBeGreaterThan(2 * KILLS);
  const random = seededRandom(7);
  const moments = Array.from({ length: KILLS }, () => 1 + Math.floor(random() * (calls - 1)));
  const killed = await tableOf(
    flags,
    [...new Set(moments)].toSorted((a, b) => a - b),
  );
  expect(killed.kills).toBe(new Set(moments).size);
  expect(killed.made.toSorted()).toEqual([...new Set(killed.made)].toSorted());
  expect(killed.csv).toBe(undisturbed.csv);
});

/**
 * Runs a table in processes of its own until one comes to the end. A process is killed when so many calls were replied to
 * in all as a moment says, and each of these replies is on the disk: one that was lost with its process must be asked for
 * again.
 */
async function tableOf(flags: readonly string[], moments: number[]) {
  using lab = new CommandLab();
  const made: string[] = [];
  let running: ChildProcess | null = null;
  const hanging = new Promise<never>(() => {});
  await using server = await ScriptedOpenAiServer.start({
    reply: async (asked) => {
      const program = running;
      if (program !== null && made.length < (moments[0] ?? Number.POSITIVE_INFINITY)) {
        made.push(JSON.stringify([asked.messages, asked.schemaName]));
        return filled(asked);
      }
      while (program !== null && linesIn(lab, 'run/replies.jsonl', '"kept"') < made.length) await wait(5);
      // Several requests wait for the moment: the first to see it kills, and nothing more is replied to that process.
      if (program !== null && running === program) {
        running = null;
        moments.shift();
        program.kill('SIGKILL');
      }
      return hanging;
    },
  });
  useServer(lab, server);
  for (let kills = 0; ; kills++) {
    const child = startProgram(lab, ...programArguments(MAIN), ...RUN, ...flags);
    running = child;
    let err = '';
    child.stderr!.on('data', (text) => {
      err += text;
    });
    child.stdout!.resume();
    const [code, signal] = await once(child, 'close');
    // Until what it had sent before is read.
    await wait(100);
    if (signal !== null) continue;
    expect(code, err).toBe(0);
    const csv = readFileSync(join(lab.folder, 'run/table.csv'), 'utf8');
    return {
      made,
      kills,
      csv: csv
        .split('\n')
        .filter((line) => !/ms,/.test(line))
        .join('\n'),
    };
  }
}

function linesIn(lab: CommandLab, name: string, word: string): number {
  const file = join(lab.folder, name);
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line.includes(word)).length
    : 0;
}

function useServer(lab: CommandLab, server: ScriptedOpenAiServer): void {
  lab.env.MNEMIS_LLM_PROVIDER = 'openai-compatible';
  lab.env.MNEMIS_LLM_BASE_URL = `${server.url}/v1`;
  lab.env.MNEMIS_LLM_MODEL = 'scripted';
}

/** The smallest value of each schema; prose cites the first source. */
function filled({ schema }: ChatAsked) {
  return schema === null ? 'HOLDS\nThis is all. [1]' : (smallest(schema) as Record<string, unknown>);
}

function smallest(schema: Readonly<Record<string, unknown>>): unknown {
  const {
    type,
    properties = {},
    enum: values,
    anyOf,
    minimum = 1,
  } = schema as {
    type?: string | string[];
    properties?: Record<string, Record<string, unknown>>;
    enum?: unknown[];
    anyOf?: Record<string, unknown>[];
    minimum?: number;
  };
  if (values !== undefined) return values[0];
  if (anyOf !== undefined) return smallest(anyOf[0]!);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, smallest(each)]));
    case 'array':
      return [];
    case 'string':
      return 'a word';
    case 'boolean':
      return true;
    default:
      return minimum;
  }
}
