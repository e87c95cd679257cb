/** What a document says of itself before it begins, between two lines of dashes; values are kept as text. */
export interface FrontMatter {
  readonly values: ReadonlyMap<string, string>;
  /** The document without it, and how many lines were taken. */
  readonly body: string;
  readonly lines: number;
}

const BLOCK = /^---[ \t]*\n([\s\S]{0,20000}?)\n---[ \t]*(?:\n|$)/;
const PAIR = /^([A-Za-z_][\w-]{0,40}):[ \t]*(.*)$/;

/** Simple `key: value` lines; whatever else YAML can say is passed over. */
export function readFrontMatter(text: string): FrontMatter {
  const match = BLOCK.exec(text);
  if (match === null) return { values: new Map(), body: text, lines: 0 };
  const pairs = match[1]!.split('\n').flatMap((line) => {
    const pair = PAIR.exec(line.trimEnd());
    const value = pair?.[2]?.replace(/^(["'])(.*)\1$/, '$2').trim() ?? '';
    return pair === null || value === '' ? [] : [[pair[1]!.toLowerCase(), value] as const];
  });
  return {
    values: new Map(pairs),
    body: text.slice(match[0].length),
    lines: match[0].split('\n').length - 1,
  };
}
