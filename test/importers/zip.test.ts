import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chatGptImporter } from '../../src/importers/chatgpt/chatgpt.ts';
import { claudeImporter } from '../../src/importers/claude/claude.ts';
import { markdownImporter, textImporter } from '../../src/importers/documents/documents.ts';
import { whatsAppImporter } from '../../src/importers/whatsapp/whatsapp.ts';
import { FIXTURES, readAll, rejectionsOf, temporaryFolder, turnsOf } from './temporary-file.ts';
import { writeZip } from './zip-files.ts';

const CHATGPT = readFileSync(join(FIXTURES, 'chatgpt.json'), 'utf8');

/** Replaces every occurrence of some bytes; both texts have the same length. */
function withBytes(path: string, from: string, to: string): string {
  const text = readFileSync(path, 'latin1');
  if (!text.includes(from) || from.length !== to.length) throw new Error('nothing to change');
  writeFileSync(path, text.replaceAll(from, to), 'latin1');
  return path;
}

describe('zip archives', () => {
  it('are read as the chats they contain, without unpacking to disk', async () => {
    using folder = temporaryFolder();
    const path = await writeZip(join(folder.path, 'export.zip'), [
      { name: 'user.json', content: '{}' },
      { name: 'conversations.json', content: CHATGPT },
      { name: 'file-kiln1.jpg', content: Buffer.alloc(100_000) },
    ]);
    const plain = await readAll(chatGptImporter, join(FIXTURES, 'chatgpt.json'));
    expect(await readAll(chatGptImporter, path)).toEqual(plain);
    expect(turnsOf(await readAll(chatGptImporter, path, { tolerate: true })).length).toBe(5);
    expect(readdirSync(folder.path)).toEqual(['export.zip']);
  });

  it('may contain an export in several files', async () => {
    using folder = temporaryFolder();
    const chat = (id: string) =>
      JSON.stringify([
        { uuid: id, chat_messages: [{ uuid: 'm', text: id, sender: 'human', created_at: '2024-01-01' }] },
      ]);
    const path = await writeZip(join(folder.path, 'a.zip'), [
      { name: 'data/conversations-000.json', content: chat('a') },
      { name: 'data/conversations-001.json', content: chat('b') },
      { name: 'data/conversations-002.json', content: 'secret' },
    ]);
    const records = await readAll(claudeImporter, path);
    expect(turnsOf(records).map(({ sourceId }) => sourceId)).toEqual(['a/m', 'b/m']);
    expect(records[1]?.where).toBe('data/conversations-001.json, conversation 1, message 1');
    expect(rejectionsOf(records)).toEqual([
      'data/conversations-002.json: it is not JSON from line 1, column 1 on',
    ]);
  });

  it('of WhatsApp are named after the chat', async () => {
    using folder = temporaryFolder();
    const path = await writeZip(join(folder.path, 'WhatsApp Chat - Pot Club.zip'), [
      { name: '_chat.txt', content: '[31.12.21, 22:01:05] Ana: hi' },
      { name: '00001-PHOTO.jpg', content: 'x' },
    ]);
    expect(turnsOf(await readAll(whatsAppImporter, path))[0]?.session).toBe('whatsapp/Pot Club');
  });

  it('are read without links, unsafe names and encrypted files', async () => {
    using folder = temporaryFolder();
    const path = await writeZip(join(folder.path, 'a.zip'), [
      { name: 'xx/yy/etc/evil.md', content: 'secret' },
      { name: 'good\u001b[31m.md', content: 'Good.' },
      { name: 'link.md', content: '/etc/passwd', mode: 0o120777 },
    ]);
    const records = await readAll(markdownImporter, withBytes(path, 'xx/yy/', '../../'));
    expect(turnsOf(records).map(({ content, session }) => [session, content])).toEqual([
      ['markdown/a/good?[31m.md', 'Good.'],
    ]);
    expect(rejectionsOf(records)).toEqual([
      '../../etc/evil.md: has a name that leads elsewhere',
      'link.md: is a link',
    ]);
    const locked = await writeZip(join(folder.path, 'b.zip'), [{ name: 'a.txt', content: 'x' }]);
    const bytes = readFileSync(locked);
    const central = bytes.indexOf('PK\u0001\u0002', 0, 'latin1');
    bytes.writeUInt16LE(bytes.readUInt16LE(central + 8) | 1, central + 8);
    writeFileSync(locked, bytes);
    await expect(readAll(textImporter, locked)).rejects.toThrow(
      'a.txt is encrypted; unpack the archive with its password first',
    );
  });

  it('are rejected if they would unpack to far more than their size', async () => {
    using folder = temporaryFolder();
    const path = await writeZip(join(folder.path, 'bomb.zip'), [
      { name: 'bomb.txt', content: Buffer.alloc(12 * 1024 * 1024) },
      { name: 'good.txt', content: 'Good.' },
    ]);
    const records = await readAll(textImporter, path);
    expect(turnsOf(records).map(({ content }) => content)).toEqual(['Good.']);
    expect(rejectionsOf(records)[0]).toMatch(/^bomb.txt: would unpack to more than 400 times its size/);
  });

  it('are reported if they lie about a size, are truncated or damaged', async () => {
    using folder = temporaryFolder();
    const entry = { name: 'conversations.json', content: CHATGPT };
    const path = await writeZip(join(folder.path, 'a.zip'), [entry]);
    const whole = readFileSync(path);
    const central = whole.indexOf('PK\u0001\u0002', 0, 'latin1');
    const changed = (change: (bytes: Buffer) => Buffer | undefined) => {
      const bytes = Buffer.from(whole);
      return folder.write('changed.zip', change(bytes) ?? bytes);
    };
    const lied = changed((bytes) => void bytes.writeUInt32LE(500, central + 24));
    await expect(readAll(chatGptImporter, lied)).rejects.toThrow('a damaged or unfinished zip archive');
    const cut = changed((bytes) => bytes.subarray(0, bytes.length - 40));
    await expect(readAll(chatGptImporter, cut)).rejects.toThrow('a damaged or unfinished zip archive');
    const wrongSum = changed((bytes) => void bytes.writeUInt32LE(7, central + 16));
    const records = await readAll(chatGptImporter, wrongSum);
    expect(turnsOf(records)).toHaveLength(5);
    expect(rejectionsOf(records).at(-1)).toContain('the rest of the file could not be read');
    await expect(readAll(chatGptImporter, wrongSum, { tolerate: false })).rejects.toThrow('conversation 2');
  });
});
