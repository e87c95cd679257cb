import { createScanner, type Node, type ParseError, parseTree } from 'jsonc-parser';
import { ConfigBrokenError } from './errors.ts';
import type { Insertion } from './insertion.ts';

/** A value that a configuration in JSON gets: a property of an object, or the last element of a list. */
export interface JsonEntry {
  /** Names of the objects above it, then its own; those of a list end with the list's. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** Whether it is an element of the list at `path`. */
  readonly isElement?: boolean;
  /** Whether another value at its place stays, such as the version of a file. */
  readonly isDefault?: boolean;
}

/** Whether a value, as it stands in the file, is of another version of ours. */
export type IsOurs = (value: string) => boolean;

const OPTIONS = { allowTrailingComma: true, disallowComments: false } as const;

/** @throws ConfigBrokenError for what is no object in JSON, with comments or without */
export function checkJson(text: string, file: string): void {
  treeOf(text, file);
}

/** What to insert for an entry, without touching what is there; nothing where it is there already. */
export function insertionsFor(text: string, entry: JsonEntry, file: string): readonly Insertion[] {
  const { path, value, isElement = false, isDefault = false } = entry;
  let node = treeOf(text, file);
  for (const [depth, name] of path.entries()) {
    if (node.type !== 'object')
      throw new ConfigBrokenError(file, `"${path.slice(0, depth).join('.')}" is no object`);
    const found = propertyOf(node, name);
    if (found === undefined) {
      const inner = path
        .slice(depth + 1)
        .reduceRight<unknown>((below, key) => ({ [key]: below }), isElement ? [value] : value);
      return inserted(text, node, { key: name, value: inner });
    }
    node = found;
  }
  if (isElement) {
    if (node.type !== 'array') throw new ConfigBrokenError(file, `"${path.join('.')}" is no list`);
    const isThere = (node.children ?? []).some((each) => isEqual(text, each, value));
    return isThere ? [] : inserted(text, node, { value });
  }
  if (isDefault || isEqual(text, node, value)) return [];
  throw new ConfigBrokenError(file, `"${path.join('.')}" has another value already`);
}

/** The text without the entry, and without the objects and lists of `made` that it leaves empty. */
export function withoutEntry(
  text: string,
  { path, value, isElement = false }: JsonEntry,
  {
    file,
    isOurs,
    made,
  }: { readonly file: string; readonly isOurs: IsOurs; readonly made: readonly string[] },
): string {
  let result = text;
  const isOwn = (each: Node) => isEqual(result, each, value) || isOurs(sourceOf(result, each));
  for (;;) {
    const node = nodeAt(treeOf(result, file), path);
    const ours = (isElement ? (node?.children ?? []) : node === undefined ? [] : [node]).find(isOwn);
    if (ours === undefined) break;
    result = removed(result, isElement ? ownPart(result, ours, isOurs) : ours.parent!);
  }
  for (let length = path.length - (isElement ? 0 : 1); length > 0; length--) {
    const above = path.slice(0, length);
    const node = nodeAt(treeOf(result, file), above);
    if (node === undefined || (node.children ?? []).length > 0 || !made.includes(above.join('\n'))) break;
    result = removed(result, node.parent!);
  }
  return result;
}

/** What is ours of an element in which somebody has added hooks beside ours; else the element. */
function ownPart(text: string, element: Node, isOurs: IsOurs): Node {
  const lists = (element.children ?? []).flatMap(({ children }) => children?.[1]?.children ?? []);
  const own = lists.filter((each) => isOurs(sourceOf(text, each)));
  return own[0] !== undefined && own.length < lists.length ? own[0] : element;
}

/** Places of a path that the text does not have. */
export function missingIn(text: string, path: readonly string[], file: string): readonly string[] {
  const tree = treeOf(text, file);
  const places = path.map((_, at) => path.slice(0, at + 1));
  return places.filter((place) => nodeAt(tree, place) === undefined).map((place) => place.join('\n'));
}

/** Whether one of the entry's values is in the text. */
export function hasEntry(
  text: string,
  { path, value, isElement = false }: JsonEntry,
  isOurs: IsOurs,
): boolean {
  const tree = parseTree(text, [], OPTIONS);
  const node = tree && nodeAt(tree, path);
  if (node === undefined) return false;
  return (isElement ? (node.children ?? []) : [node]).some(
    (each) => isEqual(text, each, value) || isOurs(sourceOf(text, each)),
  );
}

function treeOf(text: string, file: string): Node {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, OPTIONS);
  if (errors.length > 0 || tree === undefined) {
    const line = text.slice(0, errors[0]?.offset ?? 0).split('\n').length;
    throw new ConfigBrokenError(file, `it is not JSON from line ${line} on`);
  }
  if (tree.type !== 'object') throw new ConfigBrokenError(file, 'it is no object');
  return tree;
}

function nodeAt(tree: Node, path: readonly string[]): Node | undefined {
  let node: Node | undefined = tree;
  for (const name of path) node = node?.type === 'object' ? propertyOf(node, name) : undefined;
  return node;
}

/** The value of a property; of two with one name, the last, as JSON.parse has it. */
function propertyOf(object: Node, name: string): Node | undefined {
  return object.children?.findLast(({ children }) => children?.[0]?.value === name)?.children?.[1];
}

const sourceOf = (text: string, { offset, length }: Node) => text.slice(offset, offset + length);

function isEqual(text: string, node: Node, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(sourceOf(text, node))) === JSON.stringify(value);
  } catch {
    return false; // with comments
  }
}

/** After the last child and its comments, in the form of the file: on lines of its own, or in one line. */
function inserted(
  text: string,
  parent: Node,
  { key, value }: { readonly key?: string; readonly value: unknown },
): readonly Insertion[] {
  const end = parent.offset + parent.length - 1; // of the closing bracket
  const last = parent.children?.at(-1);
  const begin = last === undefined ? parent.offset + 1 : last.offset + last.length;
  const between = text.slice(begin, end);
  const hasComma = last !== undefined && commaAfter(text, begin) !== null;
  const needsComma = last !== undefined && !hasComma;
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const after = hasComma ? ',' : '';
  if (!between.includes('\n') && last !== undefined && !sourceOf(text, parent).includes('\n')) {
    const at = end - (/[ \t]*$/.exec(between)?.[0].length ?? 0);
    return [{ at, text: `${needsComma ? ', ' : ' '}${name}${JSON.stringify(value)}${after}` }];
  }
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const outer = indentAt(text, parent.offset);
  const unit = unitOf(text);
  const inner = last === undefined ? outer + unit : indentAt(text, last.offset);
  const lines = `${name}${JSON.stringify(value, null, unit)}`.replaceAll('\n', `${eol}${inner}`);
  const space = /\s*$/.exec(between)?.[0].length ?? 0;
  const at = end - space;
  const closing = between.slice(between.length - space).includes('\n') ? '' : `${eol}${outer}`;
  const own = { at, text: `${eol}${inner}${lines}${after}${closing}` };
  if (!needsComma) return [own];
  return at === begin
    ? [{ at, text: `,${own.text}` }]
    : [
        { at: begin, text: ',' },
        { at: at + 1, text: own.text },
      ];
}

/** A property or an element, with the white space before it and one comma. */
function removed(text: string, node: Node): string {
  const end = node.offset + node.length;
  const before = text.slice(0, node.offset).trimEnd();
  const following = commaAfter(text, end);
  if (following !== null) return before + text.slice(end, following) + text.slice(following + 1);
  const parent = node.parent!;
  const earlier = parent.children?.filter(({ offset }) => offset < node.offset).at(-1);
  if (earlier === undefined)
    return before + (/^\s*[}\]]/.test(text.slice(end)) ? text.slice(end).trimStart() : text.slice(end));
  const at = commaAfter(text, earlier.offset + earlier.length)!;
  return before.slice(0, at) + before.slice(at + 1) + text.slice(end);
}

/** Where the comma is that comes next, but for white space and comments; null for none. */
function commaAfter(text: string, offset: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : null;
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))![0];
}

/** One level of indentation, as the file has it. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}
