const SPACE = /[ \t\n\r]*/y;
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids just these within a string
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'end';

/**
 * The offset at which a text stops being JSON, its length if it ends too early, or null if it is JSON.
 *
 * Needed because the errors of JSON.parse quote the text and often lack the position. Uses an explicit stack, so that
 * a million brackets do not overflow the call stack.
 */
export function findJsonError(text: string): number | null {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = skip(SPACE, text, 0);
  while (at < text.length) {
    const step = take(text, at, expected, open);
    if (step.next === null) return step.at;
    expected = step.next;
    at = skip(SPACE, text, step.at);
  }
  return expected === 'end' ? null : text.length;
}

interface Step {
  readonly at: number;
  /** Null if the text is not JSON from `at` on. */
  readonly next: Expected | null;
}

function take(text: string, at: number, expected: Expected, open: ('{' | '[')[]): Step {
  const character = text[at]!;
  switch (expected) {
    case 'value-or-end':
      return character === ']' ? close(at, open) : takeValue(text, at, open);
    case 'value':
      return takeValue(text, at, open);
    case 'key-or-end':
      return character === '}' ? close(at, open) : takeString(text, at, 'colon');
    case 'key':
      return takeString(text, at, 'colon');
    case 'colon':
      return { at: character === ':' ? at + 1 : at, next: character === ':' ? 'value' : null };
    case 'comma-or-end':
      return takeSeparator(character, at, open);
    case 'end':
      return { at, next: null };
  }
}

function takeSeparator(character: string, at: number, open: ('{' | '[')[]): Step {
  const inside = open.at(-1);
  if (character === ',') return { at: at + 1, next: inside === '{' ? 'key' : 'value' };
  return character === (inside === '{' ? '}' : ']') ? close(at, open) : { at, next: null };
}

function takeValue(text: string, at: number, open: ('{' | '[')[]): Step {
  const character = text[at]!;
  if (character === '{' || character === '[') {
    open.push(character);
    return { at: at + 1, next: character === '{' ? 'key-or-end' : 'value-or-end' };
  }
  if (character === '"') return takeString(text, at, afterValue(open));
  const end = skip(NUMBER_OR_WORD, text, at);
  return { at: end, next: end > at ? afterValue(open) : null };
}

function takeString(text: string, start: number, next: Expected): Step {
  if (text[start] !== '"') return { at: start, next: null };
  let at = start + 1;
  for (;;) {
    at = skip(PLAIN_CHARACTERS, text, at);
    if (text[at] === '"') return { at: at + 1, next };
    const escaped = skip(ESCAPE, text, at);
    if (escaped === at) return { at, next: null };
    at = escaped;
  }
}

function close(at: number, open: ('{' | '[')[]): Step {
  open.pop();
  return { at: at + 1, next: afterValue(open) };
}

function afterValue(open: readonly ('{' | '[')[]): Expected {
  return open.length === 0 ? 'end' : 'comma-or-end';
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Parses text that must still be validated by a schema. The reason gives the position of the error, never the text. */
export function parseJson(text: string): JsonReading {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, reason: describeBreak(text) };
  }
}

function describeBreak(text: string): string {
  if (text.trim() === '') return 'it is empty';
  const offset = findJsonError(text) ?? text.length;
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const place = `line ${countLines(text, offset)}, column ${offset - lineStart + 1}`;
  return offset < text.length ? `it is not JSON from ${place} on` : `it ends too early, at ${place}`;
}

function countLines(text: string, end: number): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
