import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppContext } from '../../../../main/assistant/app-context.ts';
import { pdfText } from '../../../../main/assistant/jobs/pdf-text.ts';
import { deleteAttachment, readAttachment } from '../../../../main/assistant/jobs/read-attachment.ts';
import { Uploads } from '../../../../main/assistant/jobs/uploads.ts';
import { AppStore } from '../../../../main/assistant/store/app-store.ts';
import { openEngine } from '../../http/server-fixture.ts';
import { ENCRYPTED, pdfFile } from './pdf-file.ts';
import { paragraph, wordFile, zipFile } from './word-file.ts';

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
  for (let offset = 0; offset < bytes.length; offset += 3_000_000)
    await uploads.append({
      upload,
      offset,
      data: bytes.subarray(offset, offset + 3_000_000).toString('base64'),
    });
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
  });

  it('reads a table by rows, each part below its first row', async () => {
    const rows = Array.from({ length: 90 }, (_, at) => `Boat number ${at},berth ${at}`);
    const { attachment, turns } = await read('boats.csv', ['boat,berth', ...rows].join('\r\n'));
    expect(attachment.kind).toBe('csv');
    expect(turns.length).toBeGreaterThan(1);
    for (const { content } of turns) expect(content).toMatch(/^boat,berth\nBoat number/);
    const said = turns.flatMap(({ content }) => content.split('\n').slice(1));
    expect(said).toEqual(rows);
  });

  it('reads the text of HTML under its headings, and none of its scripts', async () => {
    const html = `<!DOCTYPE html><html><head><title>Hidden</title><style>p { color: red }</style></head><body>
      <h1>Rowing &amp; sailing</h1><p title="a > b">The club meets in the <b>old mill</b>.<!-- not this --></p>
      <script>const secret = '<p>no</p>';</script><h2>Fees</h2><ul><li>Adults 20&nbsp;&euro;</li><li>3 < 4</li></ul>
      <table><tr><th>Day</th><th>Hour</th></tr><tr><td>Monday</td><td>18</td></tr></table></body></html>`;
    const { attachment, turns } = await read('page.txt', html);
    expect(attachment.kind).toBe('html');
    expect(turns.map(({ content }) => content)).toEqual([
      'Rowing & sailing\n\nThe club meets in the old mill.',
      'Rowing & sailing › Fees\n\n- Adults 20 €\n- 3 < 4\n\nDay | Hour\nMonday | 18',
    ]);
  });

  it.each([
    ['an open tag', '<p>Seen.</p><p title="'],
    ['an open comment', '<p>Seen.</p><!-- <p>Unseen.</p>'],
    ['an open script', '<p>Seen.</p><script>let unseen;'],
  ])('reads HTML with %s to there', async (_, html) => {
    expect((await read('page.html', html)).turns.map(({ content }) => content)).toEqual(['Seen.']);
  });

  it('reads hostile HTML in time that grows with its length', async () => {
    const html = `<p>Seen.</p>${'<a "<a \'<!--<script'.repeat(100_000)}`;
    const begun = performance.now();
    await read('page.html', html);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it('reads a Word document under its headings, without what was deleted in it', async () => {
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
    const body = [
      paragraph('Lease', 'Title'),
      paragraph('The deposit is 1,250 euros &amp; due in May.'),
      paragraph('Rules', 'Heading2'),
      '<w:p><w:r><w:t>No </w:t></w:r><w:del><w:r><w:delText>cats</w:delText></w:r></w:del><w:r><w:t>parrots.</w:t></w:r></w:p>',
      `<w:tbl><w:tr>${cell('Room')}${cell('Key')}</w:tr><w:tr>${cell('Cellar')}${cell('7')}</w:tr></w:tbl>`,
    ].join('');
    const { attachment, turns } = await read('lease', await wordFile(body));
    expect(attachment.kind).toBe('docx');
    expect(turns.map(({ content }) => content)).toEqual([
      'Lease\n\nThe deposit is 1,250 euros & due in May.',
      'Lease › Rules\n\nNo parrots.\n\nRoom | Key\nCellar | 7',
    ]);
  });

  it('reads long runs of blanks at once', async () => {
    const blanks = ' '.repeat(200_000);
    const start = performance.now();
    const { turns } = await read('page.html', Buffer.from(`<pre>${blanks}oars |${blanks}|${blanks}</pre>`));
    expect(turns[0]!.content).toMatch(/^oars/);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('repeats no long first row or heading without end', async () => {
    const long = 'x'.repeat(1_000_000);
    const rows = `${'y\n'.repeat(2_000)}`;
    const before = process.memoryUsage().rss;
    await expect(read('table.csv', Buffer.from(`${long}\n${rows}`))).rejects.toThrow('too much text');
    const page = Buffer.from(`<h1>${long}</h1>${`<p>${'y'.repeat(1_400)}</p>`.repeat(500)}`);
    await expect(read('page.html', page)).rejects.toThrow('too much text');
    expect(process.memoryUsage().rss - before).toBeLessThan(600_000_000);
  });

  it('unpacks no bomb, and no other archive', async () => {
    const bomb = await wordFile(paragraph('x'.repeat(30_000_000)));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(read('bomb.docx', bomb)).rejects.toThrow(/would unpack to more than 400 times its size/);
    const archive = await zipFile([{ name: 'notes.txt', content: 'Hello.' }]);
    await expect(read('notes.docx', archive)).rejects.toThrow(/an archive or another office document/);
    const huge = await wordFile(randomBytes(40_000_000).toString('hex'));
    await expect(read('huge.docx', huge)).rejects.toThrow(/larger than 25 MB|too much text/);
  });

  it.each([
    ['Word', 'letter.docx', async (text: string) => wordFile(paragraph(text))],
    ['HTML', 'letter.html', async (text: string) => Buffer.from(`<h1>Letter</h1><p>${text}</p>`)],
    ['CSV', 'letter.csv', async (text: string) => Buffer.from(`text\n${text}`)],
    ['text', 'letter.txt', async (text: string) => Buffer.from(text)],
  ])('never takes "I" in %s for the user', async (_, name, fileOf) => {
    const { turns } = await read(name, await fileOf('I live in Boston and I have two cats.'));
    expect(turns).toMatchObject([{ speaker: name, role: 'other' }]);
    await using engine = await openEngine();
    const scope = engine.scope('ana');
    await scope.add([...turns, { content: 'Keep this letter.', speaker: 'John' }]);
    await scope.flush();
    const { facts } = await scope.search('Boston cats');
    expect(facts).toEqual([]);
    expect((await scope.ask('How many cats does John have?')).text).not.toContain('two cats');
  });

  it('reads 10 MB of short lines without an empty one', async () => {
    const lines = Array.from(
      { length: 150_000 },
      (_, at) => `Entry ${at} of the log of the harbour, and no more than that.`,
    );
    const { attachment, turns } = await read('big.txt', lines.join('\n'));
    expect(attachment.characters).toBeGreaterThan(8_000_000);
    expect(Math.max(...turns.map(({ content }) => content.length))).toBeLessThanOrEqual(20_000);
    expect(turns.map(({ content }) => content).join('\n')).toBe(lines.join('\n'));
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
    ['a bitmap', 'cat.txt', Buffer.from('424d89500000', 'hex'), /not UTF-8 text; images, text, Markdown/],
    ['an archive', 'a.md', Buffer.from('504b030414000000', 'hex'), /damaged or unfinished zip archive/],
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
