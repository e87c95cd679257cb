import { FileUnreadableError } from '../../../src/errors/index.ts';
import { openZip } from '../../../src/importers/files/open-zip.ts';

interface Tag {
  /** In small letters. */
  readonly name: string;
  readonly isEnd: boolean;
  /** As it stands in the markup. */
  readonly whole: string;
}

/** Elements of HTML whose content is no text. */
const UNREAD = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'head',
  'textarea',
  'iframe',
  'object',
]);

/** Texts and tags in order, each byte looked at once. A tag that does not end is the end. */
function* piecesOf(markup: string, unread: ReadonlySet<string>): Generator<string | Tag> {
  for (let at = 0; at < markup.length; ) {
    const open = markup.indexOf('<', at);
    if (open !== at) yield withEntities(markup.slice(at, open < 0 ? undefined : open));
    if (open < 0) return;
    const isComment = markup.startsWith('<!--', open);
    const named = /^<(\/?)([a-z][\w:-]{0,40})/i.exec(markup.slice(open, open + 44));
    if (named === null && !isComment && !/^<[!?/]/.test(markup.slice(open, open + 2))) {
      yield '<';
      at = open + 1;
      continue;
    }
    const end = isComment ? markup.indexOf('-->', open + 4) + 2 : endOfTag(markup, open);
    if (end <= open + 1) return;
    at = end + 1;
    if (named === null || isComment) continue;
    const [name, isEnd] = [named[2]!.toLowerCase(), named[1] === '/'];
    const whole = markup.slice(open, at);
    yield { name, isEnd, whole };
    if (!unread.has(name) || isEnd || whole.endsWith('/>')) continue;
    const closing = new RegExp(`</${name}\\b`, 'gi');
    closing.lastIndex = at;
    at = closing.exec(markup)?.index ?? markup.length;
  }
}

/** A quoted value may have the sign that ends a tag; -1 where the tag does not end. */
function endOfTag(markup: string, open: number): number {
  const part = /"[^"]*"|'[^']*'|>/g;
  part.lastIndex = open;
  for (let found = part.exec(markup); found !== null; found = part.exec(markup))
    if (found[0] === '>') return found.index;
  return -1;
}

const ENTITY = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z][a-z\d]{1,10}));/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    shy: '',
    euro: '€',
    pound: '£',
    deg: '°',
  },
  ...{ ndash: '–', mdash: '—', hellip: '…', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', sbquo: '‚' },
  ...{
    bdquo: '„',
    laquo: '«',
    raquo: '»',
    bull: '•',
    middot: '·',
    copy: '©',
    reg: '®',
    trade: '™',
    times: '×',
  },
  ...{
    auml: 'ä',
    ouml: 'ö',
    uuml: 'ü',
    Auml: 'Ä',
    Ouml: 'Ö',
    Uuml: 'Ü',
    szlig: 'ß',
    eacute: 'é',
    egrave: 'è',
  },
  ...{ ecirc: 'ê', agrave: 'à', aacute: 'á', acirc: 'â', ccedil: 'ç', iacute: 'í', oacute: 'ó', uacute: 'ú' },
  ...{
    ntilde: 'ñ',
    aring: 'å',
    oslash: 'ø',
    aelig: 'æ',
    sect: '§',
    para: '¶',
    frac12: '½',
    sup2: '²',
    rarr: '→',
  },
};

function withEntities(text: string): string {
  return text.replace(ENTITY, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : '';
  });
}

const PARAGRAPHS = new Set(
  'p div section article header footer main aside nav blockquote ul ol dl table pre figure form address hr body'.split(
    ' ',
  ),
);
const LINES = new Set(['br', 'tr', 'dt', 'dd', 'figcaption', 'option']);
const HEADING = /^h([1-6])$/;

/** The text of an HTML document as Markdown: its headings, paragraphs, lists and rows. */
export function htmlText(html: string): string {
  const parts: string[] = [];
  let isKept = false;
  for (const piece of piecesOf(html, UNREAD)) {
    if (typeof piece === 'string') {
      parts.push(isKept ? piece : piece.replace(/\s+/g, ' '));
      continue;
    }
    const { name, isEnd } = piece;
    const level = HEADING.exec(name)?.[1];
    if (name === 'pre') isKept = !isEnd;
    if (level !== undefined) parts.push(isEnd ? '\n\n' : `\n\n${'#'.repeat(Number(level))} `);
    else if (PARAGRAPHS.has(name)) parts.push('\n\n');
    else if (LINES.has(name) && !isEnd) parts.push('\n');
    else if (name === 'li' && !isEnd) parts.push('\n- ');
    else if ((name === 'td' || name === 'th') && isEnd) parts.push(' | ');
  }
  return tidyLines(parts.join(''));
}

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

function tidyLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .map((line) => (line.endsWith('|') ? line.slice(0, -1) : line).trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
