import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Scope } from '../../model/ids.ts';
import { analyze } from '../../search/analyzer.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { scopeIndexSections } from '../../search/scope-index-sections.ts';
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
/** A list of documents, each as the numbers of its terms. */
interface Documents {
  readonly where: string;
  readonly terms: readonly string[];
  readonly numbers: Iterable<Iterable<number>>;
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
  const turns = Array.from(firsts, (first, turn) => numbers.subarray(first, firsts[turn + 1]));
  return { where: prefix, terms: header.terms, numbers: turns };
}

function lexicalIn(prefix: string, all: Sections): Documents | null {
  const sections = sectionsUnder(prefix, all);
  const header = sectionJson(sections, 'lexical', termsSchema);
  const counts = sectionArray(sections, 'counts', Uint32Array);
  const slots = sectionArray(sections, 'slots', Uint32Array);
  if (header === null || counts === null || slots === null) return null;
  const documents = new Map<number, number[]>();
  let at = 0;
  for (const [term, count] of counts.entries())
    for (const end = at + count; at < end; at++) {
      const known = documents.get(slots[at]!);
      if (known === undefined) documents.set(slots[at]!, [term]);
      else known.push(term);
    }
  return { where: prefix, terms: header.terms, numbers: documents.values() };
}

function searchDocuments(
  { where, terms, numbers }: Documents,
  words: readonly ReadonlySet<string>[],
  tally: HeldTally,
): void {
  const wanted = new Map<number, number[]>();
  for (const [number, term] of terms.entries()) {
    const texts = words.flatMap((set, text) => (set.has(term) ? [text] : []));
    if (texts.length > 0) wanted.set(number, texts);
  }
  for (const document of numbers) {
    const hits = new Map<number, number>();
    for (const number of new Set(document))
      for (const text of wanted.get(number) ?? []) hits.set(text, (hits.get(text) ?? 0) + 1);
    for (const [text, count] of hits) if (count === words[text]!.size) tally.add(text, where);
  }
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
        tally.addAll(searchSections(scopeIndexSections(index), texts));
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
