import { describe, expect, it } from 'vitest';
import { groupedLab } from './grouped-lab.ts';

const lab = await groupedLab();

const QUESTION = 'Which animals did Ana buy?';

describe('mnemis explain', () => {
  it('prints the walk, layer by layer, and what it found', async () => {
    const { exitCode, out, err } = await lab.run('explain', QUESTION, '--k', '5', '--recipe', 'mnemis');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^system1: \d+ turns?, [^\n]*\nsystem2: [^\n]*\n {2}walk by the local selector\n {4}layer 2 {2} +\d+ of 4 {2}[^\n]*Animals/,
    );
    expect(out).toMatch(
      /\n {2}The walk reached the last layer: \d+ categor(?:y|ies) and \d+ entit(?:y|ies) selected\.\n/,
    );
    expect(out).toMatch(/\nTurns\n[\s\S]*I bought a parrot\.\n[^\n]*system2: [^\n]*\(Animals → parrot\)/);
    expect(out).toMatch(/\nmnemis, [\d.]+ ms\n$/);
  });

  it('prints the trace as JSON', async () => {
    const result = (await lab.run('explain', QUESTION, '--json', '--recipe', 'mnemis')).json<{
      routes: { walk: { steps: { layer: number; picks: { name: string }[] }[] } }[];
    }>();
    expect(result).toMatchObject({
      recipe: 'mnemis',
      routes: [
        { route: 'system1', end: 'found' },
        { route: 'system2', end: 'found', walk: { end: 'complete', selector: 'local' } },
      ],
    });
    const [first] = result.routes[1]!.walk.steps;
    expect(first).toMatchObject({ layer: 2, offered: 4 });
    expect(first!.picks.map(({ name }) => name)).toContain('Animals');
  });

  it('shows the walk even if the recipe omits it', async () => {
    const single = 'When did Ana buy the parrot?';
    const { out } = await lab.run('explain', single);
    expect(out).toMatch(
      /\nsystem2: skipped[\s\S]*\nThe recipe did not take the walk. It would have selected \(the results below do not use it\):\nsystem2: \d+ turns?[^\n]*\n {2}walk by the local selector\n/,
    );
    expect(out).toMatch(/\nauto, [\d.]+ ms\n$/);
    const { leftOut, episodes } = (await lab.run('explain', single, '--json')).json<{
      leftOut: { walk: { end: string } };
      episodes: { why: { route: string }[] }[];
    }>();
    expect(leftOut.walk.end).toBe('complete');
    expect(episodes.flatMap(({ why }) => why.map(({ route }) => route))).not.toContain('system2');
    expect((await lab.run('explain', QUESTION, '--json')).json()).not.toHaveProperty('leftOut');
  });

  it('uses another recipe', async () => {
    const alone = await lab.run('explain', QUESTION, '--recipe', 'system2-local');
    expect(alone.out).toMatch(/^system2: [^\n]*\n {2}walk by the local selector\n/);
    expect(alone.out).not.toContain('system1:');
    const plain = await lab.run('explain', QUESTION, '--recipe', 'system1');
    expect(plain.out).toMatch(/^system1: \d+ turns?, /);
    expect(plain.out).not.toContain('walk');
    const unknown = await lab.run('explain', QUESTION, '--recipe', 'nope', '--json');
    expect(unknown.exitCode).not.toBe(0);
    expect(unknown.json()).toMatchObject({ error: { code: expect.any(String) } });
  });

  it('uses the configured recipe', async () => {
    lab.env.MNEMIS_RECIPE = 'system1-rag';
    try {
      expect((await lab.run('explain', QUESTION)).out).toMatch(/\nsystem1-rag, [\d.]+ ms\n$/);
    } finally {
      delete lab.env.MNEMIS_RECIPE;
    }
  });

  it('says when there are no categories', async () => {
    await lab.run('add', 'I bought a parrot.', '--scope', 'raw', '--no-enrich');
    const { exitCode, out } = await lab.run('explain', QUESTION, '--scope', 'raw', '--recipe', 'mnemis');
    expect(exitCode).toBe(0);
    expect(out).toContain('There are no categories yet ("mnemis hierarchy update" creates them)');
  });

  it('says which routes the default chose, and why', async () => {
    const all = await lab.run('explain', QUESTION);
    expect(all.out).toMatch(/^system1: [^\n]*\nsystem2: [^\n]*\n {2}the question is for all of something\n/);
    const one = await lab.run('explain', 'When did Ana buy the parrot?');
    expect(one.out).toMatch(
      /\nsystem2: skipped, [^\n]*\n {2}the question is for one thing\ntraversal: skipped/,
    );
    expect(one.out).toMatch(/\nauto, [\d.]+ ms\n$/);
  });

  it('queries the past', async () => {
    const run = await lab.run('explain', QUESTION, '--as-of', '2024-01-06');
    expect(run).toMatchObject({ exitCode: 0, err: '' });
  });
});
