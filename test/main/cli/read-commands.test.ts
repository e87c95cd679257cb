import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandLab, filledLab } from './fake-terminal.ts';

let lab: CommandLab;
beforeAll(async () => {
  lab = await filledLab();
});
afterAll(() => lab[Symbol.dispose]());

describe('mnemis search', () => {
  it('lists episodes, facts and entities with their reasons and source turns', async () => {
    const { exitCode, out, err } = await lab.run('search', 'Where did Ana move?');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/^Episodes\n {2}1\. 2024-03-05 Ana: I moved to Lisbon last week\.\n {5}system1: /);
    expect(out).toMatch(/\nFacts\n[\s\S]*\nEntities\n[\s\S]*; from s2:0/);
    expect(out).toMatch(/\d+ items in [\d.]+ ms\n$/);
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

  it('says when nothing is found', async () => {
    const run = await lab.run('search', 'hello', '--scope', 'nobody');
    expect(run).toMatchObject({ exitCode: 0, out: 'No results in scope "nobody".\n' });
  });
});

describe('mnemis ask', () => {
  it('answers with citations', async () => {
    const { exitCode, out, err } = await lab.run('ask', 'Where did Ana move?');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/Lisbon.* \[1\]\n +\[1\] (episode|fact), 2024-0[23]-\d\d; .*from s2:0\n/);
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
      /scope "default"\n {2}episodes {4}3\n {2}segments {4}2\n {2}entities {4}\d+\n {2}facts {7}\d+\n {2}categories {2}\d+\n/,
    );
  });
});

describe('a missing memory', () => {
  it.each([['search', 'a'], ['ask', 'a'], ['stats'], ['export', 'a.jsonl']])(
    '%s fails and creates none',
    async (...argv) => {
      using empty = new CommandLab();
      const run = await empty.run(...argv, '--json');
      expect(run.exitCode).toBe(1);
      expect(run.json()).toMatchObject({ error: { code: 'memory-missing' } });
      expect(run.err).toContain('"mnemis import" creates one');
      expect(existsSync(join(empty.folder, 'memory.db'))).toBe(false);
    },
  );
});
