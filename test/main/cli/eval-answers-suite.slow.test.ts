import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnswersSuite } from '../../../eval/suite.ts';
import { CommandLab, FIXTURES } from './fake-terminal.ts';

/** A folder of two small data sets; the others are missing. */
function labWithData(): CommandLab {
  const lab = new CommandLab();
  for (const name of ['locomo', 'hotpotqa']) {
    mkdirSync(join(lab.folder, 'data', name), { recursive: true });
    cpSync(join(FIXTURES, `${name}.json`), join(lab.folder, 'data', name, `${name}-dev.json`));
  }
  return lab;
}

const SUITE = ['eval', 'answers', '--suite', '--data', 'data', '--limit', '2'];
const WITH_FILES = [...SUITE, '--dataset', 'locomo,hotpotqa,longmemeval'];

describe('mnemis eval answers --suite', () => {
  it('has the report of each data set and names what is absent, but leaves out what is held out', async () => {
    using lab = labWithData();
    const run = await lab.run(...SUITE, '--json');
    expect(run.exitCode, run.err).toBe(0);
    const { sets, skipped } = run.json<AnswersSuite>();
    expect(sets.map(({ dataset }) => dataset)).toEqual([
      'locomo',
      'hotpotqa',
      'questions',
      'paraphrases',
      'periods',
    ]);
    for (const { overall } of sets) expect(overall.quotes.answerable).toBeGreaterThan(0);
    expect(skipped).toEqual(
      ['beam', 'longmemeval'].map((name) => ({ name, reason: 'data has no file with its name' })),
    );
  });

  it('prints one aligned table, and writes it into a page between its marks', async () => {
    using lab = labWithData();
    const others = '<!-- suite -->\nretrieval\n<!-- /suite -->\n';
    lab.file('page.md', `${others}<!-- answers -->\nold\n<!-- /answers -->\nAfter.\n`);
    const run = await lab.run(...WITH_FILES, '--markdown', 'page.md');
    expect(run.exitCode, run.err).toBe(0);
    const [head, ...lines] = run.out.split('\n');
    expect(head).toMatch(/^data set +answerable +at 1 quote +at 3 +whole .* others decl\. .* tokens /);
    expect(lines.slice(0, 2).map((line) => [line.slice(0, 8), line.length])).toEqual([
      ['locomo (', head!.length],
      ['hotpotqa', head!.length],
    ]);
    expect(run.out).toContain('Without longmemeval: data has no file with its name.');
    const written = lab.read('page.md');
    expect(written.startsWith(`${others}<!-- answers -->\n\n| data set | answerable | at 1 quote |`)).toBe(
      true,
    );
    expect(written).toMatch(/\| hotpotqa \(\d\) \| \d \|.*\n\n.*\n\n<!-- \/answers -->\nAfter\.\n$/);
  });

  it('runs what is held out if it is named', async () => {
    using lab = new CommandLab();
    const run = await lab.run(
      'eval',
      'answers',
      '--suite',
      '--dataset',
      'questions-later',
      '--limit',
      '1',
      '--json',
    );
    expect(run.exitCode, run.err).toBe(0);
    expect(run.json<AnswersSuite>().sets.map(({ dataset, overall }) => [dataset, overall.questions])).toEqual(
      [['questions-later', 2]],
    );
  });

  it.each<[what: string, flags: string[], says: string]>([
    ['without a data set', [], '--dataset <name> is missing, or --suite'],
    ['a page without --suite', ['--dataset', 'questions', '--markdown', 'a.md'], '--markdown needs --suite'],
    ['raw answers', ['--suite', '--out', 'folder'], '--suite excludes'],
  ])('refuses %s', async (_, flags, says) => {
    using lab = new CommandLab();
    const run = await lab.run('eval', 'answers', ...flags, '--json');
    expect(run.json()).toEqual({ error: { code: 'usage', message: expect.stringContaining(says) } });
  });
});
