import { describe, expect, it } from 'vitest';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { groupedLab } from './grouped-lab.ts';

const lab = await groupedLab();

describe('mnemis hierarchy', () => {
  it('prints the status, in words and as one document', async () => {
    const { exitCode, out, err } = await lab.run('hierarchy');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^14 entities\. Categories by layer: 6 → 4; another layer would have merged nothing\nGrouped by rules, at least 3 to a category; built \d{4}-\d\d-\d\d \d\d:\d\d\n$/,
    );
    expect((await lab.run('hierarchy', 'status', '--json')).json()).toMatchObject({
      scope: 'default',
      built: { categorizer: 'local', stoppedBy: 'nothing-merged', layers: 2, minimumChildren: 3 },
      ...{ entities: 14, layers: [6, 4], waiting: 0, stale: 0 },
      drift: { rebuildPays: false },
    });
  });

  it('says that there is none yet', async () => {
    await lab.run('add', 'Hm.', '--scope', 'hm', '--no-enrich');
    const { out } = await lab.run('hierarchy', '--scope', 'hm');
    expect(out).toMatch(/^\d+ entit(?:y|ies), no categories yet/);
    expect((await lab.run('hierarchy', '--scope', 'hm', '--json')).json()).toMatchObject({
      ...{ built: null, layers: [] },
    });
    const { exitCode, err } = await lab.run('hierarchy', '--scope', 'nobody');
    expect([exitCode, err]).toEqual([1, expect.stringContaining('hm')]);
  });

  it('gives the same by update and rebuild if nothing is new', async () => {
    const same =
      'The categories are up to date.\nCategories by layer: 6 → 4; another layer would have merged nothing\n';
    expect(await lab.run('hierarchy', 'update')).toMatchObject({ exitCode: 0, out: same });
    expect(await lab.run('hierarchy', 'rebuild')).toMatchObject({ exitCode: 0, out: same });
    const report = (await lab.run('hierarchy', 'rebuild', '--json')).json<Record<string, unknown>>();
    expect(report).toMatchObject({
      ...{ scope: 'default', mode: 'rebuild', layers: [6, 4], stoppedBy: 'nothing-merged', notes: [] },
      counts: { created: 0, dissolved: 0, renamed: 0, placed: 0 },
      usage: { calls: 0, promptTokens: 0, completionTokens: 0 },
    });
    expect(report).not.toHaveProperty('type');
  });

  it('rewrites summaries', async () => {
    expect((await lab.run('hierarchy', 'refresh')).out).toBe('0 summaries updated.\n');
    expect((await lab.run('hierarchy', 'refresh', '--all')).out).toBe('10 summaries updated.\n');
    expect((await lab.run('hierarchy', 'refresh', '--all', '--json')).json()).toMatchObject({
      refreshed: 10,
    });
    expect((await lab.run('hierarchy', 'refresh', '--least', 'half')).exitCode).toBe(2);
    const refused = await lab.run('hierarchy', 'refresh', '--by-model');
    expect(refused.exitCode).not.toBe(0);
    expect(refused.err).toContain('need a language model');
  });

  it('groups by a language model, reports the cost, and keeps to its budget', async () => {
    await using server = await ScriptedOpenAiServer.start({
      reply: ({ messages }) => {
        const lines = messages
          .at(-1)!
          .content.split('\n')
          .filter((line) => /^\d+ /.test(line));
        return { categories: [{ category: 'Joys', tags: [], nodes: lines.map((_, at) => at + 1) }] };
      },
    });
    const llm = [
      ...['--tier', 'llm', '--llm-provider', 'openai-compatible', '--llm-model', 'm'],
      ...['--llm-base-url', `${server.url}/v1`],
    ];
    const stopped = await lab.run('hierarchy', 'rebuild', ...llm, '--llm-token-budget', '10', '--json');
    expect(stopped.exitCode).toBe(1);
    expect(stopped.json()).toMatchObject({ error: { code: 'budget-exhausted' } });
    expect(server.requests).toHaveLength(0);
    const { exitCode, out } = await lab.run('hierarchy', 'rebuild', ...llm);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^\d+ nodes placed; 1 category new, 10 dissolved, 0 renamed, in [\d.]+ s\n/);
    expect(out).toContain('Categories by layer: 1; the top layer is one category\n');
    expect(out).toContain('1 call of the language model, ');
    expect((await lab.run('tree', '--depth', '0')).out).toBe('Joys (14)\n');
    expect((await lab.run('hierarchy')).out).toContain('Grouped by llm, ');
  });
});
