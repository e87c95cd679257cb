import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pdfFile } from '../main/assistant/jobs/pdf-file.ts';
import { paragraph, wordFile } from '../main/assistant/jobs/word-file.ts';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';
import { violations } from './looks.ts';
import { png } from './png.ts';

interface Sent {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** Gives a file to the page as the clipboard or a drag does. */
async function handOver(
  target: Locator,
  event: 'paste' | 'drop',
  { name, mimeType, buffer }: Sent,
): Promise<void> {
  await target.evaluate(
    (element, { event, name, type, base64 }) => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
      data.items.add(new File([bytes], name, { type }));
      const how = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        event === 'paste'
          ? new ClipboardEvent('paste', { ...how, clipboardData: data })
          : new DragEvent('drop', { ...how, dataTransfer: data }),
      );
    },
    { event, name, type: mimeType, base64: buffer.toString('base64') },
  );
}

const pick = (chat: ChatPage, ...files: Sent[]) =>
  chat.page.locator('input[type=file]').first().setInputFiles(files);

const isDrawn = (image: Locator) =>
  eventually(async () =>
    expect(await image.evaluate((each: HTMLImageElement) => each.complete && each.naturalWidth)).toBe(320),
  );

interface Photo {
  readonly width: number;
  readonly height: number;
  readonly camera: Buffer;
}

/** A JPEG that a camera held upright took: its rows are stored sideways, and Exif says so. */
async function photo(page: Page, { width, height, camera }: Photo): Promise<Buffer> {
  const base64 = await page.evaluate(
    async ([width, height]) => {
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d')!;
      for (let x = 0; x < width; x += 40) {
        context.fillStyle = `hsl(${x % 360} 80% 50%)`;
        context.fillRect(x, 0, 40, height);
      }
      const blob = await canvas.convertToBlob({ type: 'image/jpeg' });
      const bytes = new Uint8Array(await blob.arrayBuffer());
      return btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join(''));
    },
    [width, height] as const,
  );
  const bytes = Buffer.from(base64, 'base64');
  const isRotated = '0112 0003 00000001 0006 0000'; // orientation: turn clockwise
  const exif = Buffer.from(`4578696600004d4d002a000000080001${isRotated}00000000`.replaceAll(' ', ''), 'hex');
  const size = Buffer.alloc(2);
  size.writeUInt16BE(2 + exif.length + camera.length);
  const segment = Buffer.concat([Buffer.from('ffe1', 'hex'), size, exif, camera]);
  return Buffer.concat([bytes.subarray(0, 2), segment, bytes.subarray(2)]);
}

async function isOnDisk(lab: AppLab, bytes: Buffer): Promise<boolean> {
  const part = bytes.length < 2_100 ? bytes : bytes.subarray(2_000, 2_100);
  const names = (await readdir(lab.folder, { recursive: true, withFileTypes: true })).filter((each) =>
    each.isFile(),
  );
  const files = await Promise.all(
    names.map(({ parentPath, name }) => readFile(join(parentPath, name)).catch(() => Buffer.alloc(0))),
  );
  return files.some((file) => file.includes(part));
}

describe('without a model', () => {
  let lab: AppLab;
  let chat: ChatPage;
  const bytes = png();
  beforeAll(async () => {
    lab = await AppLab.start();
    chat = await ChatPage.open(lab);
  });
  afterAll(() => lab[Symbol.asyncDispose]());
  afterEach(() => expectQuiet(lab));

  it('a pasted image is kept with the words of the person, and shown', async () => {
    await handOver(chat.field, 'paste', {
      name: 'image.png',
      mimeType: 'image/png',
      buffer: bytes,
    });
    const caption = chat.page.getByRole('textbox', { name: 'What image.png shows' });
    await caption.fill('Coco the puppy on the red sofa');
    expect(await violations(chat.page, { theme: 'light', width: 'wide' })).toEqual([]);
    await chat.field.fill('Keep this for later');
    await chat.field.press('Enter');
    const shown = chat.questions.getByRole('img', { name: 'Coco the puppy on the red sofa' });
    await isDrawn(shown);
    await chat.reads(await chat.answered(), 'Noted.');
    expect(await isOnDisk(lab, bytes)).toBe(true);
  });

  it('it is found by what it shows, and stands in hits, sources and the timeline', async () => {
    const { page } = chat;
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByRole('dialog').getByRole('combobox').fill('red sofa');
    await isDrawn(page.getByRole('option').locator('img').first());
    await page.keyboard.press('Escape');
    await chat.begin();
    const answer = await chat.ask('Where is Coco the puppy?');
    await answer.getByRole('button', { name: 'Source 1', exact: true }).first().click();
    await isDrawn(chat.inspector.getByRole('img', { name: 'Coco the puppy on the red sofa' }));
    await lab.go(page, '#/timeline');
    await isDrawn(page.getByRole('main').getByRole('img', { name: 'Coco the puppy on the red sofa' }));
  });

  it('it is forgotten with its bytes', async () => {
    const { page, inspector } = chat;
    await page
      .getByRole('main')
      .getByRole('button', { name: /Keep this for later/ })
      .first()
      .click();
    await inspector.getByRole('button', { name: 'Forget this turn' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Forget', exact: true }).click();
    await dialog.getByText(/^Proof: memory was searched/).waitFor();
    await eventually(async () => expect(await isOnDisk(lab, bytes)).toBe(false));
    await dialog
      .getByRole('button', { name: /Close|Done/ })
      .first()
      .click();
    const gone = page.getByRole('img', { name: 'Coco the puppy on the red sofa' });
    await eventually(async () => expect(await gone.count()).toBe(0));
  });

  it('an image without words is sent by its name and date', async () => {
    await chat.begin();
    await pick(chat, { name: 'holiday.png', mimeType: 'image/png', buffer: png() });
    await chat.page.getByRole('textbox', { name: 'What holiday.png shows' }).waitFor();
    await chat.button('Send').click();
    await chat.reads(chat.questions, /holiday\.png, .*\d{4}/);
    await isDrawn(chat.questions.getByRole('img'));
  });

  it('a large photo is made smaller, upright and without what the camera noted', async () => {
    await chat.begin();
    const camera = Buffer.from('taken at 46.9480 N, 7.4474 E');
    const buffer = await photo(chat.page, { width: 3_200, height: 1_600, camera });
    await pick(chat, { name: 'IMG_2041.jpeg', mimeType: 'image/jpeg', buffer });
    await chat.page.getByRole('textbox', { name: 'What IMG_2041.jpeg shows' }).fill('The bear park');
    await chat.button('Send').click();
    const shown = chat.questions.getByRole('img', { name: 'The bear park' });
    const size = () => shown.evaluate((each: HTMLImageElement) => [each.naturalWidth, each.naturalHeight]);
    await eventually(async () => expect(await size()).toEqual([1_000, 2_000]));
    expect(await isOnDisk(lab, camera)).toBe(false);
  });

  it('an image that the window cannot read is refused', async () => {
    await chat.begin();
    await pick(chat, { name: 'IMG_1.heic', mimeType: 'image/heic', buffer: Buffer.from('ftypheic') });
    await chat.page.getByText('This window cannot read the image “IMG_1.heic”').waitFor();
    expect(await chat.button('Send').isEnabled()).toBe(false);
    await chat.page.getByRole('button', { name: 'Remove IMG_1.heic' }).click();
  });

  it.each<[string, Sent, string, RegExp]>([
    [
      'Word',
      { name: 'lease.docx', mimeType: '', buffer: Buffer.alloc(0) },
      'What is the deposit for the flat?',
      /1,250/,
    ],
    [
      'CSV',
      {
        name: 'boats.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('boat,berth\nAlbatross,17\nSeagull,23\n'),
      },
      'Albatross berth',
      /Albatross,17/,
    ],
    [
      'HTML',
      {
        name: 'club.html',
        mimeType: 'text/html',
        buffer: Buffer.from(
          '<!doctype html><script>alert(1)</script><h1>Club</h1><p>The rowing club meets in the old mill.</p>',
        ),
      },
      'Where does the rowing club meet?',
      /old mill/,
    ],
    [
      'code',
      {
        name: 'port.py',
        mimeType: '',
        buffer: Buffer.from('# The telescope server listens on this port.\nTELESCOPE_PORT = 4711\n'),
      },
      'Which port does the telescope server listen on?',
      /4711/,
    ],
    [
      'PDF',
      {
        name: 'tannery.pdf',
        mimeType: 'application/pdf',
        buffer: pdfFile([['The old tannery closed in 1911.']]),
      },
      'When did the old tannery close?',
      /1911/,
    ],
  ])('a file of kind %s is read', async (kind, file, question, found) => {
    const buffer =
      kind === 'Word'
        ? await wordFile(
            paragraph('Lease', 'Heading1') + paragraph('The deposit for the flat is 1,250 euros.'),
          )
        : file.buffer;
    await chat.begin();
    await handOver(chat.field, 'drop', { ...file, buffer });
    await chat.page.getByRole('list', { name: 'Attachments' }).getByText(file.name).waitFor();
    await eventually(async () => expect(await chat.page.getByRole('progressbar').count()).toBe(0));
    await chat.reads(await chat.ask(question), found);
  });

  it('what cannot be read is refused by its name before anything is sent', async () => {
    await chat.begin();
    const buffer = Buffer.from([0, 1, 2, 0xff, 0xfe]);
    await pick(chat, { name: 'blob.bin', mimeType: 'application/octet-stream', buffer });
    const alert = chat.page.getByRole('alert');
    await chat.reads(alert, /blob\.bin could not be read: it is not UTF-8 text/);
    await chat.button('Remove blob.bin').click();
    expect(await alert.count()).toBe(0);
  });

  it('a file of 10 MB of short lines is read by parts', async () => {
    const lines = Array.from(
      { length: 150_000 },
      (_, at) => `Entry ${at} of the log of the harbour, and no more than that.`,
    );
    lines[77_777] = 'The lighthouse keeper of Skagen is called Magnhild.';
    await pick(chat, { name: 'big.txt', mimeType: 'text/plain', buffer: Buffer.from(lines.join('\n')) });
    await eventually(async () => expect(await chat.page.getByRole('progressbar').count()).toBe(0));
    await chat.send('Who is the lighthouse keeper of Skagen?');
    await chat.page.getByText(/^Reading the files, \d+ %/).waitFor();
    await chat.reads(await chat.answered(), 'Magnhild');
  });
});

describe('with a model that sees', () => {
  let lab: AppLab;
  let chat: ChatPage;
  beforeAll(async () => {
    lab = await AppLab.start({
      model: {
        reply: ({ messages }) =>
          messages[0]!.content.startsWith('You describe an image') ? 'A grey cat at a window.' : 'A cat.',
      },
      settings: { MNEMIS_LLM_SEES: 'yes' },
    });
    chat = await ChatPage.open(lab);
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  it('an image goes to it, and what it says of it is kept', async () => {
    const bytes = png();
    await pick(chat, { name: 'pet.png', mimeType: 'image/png', buffer: bytes });
    await chat.page.getByRole('list', { name: 'Attachments' }).locator('img').waitFor();
    expect(await chat.page.getByRole('textbox', { name: 'What pet.png shows' }).count()).toBe(0);
    await chat.ask('What is this?');
    const sent = JSON.stringify(lab.model!.requests.map(({ body }) => body));
    expect(sent).toContain(`data:image/png;base64,${bytes.toString('base64')}`);
    await isDrawn(chat.questions.getByRole('img', { name: 'A grey cat at a window.' }));
    expectQuiet(lab);
  });
});
