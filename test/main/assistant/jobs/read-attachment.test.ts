import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppContext } from '../../../../main/assistant/app-context.ts';
import { pdfText } from '../../../../main/assistant/jobs/pdf-text.ts';
import { deleteAttachment, readAttachment } from '../../../../main/assistant/jobs/read-attachment.ts';
import { Uploads } from '../../../../main/assistant/jobs/uploads.ts';
import { AppStore } from '../../../../main/assistant/store/app-store.ts';
import { openEngine } from '../../http/server-fixture.ts';
import { ENCRYPTED, pdfFile } from './pdf-file.ts';

let context: Pick<AppContext, 'store' | 'clock'>;
let uploads: Uploads;
let count = 0;
beforeAll(async () => {
  context = { store: await AppStore.open(':memory:'), clock: Date.now };
  uploads = new Uploads(context);
});
afterAll(() => context.store.close());

async function read(name: string, content: string | Buffer) {
  const upload = await uploaded(name, content);
  return readAttachment(context, upload);
}

async function uploaded(name: string, content: string | Buffer): Promise<string> {
  const upload = `a${count++}`;
  const bytes = Buffer.from(content);
  await uploads.begin({ upload, name, bytes: bytes.length });
  await uploads.append({ upload, offset: 0, data: bytes.toString('base64') });
  return upload;
}

const MARKDOWN = '# Garden\n\nThe plum tree blooms in April.\n\n## Tools\n\nThe spade is in the shed.\n';

describe('readAttachment', () => {
  it('reads Markdown by sections, and adds nothing the second time', async () => {
    const { attachment, turns } = await read('notes.md', MARKDOWN);
    expect(attachment).toMatchObject({ name: 'notes.md', kind: 'markdown', bytes: MARKDOWN.length });
    expect(turns.map(({ content }) => content)).toEqual([
      'Garden\n\nThe plum tree blooms in April.',
      'Garden › Tools\n\nThe spade is in the shed.',
    ]);
    expect(attachment.characters).toBe(turns[0]!.content.length + turns[1]!.content.length);
    await using engine = await openEngine();
    const scope = engine.scope('ana');
    expect(await scope.add(turns)).toMatchObject({ added: 2 });
    expect(await scope.add((await read('notes.md', MARKDOWN)).turns)).toMatchObject({ added: 0, known: 2 });
    const other = (await read('notes.md', MARKDOWN.replace('April', 'May'))).turns;
    expect(await scope.add(other)).toMatchObject({ added: 2, superseding: 0 });
  });

  it('gives a document a voice of its own: "I" in it is not the user', async () => {
    const letter =
      '# Letter\n\nI live in Boston and I have two cats. Maria Lopez works at the clinic in Oslo.';
    const { turns } = await read('letter.md', letter);
    expect(turns).toMatchObject([{ speaker: 'letter.md', role: 'other' }]);
    await using engine = await openEngine();
    const scope = engine.scope('ana');
    await scope.add([...turns, { content: 'Keep this letter.', speaker: 'John' }]);
    await scope.flush();
    const { facts } = await scope.search('Boston cats Maria Lopez clinic');
    expect(facts.map(({ statement }) => statement)).toEqual(['Maria Lopez works at the clinic in Oslo']);
    expect((await scope.ask('How many cats does John have?')).text).not.toContain('two cats');
  });

  it('reads a text that looks like Markdown as text, unless its name says so', async () => {
    const { attachment, turns } = await read('notes.txt', '# not a heading\nIts second line.');
    expect(attachment.kind).toBe('text');
    expect(turns).toMatchObject([{ content: '# not a heading\nIts second line.' }]);
    expect((await read('data.csv', 'town,year\nGhent,2026')).attachment.kind).toBe('text');
  });

  it('reads a PDF by pages, whatever its name, and joins lines', async () => {
    const pages = [
      ['The observatory opened in', '1999. It has two', 'tele-', 'scopes.'],
      [],
      ['The café (left) closed.'],
    ];
    const { attachment, turns } = await read('report', pdfFile(pages));
    expect(attachment.kind).toBe('pdf');
    expect(turns.map(({ content }) => content)).toEqual([
      'Page 1\n\nThe observatory opened in 1999. It has two telescopes.',
      'Page 3\n\nThe café (left) closed.',
    ]);
    const again = (await read('report', pdfFile(pages))).turns;
    expect(again.map(({ sourceId }) => sourceId)).toEqual(turns.map(({ sourceId }) => sourceId));
    expect(new Set(turns.map(({ session }) => session)).size).toBe(1);
  });

  it('cuts a long page at the ends of sentences', async () => {
    const lines = Array.from(
      { length: 50 },
      (_, at) => `Sentence number ${at} is about the harbour and its boats.`,
    );
    const { turns } = await read('long.pdf', pdfFile([lines]));
    expect(turns.length).toBeGreaterThan(1);
    for (const { content } of turns) {
      expect(content.length).toBeLessThan(1_520);
      expect(content).toMatch(/\.$/);
    }
    const words = turns.map(({ content }) => content.replace('Page 1\n\n', '')).join(' ');
    expect(words).toBe(lines.join(' '));
  });

  it.each([
    ['a scan', 'scan.pdf', pdfFile([[], []]), /only images such as scanned pages/],
    ['an encrypted PDF', 'secret.pdf', pdfFile([['x']], { encrypt: ENCRYPTED }), /password/],
    ['a damaged PDF', 'broken.pdf', Buffer.from('%PDF-1.7\nnothing'), /not a complete PDF/],
    ['a PDF by name only', 'fake.pdf', 'just text', /its content is something else/],
    ['an image', 'cat.txt', Buffer.from('89504e470d0a1a0a00000000', 'hex'), /it is an image; text, Markdown/],
    ['an archive', 'a.md', Buffer.from('504b030414000000', 'hex'), /it is an archive/],
    ['other bytes', 'blob.txt', Buffer.from([0xc3, 0x28, 0xa0]), /not UTF-8 text/],
    ['an empty file', 'empty.txt', '', /has no text/],
    ['a file of spaces', 'spaces.md', ' \n\n ', /has no text/],
    ['a file of headings', 'headings.md', '# One\n## Two\n', /has no text/],
  ])('refuses %s with its reason, by its name', async (_, name, content, reason) => {
    const failure = await read(name, content).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'file-unreadable', message: expect.stringMatching(reason) });
    expect((failure as Error).message).toContain(`${name} could not be read`);
    expect((failure as Error).message).not.toContain(context.store.uploads);
  });

  it('limits what a PDF may take', async () => {
    const bytes = pdfFile([['One line.'], ['Another line.']]);
    const reading = (limits: object) => pdfText(new Uint8Array(bytes), { name: 'x.pdf', limits });
    await expect(reading({ pages: 1 })).rejects.toThrow('too many pages');
    await expect(reading({ characters: 5 })).rejects.toThrow('too much text');
    await expect(reading({ milliseconds: 1 })).rejects.toThrow('takes too long');
    const signal = AbortSignal.abort();
    await expect(pdfText(new Uint8Array(bytes), { name: 'x.pdf', signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('keeps names and contents as data', async () => {
    const name = '<img src=x onerror=alert(1)>.md';
    const { attachment, turns } = await read(
      `../../etc/${name}`,
      '# <script>alert(1)</script>\n\n{{7*7}} $(x)',
    );
    expect(attachment.name).toBe(name);
    expect(turns).toMatchObject([{ content: '<script>alert(1)</script>\n\n{{7*7}} $(x)' }]);
    expect(await readdir(context.store.uploads)).not.toContain(name);
  });

  it('needs a whole upload, which can be deleted then', async () => {
    await uploads.begin({ upload: 'part', name: 'a.txt', bytes: 3 });
    await expect(readAttachment(context, 'part')).rejects.toMatchObject({ code: 'invalid-input' });
    const upload = await uploaded('a.txt', 'Hello there.');
    await deleteAttachment(context, upload);
    await expect(readAttachment(context, upload)).rejects.toMatchObject({ code: 'upload-missing' });
  });
});
