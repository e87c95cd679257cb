import { readdirSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CommandLab, filledLab } from './fake-terminal.ts';

const lab = await filledLab();

describe('mnemis search', () => {
  it('lists all episodes, facts and entities with their reasons, ids and source turns', async () => {
    const { exitCode, out, err } = await lab.run('search', 'Where did Ana move?', '--verbose');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^Turns\n {2}1\. 2024-03-05 Ana: I moved to Lisbon last week\.\n {5}system1: .*; score 0\.\d+; from s2:0; id \S+\n/,
    );
    expect(out).toMatch(/\nFacts\n[\s\S]*\nEntities\n[\s\S]*; from s2:0/);
    expect(out).toMatch(/\d+ found in \d+ ms\n$/);
  });

  it('prints a dozen lines that fit the terminal', async () => {
    const { out } = await lab.run('search', 'Where did Ana move?');
    expect(out).toMatch(/^Turns\n {2}1\. 2024-03-05 Ana: I moved to Lisbon last week\.\n {2}2\. /);
    expect(out).toMatch(/\n\d+ found in \d+ ms; \d+ more with --verbose\n$/);
    expect(out).not.toContain('score');
    expect(out.trim().split('\n').length).toBeLessThanOrEqual(14);
    expect((await lab.run('search', 'Where did Ana move?', '--k', '1')).out).toMatch(
      /^Turns\n {2}1.*\nFacts\n {2}1.*\nEntities\n {2}1.*\n\d+ found/,
    );
    lab.columns = 50;
    try {
      for (const argv of [['search', 'Ana'], ['ask', 'Where did Ana move?'], ['stats'], ['changes']])
        for (const line of (await lab.run(...argv)).out.split('\n'))
          expect(stripVTControlCharacters(line).length, line).toBeLessThanOrEqual(
            line.includes('/') ? 200 : 50,
          );
    } finally {
      lab.columns = null;
    }
  });

  it('prints one JSON document without vectors', async () => {
    const run = await lab.run('search', 'Where did Ana move?', '--k', '1', '--json');
    const result = run.json<{
      episodes: { content: string; why: unknown[]; sources: unknown[] }[];
      facts: unknown[];
    }>();
    expect(result).toMatchObject({
      recipe: 'auto',
      usage: { calls: 0, promptTokens: 0, completionTokens: 0 },
    });
    expect(result.episodes.map(({ content }) => content)).toEqual(['I moved to Lisbon last week.']);
    expect(result.episodes[0]?.why.length).toBeGreaterThan(0);
    expect(result.facts.length).toBeLessThanOrEqual(2);
    expect(run.out).not.toContain('vector":');
  });

  it('takes a recipe by a plain name, and a variant of a paper', async () => {
    for (const [name, recipe] of [
      ['similarity', 'system1'],
      ['system1-graph', 'system1-graph'],
    ]) {
      const run = await lab.run('search', 'Miso', '--recipe', name!, '--json');
      expect(run.json()).toMatchObject({ recipe });
    }
  });

  it('takes another recipe', async () => {
    const run = await lab.run('search', 'Miso', '--recipe', 'system1-rag', '--json');
    expect(run.json()).toMatchObject({ recipe: 'system1-rag', entities: [], facts: [] });
  });

  it('looks back to a time in words', async () => {
    const run = await lab.run('search', 'Where did Ana move?', '--known-at', 'yesterday', '--json');
    expect(run.json()).toMatchObject({ episodes: [], facts: [] });
    expect((await lab.run('search', 'Ana', '--as-of', '2 hours ago')).exitCode).toBe(0);
  });
});

describe('an empty scope', () => {
  it.each([
    ['search', 'hello'],
    ['ask', 'Who is Ana?'],
    ['tree'],
    ['changes'],
    ['resume'],
    ['correct', 'fact', 'hello', '--pin'],
  ])('is reported by %s, with the scopes of the memory', async (...argv) => {
    const run = await lab.run(...argv, '--scope', 'nobody', '--json');
    expect([run.exitCode, run.json()]).toEqual([
      1,
      {
        error: {
          code: 'scope-empty',
          message: expect.stringContaining('The memory has "default"; --scope names one'),
        },
      },
    ]);
    expect(run.err).toContain('Scope "nobody" of');
  });

  it('is counted by stats', async () => {
    const { exitCode, out } = await lab.run('stats', '--scope', 'nobody');
    expect([exitCode, out]).toEqual([
      0,
      expect.stringContaining('Scope "nobody" is empty; --scope names another'),
    ]);
  });
});

describe('mnemis ask', () => {
  it('answers with citations', async () => {
    const { exitCode, out, err } = await lab.run('ask', 'Where did Ana move?');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/Lisbon.* \[1\]\n +\[1\] (turn|fact), 2024-0[23]-\d\d; from s2:0\n/);
    const { out: verbose } = await lab.run('ask', 'Where did Ana move?', '-v');
    expect(verbose).toMatch(/\[1\] (turn|fact), 2024-0[23]-\d\d; system1: .*; score 0\.\d+; from s2:0\n/);
  });

  it('prints the same as JSON', async () => {
    const run = await lab.run('ask', 'Where did Ana move?', '--json');
    expect(run.json()).toMatchObject({
      answered: true,
      citations: [{ number: 1, quote: expect.stringContaining('Lisbon') }],
    });
  });

  it('says that memory does not hold enough', async () => {
    const run = await lab.run('ask', 'Who is the king of Peru?', '--json');
    expect(run.exitCode).toBe(0);
    expect(run.json()).toMatchObject({ answered: false, citations: [] });
  });
});

describe('mnemis stats', () => {
  it('counts the rows of the scope', async () => {
    const report = (await lab.run('stats', '--json')).json<Record<string, unknown>>();
    expect(report).toMatchObject({
      episodes: 3,
      segments: 2,
      scope: 'default',
      scopes: ['default'],
      pending: 0,
      setAside: 0,
      failures: [],
    });
    for (const key of ['entities', 'facts', 'categories']) expect(report[key]).toBeGreaterThan(0);
  });

  it('prints them in a column', async () => {
    const { out } = await lab.run('stats');
    expect(out).toMatch(
      /scope "default"\n {2}turns {7}3\n {2}segments {4}2\n {2}entities {4}\d+\n {2}facts {7}\d+\n {2}categories {2}\d+\n/,
    );
  });
});

describe('a missing memory', () => {
  const commands = ['search a', 'ask a', 'explain a', 'stats', 'tree', 'resume', 'export a.jsonl'];
  const verbs = ['status', 'update', 'rebuild', 'refresh'].map((verb) => `hierarchy ${verb}`);
  it.each([...commands, ...verbs, 'backup x', 'verify', 'compact'])(
    'lets %s fail, and none is created',
    async (command) => {
      using empty = new CommandLab();
      const run = await empty.run(...command.split(' '), '--json');
      expect(run.exitCode).toBe(1);
      expect(run.json()).toMatchObject({ error: { code: 'memory-missing' } });
      expect(run.err).toContain('"mnemis import" creates one');
      expect(readdirSync(empty.folder)).toEqual([]);
    },
  );
});
