import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLab, FIXTURES } from './fake-terminal.ts';

const CHAT = {
  id: 'chat-1',
  turns: [
    { id: 0, role: 'user', batch: 1, time_anchor: 'March-15-2024', content: 'My kiln is broken. What now?' },
    { id: 1, role: 'assistant', batch: 1, time_anchor: null, content: 'Check the fuse first.' },
    { id: 2, role: 'user', batch: 1, time_anchor: null, content: 'I also sold the boat.' },
  ],
  questions: {
    information_extraction: [{ question: 'What is broken?', answer: 'The kiln.', source_chat_ids: [0] }],
    abstention: [{ question: 'Who is Ben?', ideal_response: 'There is no information.' }],
  },
};

/** A folder of small data sets, one of which is missing. */
function labWithData(): CommandLab {
  const lab = new CommandLab();
  for (const name of ['locomo', 'hotpotqa']) {
    mkdirSync(join(lab.folder, 'data', name), { recursive: true });
    cpSync(join(FIXTURES, `${name}.json`), join(lab.folder, 'data', name, `${name}-dev.json`));
  }
  lab.file('data/locomo/locomo-audit.json', '[]');
  mkdirSync(join(lab.folder, 'data/beam'));
  lab.file('data/beam/beam-dev.json', JSON.stringify([CHAT]));
  return lab;
}

const NAMES = 'locomo,beam,hotpotqa,longmemeval';
const SUITE = ['eval', 'retrieval', '--suite', '--data', 'data', '--dataset', NAMES];
const figures = { mean: expect.any(Number), low: expect.any(Number), high: expect.any(Number) };

interface Report {
  readonly sets: { name: string; questions: number; resampled: string; rows: Record<string, unknown>[] }[];
  readonly skipped: object[];
}

describe('mnemis eval retrieval --suite', () => {
  it('finds the data sets of a folder, and names and skips what is absent', async () => {
    using lab = labWithData();
    const flags = ['--embedder', 'hashing,static', '--recipes', 'auto,system1-lexical', '--json'];
    const run = await lab.run(...SUITE, ...flags);
    expect(run.exitCode, run.err).toBe(0);
    expect(run.err).toContain('longmemeval: data has no file with its name; skipped\n');
    expect(run.err).toContain('conversation 1, observation 3: names no turn of the conversation; skipped\n');
    const { sets, skipped, ...rest } = run.json<Report>();
    expect(rest).toEqual({ intervals: { percent: 95, resamples: 1000, seed: 1 } });
    expect(skipped).toEqual([{ name: 'longmemeval', reason: 'data has no file with its name' }]);
    expect(sets.map(({ name, questions, resampled }) => [name, questions, resampled])).toEqual([
      ['locomo', 6, 'conversations'],
      ['beam', 1, 'questions'],
      ['hotpotqa', 1, 'questions'],
    ]);
    const plain = ['cosine', 'BM25 + cosine', 'auto', 'system1-lexical'];
    for (const { rows } of sets) {
      expect(rows.map(({ embedder, ranking }) => [embedder, ranking])).toEqual([
        [null, 'BM25'],
        ...['hashing', 'static'].flatMap((embedder) => plain.map((ranking) => [embedder, ranking])),
      ]);
      expect(rows[0]).toEqual({
        ...{ embedder: null, ranking: 'BM25', sessionRecall: { '10': null } },
        turnRecall: { '3': figures, '5': figures, '10': figures },
        search: { p50Ms: expect.any(Number) },
      });
    }
  });

  it('runs what ships with the package without a folder', async () => {
    using lab = new CommandLab();
    const run = await lab.run('eval', 'retrieval', '--suite', '--dataset', 'questions,beam', '--json');
    expect(run.exitCode, run.err).toBe(0);
    const { sets, skipped } = run.json<Report>();
    expect(sets.map(({ name, questions }) => [name, questions])).toEqual([['questions', 261]]);
    expect(skipped).toEqual([{ name: 'beam', reason: '--data names no folder' }]);
  });

  it('prints one aligned table, and writes it into a page between its marks', async () => {
    using lab = labWithData();
    const page = 'Before.\n\n<!-- suite -->\nold\n<!-- /suite -->\n\nAfter.\n';
    lab.file('page.md', page);
    const run = await lab.run(...SUITE, '--markdown', 'page.md');
    expect(run.exitCode, run.err).toBe(0);
    const [head, ...lines] = run.out.split('\n');
    expect(head).toMatch(/^data set +embedder +ranking +turn@3 +@5 +@10 +session@10 +p50 ms$/);
    const rows = lines.slice(0, lines.indexOf(''));
    expect(rows).toHaveLength(12);
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([head!.length]));
    expect(rows[0]).toMatch(/^locomo \(6\) +– +BM25 +\d+\.\d \(\d+\.\d–\d+\.\d\) /);
    expect(rows[7]).toMatch(/^ +static +auto +100\.0 \(100\.0–100\.0\) /);
    const notes = run.out.split('\n\n')[1];
    expect(notes).toContain('of conversations (locomo) or of questions (beam, hotpotqa).');
    expect(notes).toContain('Without longmemeval: data has no file with its name.');
    const written = lab.read('page.md');
    expect(written).toMatch(/^Before\.\n\n<!-- suite -->\n\n\| data set \| embedder \| ranking \| turn@3 /);
    expect(written).toMatch(/\n\| {2}\| `static` \| `auto` \| /);
    expect(written).toMatch(/Without longmemeval: .*\.\n\n<!-- \/suite -->\n\nAfter\.\n$/);
    expect(written).not.toContain('old');
  });

  it.each<[what: string, flags: string[], code: string, says: string]>([
    ['without a data set', ['--data', 'data'], 'usage', '--dataset <name> is missing, or --suite'],
    ['a page without --suite', ['--dataset', 'locomo', '--markdown', 'a.md'], 'usage', 'needs --suite'],
    ['with facts', ['--suite', '--facts', 'dataset'], 'usage', '--suite excludes'],
    ['an unknown data set', ['--suite', '--dataset', 'locomo,squad'], 'unknown-name', 'hotpotqa'],
    ['an empty list', ['--suite', '--dataset', ','], 'usage', '--dataset is empty'],
    ['nothing to run', ['--suite', '--dataset', 'beam'], 'usage', 'No data set was found'],
    ['no folder', ['--suite', '--data', 'nowhere'], 'file-unreadable', 'there is no such file'],
    ['no page', ['--suite', '--markdown', 'nowhere.md'], 'file-unreadable', 'there is no such file'],
    ['a page without marks', ['--suite', '--markdown', 'plain.md'], 'invalid-setting', 'lacks the marks'],
    ['a missing model', ['--suite', '--embedder', 'bge-m3'], 'model-missing', 'mnemis models pull'],
  ])('refuses %s', async (_, flags, code, says) => {
    using lab = new CommandLab();
    lab.file('plain.md', 'Nothing.');
    const run = await lab.run('eval', 'retrieval', ...flags, '--json');
    expect(run.exitCode).not.toBe(0);
    expect(run.json()).toEqual({ error: { code, message: expect.stringContaining(says) } });
  });

  it('prints no figures after Ctrl-C, and leaves the page as it was', async () => {
    using lab = labWithData();
    const page = '<!-- suite -->\nold\n<!-- /suite -->\n';
    lab.file('page.md', page);
    const running = lab.run(...SUITE, '--markdown', 'page.md', '--json');
    const timer = setInterval(() => lab.signals.emit('SIGINT'), 1);
    const run = await running;
    clearInterval(timer);
    expect(run.exitCode).toBe(130);
    expect(run.json()).toMatchObject({ error: { code: 'cancelled' } });
    expect(lab.read('page.md')).toBe(page);
  });
});
