import { describe, expect, it } from 'vitest';
import { describeChange } from '../../../main/cli/commands/changes.ts';
import type { CommandConsole } from '../../../main/cli/console.ts';
import type { ChangeEvent } from '../../../src/browse/feed/change-event.ts';
import { filledLab } from './fake-terminal.ts';

const lab = await filledLab();

type Event = { type: string; at: number; statement?: string; counts?: object };
const lines = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event);

describe('mnemis changes', () => {
  it('prints the history, a line per event', async () => {
    const run = await lab.run('changes', '--json');
    expect(run).toMatchObject({ exitCode: 0, err: '' });
    const events = lines(run.out);
    const { episodes, facts } = (await lab.run('stats', '--json')).json<{
      episodes: number;
      facts: number;
    }>();
    expect(events.filter(({ type }) => type === 'stored')).toHaveLength(episodes);
    expect(
      events.filter(({ statement, type }) => type === 'learned' && statement !== undefined),
    ).toHaveLength(facts);
    const shown = (await lab.run('changes')).out.trim().split('\n');
    expect(shown).toHaveLength(events.length);
    const statement = events.find((event) => event.statement !== undefined)!.statement!;
    expect(shown.join('\n')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}stored {6}\S+:0 by /m);
    expect(shown.join('\n')).toContain(`learned     ${statement}`);
  });

  it('begins at the given time', async () => {
    const { out } = await lab.run('changes', '--since', '2200-01-01');
    expect(out).toBe('No changes in scope "default".\n');
    expect((await lab.run('changes', '--since', 'long ago')).exitCode).toBe(2);
    const { out: all } = await lab.run('changes');
    for (const words of ['yesterday', '3 days ago', '5 hours ago', 'last month'])
      expect((await lab.run('changes', '--since', words)).out, words).toBe(all);
    expect((await lab.run('changes', '--since', 'now')).out).toBe('No changes in scope "default".\n');
  });
});

describe('the output of mnemis changes', () => {
  const console = { style: (_: string, text: string) => text } as unknown as CommandConsole;
  const line = (type: 'forgot' | 'rederived' | 'retained', counts: Record<string, number>) =>
    describeChange({ type, at: 0, counts, correction: 'c', author: 'a' } as unknown as ChangeEvent, console);

  it('uses singular and plural for counts', () => {
    expect(line('forgot', { episode: 2, segment: 1, fact: 2, category: 3, entity: 1, tombstone: 0 })).toBe(
      '1970-01-01 00:00:00  forgot      2 episodes, 1 segment, 2 facts, 3 categories, 1 entity',
    );
    expect(line('retained', { turns: 1, bytes: 20 })).toMatch(/ {2}1 turn, 20 bytes$/);
    expect(line('rederived', { rowsAdded: 1, rowsRemoved: 2, factsLearned: 1, factsWithdrawn: 0 })).toMatch(
      / {2}1 row added, 2 rows removed, 1 fact learned$/,
    );
  });
});

describe('mnemis maintain', () => {
  it('says that there is no rule, and rejects an invalid one', async () => {
    expect(await lab.run('maintain')).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^No retention rule is set/),
    });
    for (const rule of ['365', '365d keep-all', '365d keep-facts please', ''])
      expect(await lab.run('maintain', '--retention', rule)).toMatchObject({
        exitCode: 2,
        err: expect.stringMatching(/such as "365d".*\("365d keep-facts"\), or "none"/),
      });
  });

  it('reports what it would do, does it, and says how to erase the text', async () => {
    const { episodes } = (await lab.run('stats', '--json')).json<{ episodes: number }>();
    const { out } = await lab.run('maintain', '--retention', '1h keep-facts', '--dry-run');
    expect(out).toMatch(
      new RegExp(`^Scope "default": ${episodes} turns from before .* would lose their text`),
    );
    lab.file('mnemis.config.json', '{"retention":{"turns":{"olderThan":"1h","keepFacts":true}}}');
    const run = (await lab.run('maintain', '--json')).json<{ scopes: object[]; removedBytes: number }>();
    expect(run).toMatchObject({
      dryRun: false,
      compact: true,
      scopes: [{ scope: 'default', finishedForgetting: 0, retention: { turns: episodes, waiting: 0 } }],
    });
    expect(run.removedBytes).toBeGreaterThan(0);
    expect((await lab.run('maintain')).out).toMatch(/^Scope "default": 0 turns/);
    expect((await lab.run('maintain', '--retention', 'none')).out).toMatch(/^No retention rule/);
    const retained = lines((await lab.run('changes', '--json')).out).filter(
      ({ type }) => type === 'retained',
    );
    expect(retained).toMatchObject([{ counts: { turns: episodes } }]);
    const found = await lab.run('search', 'Where did Ana move?', '--verbose');
    expect(found.out).not.toContain('Turns');
    expect(found.out).toContain('(text removed by retention)');
    expect((await lab.run('verify')).exitCode).toBe(0);
    expect((await lab.run('config')).out).toContain('{"turns":{"olderThan":"1h","keepFacts":true}}');
  });
});
