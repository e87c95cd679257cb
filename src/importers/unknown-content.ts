/** Keys whose strings are text that somebody wrote. */
const TEXT_KEY =
  /(?:^|_)(?:text|texts|content|contents|caption|captions|title|subtitle|heading|header|headline|question|questions|answer|answers|option|options|description|body|message|summary|explanation|comment|note|notes|paragraph|paragraphs|line|lines|label|value|transcript|transcription|prompt|markdown|statement|thought|poem|quote|plain|parts?|items?|cells?|children|blocks?)$/i;
/** Keys whose strings are names, addresses and settings of programs. */
const TECHNICAL_KEY =
  /(?:^|_)(?:ids?|uuid|guid|key|hash|type|kind|class|role|status|state|mode|model|url|uri|link|href|src|file|path|thumbnail|photo|pointer|mime|format|encoding|lang|language|locale|date|time|timestamp|unixtime|at|created|updated|version|width|height|size|bytes|duration|seconds|color|colour|style|icon|emoji|currency|country|countries|token|signature|slug|recipient|channel|author|from|name|username|vcard)$|(?:Id|Type|Url|Uri|At)$/;
/** Keys of what others wrote, or what nobody wrote. */
const FOREIGN_KEY = /reply|quot|forward|preview|webpage|web_page|reaction|button|keyboard|metadata|citation/i;
/** Text in pieces, of which some are bold or links: joined without a line break. */
const PIECES_KEY = /(?:^|_)(?:text|text_entities|entities|spans|inlines|rich_text)$/i;
const WORDS = /\p{L}\p{M}*[^\s]*\s+[^\s]*\p{L}|[\p{Lo}]{4,}/u;
const NO_TEXT =
  /^(?:https?:\/\/\S+|[\w+.-]+\/[\w+./-]+|[\da-f-]{16,}|[A-Za-z0-9+/=_-]{40,}|\d[\d\s:.TZ+-]*)$/i;
const DEEPEST = 12;
const LONGEST = 200_000;

/**
 * The text in content of an unknown kind, in its order: the strings under keys that name text, and others if they have
 * several words. Empty if there is none.
 */
export function textIn(content: unknown): string {
  const lines: string[] = [];
  collect(content, { key: '', depth: 0, lines });
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, LONGEST);
}

interface Place {
  readonly key: string;
  readonly depth: number;
  readonly lines: string[];
}

function collect(value: unknown, { key, depth, lines }: Place): void {
  if (typeof value === 'string') {
    if (isText(value, key)) lines.push(value);
  } else if (depth >= DEEPEST || typeof value !== 'object' || value === null) return;
  else if (Array.isArray(value)) {
    const inside = { key, depth: depth + 1, lines };
    const pieces =
      PIECES_KEY.test(key) || value.some((each) => typeof each === 'string') ? piecesOf(value) : null;
    if (pieces !== null && isText(pieces, key)) lines.push(pieces);
    else for (const each of value) collect(each, inside);
  } else
    for (const [name, each] of Object.entries(value))
      if (!FOREIGN_KEY.test(name)) collect(each, { key: name, depth: depth + 1, lines });
}

/** The text of pieces such as `["Rue ", { "type": "bold", "text": "Haute" }]`; null if it is no such list. */
function piecesOf(list: readonly unknown[]): string | null {
  const texts = list.map((each) =>
    typeof each === 'object' && each !== null && 'text' in each ? each.text : each,
  );
  const isMixed = list.some((each) => typeof each !== 'string');
  return isMixed && texts.every((text) => typeof text === 'string') ? texts.join('') : null;
}

function isText(value: string, key: string): boolean {
  const text = value.trim();
  if (text === '' || NO_TEXT.test(text)) return false;
  if (TEXT_KEY.test(key)) return /[\p{L}\p{N}\p{S}]/u.test(text);
  return !TECHNICAL_KEY.test(key) && WORDS.test(text);
}

const NAME = /^[A-Za-z][\w.:/-]{0,59}$/;

/** "a message of the unknown kind "giveaway"": the name is of the file's format, not of its user; else no name. */
export function unknownKind(noun: string, name: unknown): string {
  return typeof name === 'string' && NAME.test(name)
    ? `${noun} of the unknown kind "${name}"`
    : `${noun} of an unknown kind`;
}
