import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { CancelledError, FileUnreadableError } from '../../../src/errors/index.ts';

/** A hostile file reaches one of these; a long book does not. */
export interface PdfLimits {
  readonly pages: number;
  readonly characters: number;
  readonly milliseconds: number;
  readonly megabytes: number;
}

const LIMITS: PdfLimits = { pages: 3_000, characters: 5_000_000, milliseconds: 60_000, megabytes: 1_024 };

interface PdfOptions {
  /** Of the file, for messages. */
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  readonly limits?: Partial<PdfLimits>;
}

const PROBLEMS = {
  password: 'it is protected with a password; save it without one',
  damaged: 'it is not a complete PDF file',
  pages: 'it has too many pages; split it',
  characters: 'it has too much text; split it',
} as const;

const replySchema = z.union([
  z.object({ pages: z.array(z.string()) }),
  z.object({ problem: z.enum(['password', 'damaged', 'pages', 'characters']) }),
]);

/**
 * Text of a PDF file, page by page, with empty lines between paragraphs. Runs in a thread of its own, which is ended at
 * its limits: a file can be made so that reading it takes forever.
 *
 * @throws FileUnreadableError also where it has no text, as a scan; CancelledError.
 */
export async function pdfText(
  bytes: Uint8Array,
  { name, signal, limits: given }: PdfOptions,
): Promise<readonly string[]> {
  const limits = { ...LIMITS, ...given };
  const refuse = (reason: string) => new FileUnreadableError(name, reason);
  const library = pathToFileURL(createRequire(import.meta.url).resolve('unpdf')).href;
  const worker = new Worker(READER, {
    eval: true,
    workerData: { bytes, library, pages: limits.pages, characters: limits.characters },
    resourceLimits: { maxOldGenerationSizeMb: limits.megabytes },
    // The reader needs neither flags nor secrets of this process, and its output may quote the file.
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
  });
  let timer: NodeJS.Timeout | undefined;
  let cancel = () => {};
  try {
    const reply = await new Promise<unknown>((resolve, reject) => {
      timer = setTimeout(() => reject(refuse('reading it takes too long')), limits.milliseconds);
      cancel = () => reject(new CancelledError('nothing was stored', signal?.reason));
      signal?.addEventListener('abort', cancel);
      if (signal?.aborted) cancel();
      worker.once('message', resolve);
      worker.once('error', ({ code }: NodeJS.ErrnoException) =>
        reject(
          refuse(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'reading it takes too much memory' : PROBLEMS.damaged),
        ),
      );
      worker.once('exit', () => reject(refuse(PROBLEMS.damaged)));
    });
    const parsed = replySchema.parse(reply);
    if ('problem' in parsed) throw refuse(PROBLEMS[parsed.problem]);
    if (parsed.pages.every((page) => page.trim() === ''))
      throw refuse('it has no text, only images such as scanned pages; make its text readable first (OCR)');
    return parsed.pages;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
    await worker.terminate();
  }
}

/**
 * The thread's program; plain JavaScript, because a thread does not load TypeScript where the process does. It replies
 * with texts or with a problem, never with a message of the library.
 */
const READER = `
const { parentPort, workerData } = require('node:worker_threads');
const { bytes, library, pages, characters } = workerData;

function textOf(items) {
  let text = '';
  let last = null;
  for (const { str, transform, height, hasEOL } of items) {
    if (str === undefined) continue;
    const y = transform[5];
    const isFarBelow = last !== null && last.y - y > 1.7 * Math.max(last.height, height);
    if (isFarBelow && text.endsWith('\\n') && str.trim() !== '') text += '\\n';
    text += str;
    if (hasEOL) text += '\\n';
    if (str.trim() !== '') last = { y, height };
  }
  return text;
}

async function read() {
  const { getResolvedPDFJS } = await import(library);
  const { getDocument } = await getResolvedPDFJS();
  const options = { data: bytes, isEvalSupported: false, disableFontFace: true, useSystemFonts: false, stopAtErrors: false, verbosity: 0 };
  const pdf = await getDocument(options).promise;
  if (pdf.numPages > pages) return { problem: 'pages' };
  const texts = [];
  let length = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const text = textOf(items);
    page.cleanup();
    length += text.length;
    if (length > characters) return { problem: 'characters' };
    texts.push(text);
  }
  return { pages: texts };
}

read()
  .catch((error) => ({ problem: error?.name === 'PasswordException' ? 'password' : 'damaged' }))
  .then((reply) => parentPort.postMessage(reply));
`;
