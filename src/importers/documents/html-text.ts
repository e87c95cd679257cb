import { piecesOf, tidyLines } from './markup.ts';

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
