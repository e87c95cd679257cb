import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filledLab } from './fake-terminal.ts';

const lab = await filledLab();

describe('mnemis backup, verify and restore', () => {
  it('copies a memory, verifies it, and restores a memory from it', async () => {
    const made = await lab.run('backup', 'one.mnemis-backup');
    expect(made).toMatchObject({ exitCode: 0, err: '' });
    expect(made.out).toMatch(/^Backed up 1 scope to .*one\.mnemis-backup: \d files, [\d.]+ MB\n$/);
    const verified = await lab.run('verify', 'one.mnemis-backup');
    expect(verified).toMatchObject({ exitCode: 0, err: '' });
    expect(verified.out).toMatch(
      /one\.mnemis-backup: sound\n {2}scope "default": \d+ rows \(\d+ vectors\), \d+ relationships, /,
    );
    const restored = await lab.run('restore', 'one.mnemis-backup', '--path', 'two.db', '--json');
    expect(restored.exitCode).toBe(0);
    expect(restored.json()).toMatchObject({ path: join(lab.folder, 'two.db'), scopes: 1 });
    expect((await lab.run('ask', 'Where did Ana move?', '--path', 'two.db')).out).toContain('Lisbon');
    expect((await lab.run('verify', '--path', 'two.db', '--json')).json()).toMatchObject({
      sound: true,
      findings: [],
    });
  });

  it('replaces a memory only on request', async () => {
    await lab.run('backup', 'again.mnemis-backup');
    const refused = await lab.run('restore', 'again.mnemis-backup', '--json');
    expect(refused.exitCode).toBe(1);
    expect(refused.json()).toMatchObject({
      error: { code: 'invalid-input', message: expect.stringMatching(/set --replace\b/) },
    });
    const restored = await lab.run('restore', 'again.mnemis-backup', '--replace');
    expect(restored).toMatchObject({
      exitCode: 0,
      err: '',
      out: expect.stringMatching(/^Restored 1 scope, \d+ rows/),
    });
    for (const flags of [
      ['again.mnemis-backup', '--new-ids'],
      ['again.mnemis-backup', '--scope', 'x'],
      ['x.jsonl', '--replace'],
    ])
      expect((await lab.run('restore', ...flags)).exitCode).toBe(2);
  });

  it('restores nothing where the conversations of a backup or an export are damaged', async () => {
    await lab.run('backup', 'chats.mnemis-backup');
    await lab.run('export', 'chats.jsonl');
    const file = join(lab.folder, 'chats.mnemis-backup', 'conversations.jsonl');
    const chat = {
      id: 'c',
      title: 'The punt',
      has_own_title: 0,
      scope: 'default',
      folder: null,
      is_pinned: 0,
    };
    const row = { ...chat, created_at: 1, updated_at: 1, draft: '', leaf: null, session: null };
    const copy = (table: object) =>
      [{ format: 'mnemis-conversations', version: 1 }, table, { conversationRows: 1 }]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
    const damaged = copy({ table: 'conversation', row: { ...row, is_pinned: 'no' } });
    writeFileSync(file, damaged);
    const before = readFileSync(join(lab.folder, 'memory.db'));
    const refused = await lab.run('restore', 'chats.mnemis-backup', '--replace');
    expect(refused).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/line 2, conversation c: is_pinned/),
    });
    expect(readFileSync(join(lab.folder, 'memory.db')).equals(before)).toBe(true);
    expect((await lab.run('restore', 'chats.mnemis-backup', '--path', 'four.db')).exitCode).toBe(1);
    expect(existsSync(join(lab.folder, 'four.db'))).toBe(false);
    const exported = join(lab.folder, 'chats.jsonl');
    const rows = readFileSync(exported, 'utf8');
    writeFileSync(exported, rows + damaged);
    expect((await lab.run('restore', 'chats.jsonl', '--path', 'five.db')).exitCode).toBe(1);
    expect((await lab.run('stats', '--path', 'five.db', '--json')).json()).not.toMatchObject({ episodes: 3 });
    writeFileSync(exported, rows + copy({ table: 'conversation', row }));
    expect((await lab.run('restore', 'chats.jsonl', '--path', 'five.db')).exitCode).toBe(0);
    await lab.run('export', 'five.jsonl', '--path', 'five.db');
    expect(lab.read('five.jsonl').includes('The punt')).toBe(true);
    writeFileSync(file, copy({ table: 'conversation', row }));
    expect((await lab.run('restore', 'chats.mnemis-backup', '--replace')).exitCode).toBe(0);
    expect(existsSync(join(lab.folder, 'memory.db.app.sqlite'))).toBe(true);
    rmSync(join(lab.folder, 'memory.db.app.sqlite'));
  });

  it('reports damage of a backup, and exits with 1', async () => {
    await lab.run('backup', 'bad.mnemis-backup');
    const file = join(lab.folder, 'bad.mnemis-backup', 'memory.db');
    const bytes = readFileSync(file);
    bytes[100]! ^= 1;
    writeFileSync(file, bytes);
    const verified = await lab.run('verify', 'bad.mnemis-backup');
    expect(verified.exitCode).toBe(1);
    expect(verified.out).toContain('memory.db was changed');
    expect((await lab.run('restore', 'bad.mnemis-backup', '--path', 'three.db')).exitCode).toBe(1);
    expect(existsSync(join(lab.folder, 'three.db'))).toBe(false);
    expect((await lab.run('verify', 'nowhere')).err).toContain('it has no manifest.json');
  });
});

it('mnemis compact rewrites the memory and prints its size', async () => {
  const run = await lab.run('compact');
  expect(run.exitCode).toBe(0);
  expect(run.out).toMatch(/^Compacted \d+ rows in [\d.]+ s: [\d.]+ MB before, [\d.]+ MB now\./);
  const again = await lab.run('compact', '--json');
  expect(again.json()).toMatchObject({ rows: expect.any(Number), bytesBefore: expect.any(Number) });
  expect((await lab.run('ask', 'Where did Ana move?')).out).toContain('Lisbon');
  expect((await lab.run('verify', '--json')).json()).toMatchObject({ sound: true });
});
