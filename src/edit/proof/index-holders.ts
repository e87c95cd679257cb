import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Scope } from '../../model/ids.ts';
import { analyze } from '../../search/analyzer.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { scopeTextSections } from '../../search/scope-index-sections.ts';
import { type Sections, sectionArray, sectionJson, sectionsUnder } from '../../search/sections.ts';
import { decodeSnapshot } from '../../search/snapshot.ts';
import { stringsIn } from '../../util/collections.ts';
import { filesIn } from '../../util/files.ts';
import { parseJson } from '../../util/parse-json.ts';
import { type Held, HeldTally, isForgetRecord, type TextHolder } from './text-holder.ts';

export interface SnapshotFile {
  readonly stamp: string;
  readonly sections: Sections;
}

/** Byte offset of the table of a snapshot, after its length (src/search/snapshot.ts). */
const TABLE_AT = 20;
const TABLE_LENGTH_AT = 12;
const stampSchema = z.object({ stamp: z.string() });

/** Reads a snapshot of any commit; null if the file is not a complete snapshot. */
export async function readSnapshotFile(path: string): Promise<SnapshotFile | null> {
  return snapshotOf(await readFile(path).catch(() => null));
}

function snapshotOf(bytes: Uint8Array | null): SnapshotFile | null {
  const file = Buffer.from(bytes ?? []);
  if (file.length < TABLE_AT) return null;
  const table = file.toString('utf8', TABLE_AT, TABLE_AT + file.readUInt32LE(TABLE_LENGTH_AT));
  const json = parseJson(table);
  const head = stampSchema.safeParse(json.ok ? json.value : null);
  return head.success ? decodeSnapshot(file, head.data.stamp).snapshot : null;
}

const commitSchema = z.tuple([
  z.number(),
  z.string(),
  z.number(),
  z.string(),
  z.number(),
  z.number(),
  z.string().nullable(),
  z.number(),
]);

export interface SnapshotCommit {
  readonly databaseId: string;
  readonly scope: string;
  readonly sequence: number;
  readonly token: number;
  /** Model of the vectors in it; null if it holds only words. */
  readonly model: string | null;
  readonly dimension: number;
}

/** Parses a stamp of `IndexCache`; null for another format. */
export function readStamp(stamp: string): SnapshotCommit | null {
  const json = parseJson(stamp);
  const parsed = commitSchema.safeParse(json.ok ? json.value : null);
  if (!parsed.success) return null;
  const [, databaseId, , scope, sequence, token, model, dimension] = parsed.data;
  return { databaseId, scope, sequence, token, model, dimension };
}

const termsSchema = z.object({ terms: z.array(z.string()) });
/** An index of documents, by the numbers of their terms. */
interface Documents {
  readonly where: string;
  readonly terms: readonly string[];
  /** Calls back with each document that holds a term, once for each wanted term. */
  readonly visit: (wanted: ReadonlySet<number>, found: (term: number, document: number) => void) => void;
}

/** The distinct words of each text. */
export function wordsOf(texts: readonly string[]): ReadonlySet<string>[] {
  return texts.map((text) => new Set(analyze(text)));
}

/**
 * Where an index holds the texts: a name that equals a text; a document, or the remains of a removed one, with all
 * words of a text; or a word of a text in the dictionary that no turn contains any more.
 */
export function searchSections(sections: Sections, texts: readonly string[]): readonly Held[] {
  const tally = new HeldTally();
  for (const [name, section] of sections)
    if ('json' in section)
      for (const string of stringsIn(withoutRecords(name, section.json)))
        tally.addFoundIn(string, texts, name);
  const words = wordsOf(texts);
  for (const documents of documentsIn(sections)) searchDocuments(documents, words, tally);
  searchDictionary(sections, words, tally);
  return tally.all();
}

const CORRECTIONS = 'corrections/corrections';
const correctionsSchema = z.object({ corrections: z.array(z.unknown()) });

/** Tombstones have digests and fixed words alone. */
function withoutRecords(name: string, json: unknown): unknown {
  const parsed = name === CORRECTIONS ? correctionsSchema.safeParse(json) : null;
  return parsed?.success ? parsed.data.corrections.filter((row) => !isForgetRecord('correction', row)) : json;
}

function documentsIn(sections: Sections): Documents[] {
  const found = [turnsIn('episodes.conversation/', sections)];
  for (const index of ['facts', 'segments', 'entities.profiles', 'hierarchy.documents'])
    found.push(lexicalIn(`${index}/lexical/`, sections));
  return found.filter((documents) => documents !== null);
}

/** Removed turns keep their terms until the index is rebuilt. */
function turnsIn(prefix: string, all: Sections): Documents | null {
  const sections = sectionsUnder(prefix, all);
  const header = sectionJson(sections, 'conversation', termsSchema);
  const numbers = sectionArray(sections, 'termsOfTurns', Int32Array);
  const firsts = sectionArray(sections, 'firstTerm', Int32Array);
  if (header === null || numbers === null || firsts === null) return null;
  const { terms } = header;
  const visit: Documents['visit'] = (wanted, found) => {
    const isWanted = new Uint8Array(terms.length);
    for (const term of wanted) isWanted[term] = 1;
    for (let turn = 0; turn < firsts.length; turn++)
      for (let at = firsts[turn]!, end = firsts[turn + 1] ?? numbers.length; at < end; at++)
        if (isWanted[numbers[at]!] === 1) found(numbers[at]!, turn);
  };
  return { where: prefix, terms, visit };
}

function lexicalIn(prefix: string, all: Sections): Documents | null {
  const sections = sectionsUnder(prefix, all);
  const header = sectionJson(sections, 'lexical', termsSchema);
  const counts = sectionArray(sections, 'counts', Uint32Array);
  const slots = sectionArray(sections, 'slots', Uint32Array);
  if (header === null || counts === null || slots === null) return null;
  const visit: Documents['visit'] = (wanted, found) => {
    let start = 0;
    for (const [term, count] of counts.entries()) {
      if (wanted.has(term)) for (let at = start; at < start + count; at++) found(term, slots[at]!);
      start += count;
    }
  };
  return { where: prefix, terms: header.terms, visit };
}

function searchDocuments(
  { where, terms, visit }: Documents,
  words: readonly ReadonlySet<string>[],
  tally: HeldTally,
): void {
  const textsWith = groupedByWord(words);
  const numbers = new Map<number, readonly number[]>();
  for (const [number, term] of terms.entries()) {
    const texts = textsWith.get(term);
    if (texts !== undefined) numbers.set(number, texts);
  }
  const known = new Set(Array.from(numbers.keys(), (number) => terms[number]!));
  // Of a text with a word that no document holds, nothing is left.
  const isWhole = words.map((set) => set.size > 0 && [...set].every((word) => known.has(word)));
  const wanted = new Set(
    [...numbers].flatMap(([number, texts]) => (texts.some((text) => isWhole[text]) ? [number] : [])),
  );
  const documentsWith = new Map<number, number[]>(Array.from(wanted, (term) => [term, []]));
  visit(wanted, (term, document) => documentsWith.get(term)!.push(document));
  const termsOf = new Map<number, number[]>();
  for (const term of wanted)
    for (const text of numbers.get(term)!)
      if (isWhole[text]) termsOf.set(text, [...(termsOf.get(text) ?? []), term]);
  for (const [text, its] of termsOf) {
    const [rarest, ...others] = its
      .map((term) => documentsWith.get(term)!)
      .sort((one, other) => one.length - other.length);
    let left = new Set(rarest);
    for (const documents of others) {
      if (left.size === 0) break;
      left = new Set(documents.filter((document) => left.has(document)));
    }
    for (const _ of left) tally.add(text, where);
  }
}

function groupedByWord(words: readonly ReadonlySet<string>[]): ReadonlyMap<string, readonly number[]> {
  const texts = new Map<string, number[]>();
  for (const [text, set] of words.entries())
    for (const word of set) {
      const known = texts.get(word);
      if (known === undefined) texts.set(word, [text]);
      else known.push(text);
    }
  return texts;
}

function searchDictionary(all: Sections, words: readonly ReadonlySet<string>[], tally: HeldTally): void {
  const prefix = 'episodes.conversation/';
  const sections = sectionsUnder(prefix, all);
  const header = sectionJson(sections, 'conversation', termsSchema);
  const frequencies = sectionArray(sections, 'frequencies', Int32Array);
  if (header === null || frequencies === null) return;
  for (const [number, term] of header.terms.entries())
    if (frequencies[number] === 0)
      for (const [text, set] of words.entries())
        if (set.has(term)) tally.add(text, `${prefix}words of removed turns`);
}

/** The search indexes in memory; `loaded` returns the ones loaded at the time of the scan. */
export function indexHolder(loaded: () => Iterable<ScopeIndex>): TextHolder {
  return {
    name: 'search indexes',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      for (const index of loaded()) {
        signal?.throwIfAborted();
        tally.addAll(searchSections(scopeTextSections(index), texts));
      }
      return tally.all();
    },
  };
}

/** Every file in the snapshot folder, of any commit, including partial writes. */
export function snapshotHolder(folder: string): TextHolder {
  return {
    name: 'index snapshots',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      for (const name of await filesIn(folder)) {
        signal?.throwIfAborted();
        const bytes = await readFile(join(folder, name)).catch(() => Buffer.alloc(0));
        searchSnapshot(bytes, texts, tally);
      }
      return tally.all();
    },
  };
}

/** The index snapshots that a database of several processes keeps. */
export function sharedSnapshotHolder(
  scopes: () => Promise<readonly Scope[]>,
  read: (scope: Scope) => Promise<Uint8Array | null>,
): TextHolder {
  return {
    name: 'index snapshots',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      for (const scope of await scopes()) {
        signal?.throwIfAborted();
        const bytes = await read(scope);
        if (bytes !== null) searchSnapshot(Buffer.from(bytes), texts, tally);
      }
      return tally.all();
    },
  };
}

function searchSnapshot(bytes: Buffer, texts: readonly string[], tally: HeldTally): void {
  const snapshot = snapshotOf(bytes);
  if (snapshot !== null) tally.addAll(searchSections(snapshot.sections, texts));
  else searchFragment(bytes, texts, tally);
}

/** For bytes that are not a readable snapshot: whether all words of a text occur in them, as in a dictionary. */
function searchFragment(bytes: Buffer, texts: readonly string[], tally: HeldTally): void {
  for (const [text, words] of wordsOf(texts).entries()) {
    const quoted = [...words].map((word) => JSON.stringify(word));
    if (quoted.length > 0 && quoted.every((word) => bytes.includes(word)))
      tally.add(text, 'a broken snapshot');
  }
}
