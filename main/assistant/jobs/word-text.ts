import { FileUnreadableError } from '../../../src/errors/index.ts';
import { piecesOf, tidyLines } from '../../../src/importers/documents/markup.ts';
import { openZip } from '../../../src/importers/files/open-zip.ts';

const DOCUMENT = 'word/document.xml';
/** Of the text with its markup, unpacked; a thousand pages have less. */
const MOST_MARKUP_BYTES = 64 * 1024 * 1024;
/** Styles of headings by the ids that Word gives them in several languages; the number is the level. */
const HEADING_STYLE = /w:val="(?:heading|berschrift|titre|titolo|ttulo|kop|rubrik|overskrift)\s?([1-6])"/i;
const TITLE_STYLE = /w:val="title"/i;

/**
 * The text of a Word document as Markdown: headings, paragraphs and tables of its body, without what was deleted in it.
 * Only that part of the archive is unpacked.
 *
 * @throws FileUnreadableError also for other archives and for one that unpacks to far more than it has.
 */
export async function wordText(path: string): Promise<string> {
  const zip = await openZip(path, (name) => name === DOCUMENT);
  try {
    const [refused] = zip.refused;
    if (refused !== undefined) throw new FileUnreadableError(path, `its text ${refused.reason}`);
    const [document] = zip.files;
    if (document === undefined)
      throw new FileUnreadableError(path, 'it is an archive or another office document than one of Word');
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of document.open()) {
      bytes += chunk.length;
      if (bytes > MOST_MARKUP_BYTES) throw new FileUnreadableError(path, 'it has too much text; split it');
      chunks.push(chunk);
    }
    return textOfWord(Buffer.concat(chunks).toString());
  } finally {
    await zip.close();
  }
}

/** Text boxes stand a second time in their fallbacks. */
const WORD_UNREAD = new Set(['mc:fallback', 'w:deltext', 'w:instrtext']);

function textOfWord(xml: string): string {
  const parts: string[] = [];
  let [isText, cells] = [false, 0];
  for (const piece of piecesOf(xml, WORD_UNREAD)) {
    if (typeof piece === 'string') {
      if (isText) parts.push(piece);
      continue;
    }
    const { name, isEnd, whole } = piece;
    const isEmpty = whole.endsWith('/>');
    if (name === 'w:t') isText = !isEnd && !isEmpty;
    else if (name === 'w:tab') parts.push(' ');
    else if (name === 'w:br' || name === 'w:cr') parts.push('\n');
    else if (name === 'w:pstyle' && cells === 0) {
      const level = TITLE_STYLE.test(whole) ? 1 : Number(HEADING_STYLE.exec(whole)?.[1] ?? 0);
      if (level > 0) parts.push(`${'#'.repeat(level)} `);
    } else if (name === 'w:tc' && !isEmpty) {
      cells += isEnd ? -1 : 1;
      if (isEnd) parts.push('| ');
    } else if (name === 'w:tr' && isEnd) parts.push('\n');
    else if (name === 'w:tbl') parts.push('\n\n');
    else if (name === 'w:p' && (isEnd || isEmpty)) parts.push(cells > 0 ? ' ' : '\n\n');
  }
  return tidyLines(parts.join(''));
}
