interface Tag {
  /** In small letters. */
  readonly name: string;
  readonly isEnd: boolean;
  /** As it stands in the markup. */
  readonly whole: string;
}

/** Texts and tags in order, each byte looked at once. A tag that does not end is the end. */
export function* piecesOf(markup: string, unread: ReadonlySet<string>): Generator<string | Tag> {
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

/** Lines without blanks at their ends, and one empty line between paragraphs. */
export function tidyLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .map((line) => (line.endsWith('|') ? line.slice(0, -1) : line).trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
