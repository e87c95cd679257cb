import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip, type ZipEntry } from '../../../importers/zip-files.ts';

/** A paragraph, in the style with that id. */
export const paragraph = (text: string, style?: string): string =>
  `<w:p>${style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

/** A Word document with this body, in its markup. */
export const wordFile = (body: string): Promise<Buffer> =>
  zipFile([
    { name: '[Content_Types].xml', content: '<Types/>' },
    {
      name: 'word/document.xml',
      content: `<?xml version="1.0"?><w:document><w:body>${body}</w:body></w:document>`,
    },
  ]);

export async function zipFile(entries: readonly ZipEntry[]): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-word-'));
  try {
    return await readFile(await writeZip(join(folder, 'file.zip'), entries));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
