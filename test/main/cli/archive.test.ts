import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filledLab } from './fake-terminal.ts';

const lab = await filledLab();
await lab.run('export', 'a.jsonl');

const contents = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.includes('"content"'))
    .sort();

describe('mnemis export and restore', () => {
  it('copies the rows into another file and scope', async () => {
    const target = ['--path', 'copy.db', '--scope', 'copy'];
    const restored = await lab.run('restore', 'a.jsonl', ...target);
    expect(restored).toMatchObject({ exitCode: 0, err: '' });
    expect(restored.out).toMatch(/^Restored \d+ rows and \d+ relationships into scope "copy"\n$/);
    const again = (await lab.run('restore', 'a.jsonl', ...target, '--json')).json<{ skipped: number }>();
    expect(again).toMatchObject({ nodes: 0, relationships: 0 });
    expect(again.skipped).toBeGreaterThan(0);
    await lab.run('export', 'b.jsonl', ...target);
    expect(contents(lab.read('b.jsonl'))).toEqual(contents(lab.read('a.jsonl')));
    expect((await lab.run('ask', 'Where did Ana move?', ...target)).out).toContain('Lisbon');
  });

  it('writes to standard output, and nothing else there', async () => {
    const { exitCode, out, err } = await lab.run('export', '-');
    expect([exitCode, err]).toEqual([0, '']);
    expect(contents(out)).toEqual(contents(lab.read('a.jsonl')));
    expect(out.split('\n').length).toBe(lab.read('a.jsonl').split('\n').length);
  });

  it('says how to copy a scope inside one file', async () => {
    const refused = await lab.run('restore', 'a.jsonl', '--scope', 'twin');
    expect(refused).toMatchObject({
      exitCode: 1,
      out: '',
      err: expect.stringContaining('copy the export with --new-ids. '),
    });
    expect((await lab.run('restore', 'a.jsonl', '--scope', 'twin', '--new-ids')).exitCode).toBe(0);
    expect((await lab.run('stats', '--scope', 'twin', '--json')).json()).toMatchObject({ episodes: 3 });
  });

  it('prints the path of the file', async () => {
    const run = await lab.run('export', 'c.jsonl', '--json');
    expect(run.json()).toMatchObject({
      file: `${lab.folder}/c.jsonl`,
      nodes: expect.any(Number),
      relationships: expect.any(Number),
    });
  });

  it.each([
    ['text.txt', 'not the header'],
    ['missing', 'there is no such file'],
    ['cut.jsonl', 'it ends unexpectedly'],
    ['folder', 'it is a directory'],
  ])('cannot restore %s: %s', async (name, reason) => {
    mkdirSync(`${lab.folder}/folder`, { recursive: true });
    lab.file('text.txt', 'secretword');
    lab.file('cut.jsonl', lab.read('a.jsonl').split('\n').slice(0, 5).join('\n'));
    const run = await lab.run('restore', name, '--path', 'other.db', '--json');
    expect(run.exitCode).toBe(1);
    expect(run.json()).toMatchObject({
      error: { code: 'file-unreadable', message: expect.stringContaining(reason) },
    });
    expect(run.out + run.err).not.toContain('secretword');
  });

  it('cannot write into a missing folder', async () => {
    expect(await lab.run('export', 'no/such/a.jsonl')).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('ENOENT'),
    });
  });
});
