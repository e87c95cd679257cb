import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { analyze } from '../../search/analyzer.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { scopeIndexSections } from '../../search/scope-index-sections.ts';
import { type Sections, sectionArray, sectionJson, sectionsUnder } from '../../search/sections.ts';
import { decodeSnapshot } from '../../search/snapshot.ts';
import { stringsIn } from '../../util/collections.ts';
import { filesIn } from '../../util/files.ts';
import { parseJson } from '../../util/parse-json.ts';
import { type Held, HeldTally, type TextHolder } from './text-holder.ts';

export interface SnapshotFile {
  readonly stamp: string;
  readonly sections: Sections;
}

/** Where the table of a snapshot begins, and where its length stands (src/search/snapshot-format.ts). */
const TABLE_AT = 20;
const TABLE_LENGTH_AT = 12;
const stampSchema = z.object({ stamp: z.string() });

/** A snapshot of whatever commit; null for what is no whole snapshot. */
export async function readSnapshotFile(path: string): Promise<SnapshotFile | null> {
  const file = await readFile(path).catch(() => null);
  if (file === null || file.length < TABLE_AT) return null;
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
  /** Whose vectors it holds; null for words alone. */
  readonly model: string | null;
  readonly dimension: number;
}

/** What a stamp of `IndexKeeper` says; null for another form. */
export function readStamp(stamp: string): SnapshotCommit | null {
  const json = parseJson(stamp);
  const parsed = commitSchema.safeParse(json.ok ? json.value : null);
  if (!parsed.success) return null;
  const [, databaseId, , scope, sequence, token, model, dimension] = parsed.data;
  return { databaseId, scope, sequence, token, model, dimension };
}

const termsSchema = z.object({ terms: z.array(z.string()) });
/** A list of documents: of each, the numbers of its terms. */
interface Documents {
  readonly where: string;
  readonly terms: readonly string[];
  readonly numbers: Iterable<Iterable<number>>;
}

/** The words of each text, once each. */
export function wordsOf(texts: readonly string[]): ReadonlySet<string>[] {
  return texts.map((text) => new Set(analyze(text)));
}

/**
 * What an index holds of texts: names as they are; a document, or what is left of a removed one, that has all words of
 * a text; and words of a text that stand in the dictionary although no turn says them any more.
 */
export function searchSections(sections: Sections, texts: readonly string[]): readonly Held[] {
  const tally = new HeldTally();
  for (const [name, section] of sections)
    if ('json' in section)
      for (const string of stringsIn(section.json)) tally.addFoundIn(string, texts, name);
  const words = wordsOf(texts);
  for (const documents of documentsIn(sections)) searchDocuments(documents, words, tally);
  searchDictionary(sections, words, tally);
  return tally.all();
}

function documentsIn(sections: Sections): Documents[] {
  const found = [turnsIn('episodes.conversation/', sections)];
  for (const index of ['facts', 'segments', 'entities.profiles', 'hierarchy.documents'])
    found.push(lexicalIn(`${index}/lexical/`, sections));
  return found.filter((documents) => documents !== null);
}

/** Turns keep their terms when they are removed, until the index is made anew. */
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

/** The search indexes that are in memory; `loaded` gives those of the moment. */
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

/** Every file in the folder of snapshots, of whatever commit, and what broken-off writes left there. */
export function snapshotHolder(folder: string): TextHolder {
  return {
    name: 'index snapshots',
    async holds(texts, { signal } = {}) {
      const tally = new HeldTally();
      for (const name of await filesIn(folder)) {
        signal?.throwIfAborted();
        const path = join(folder, name);
        const file = await readSnapshotFile(path);
        if (file !== null) tally.addAll(searchSections(file.sections, texts));
        else await searchFragment(path, texts, tally);
      }
      return tally.all();
    },
  };
}

/** Of a file that cannot be read as a snapshot: whether all words of a text stand in it, as they do in a dictionary. */
async function searchFragment(path: string, texts: readonly string[], tally: HeldTally): Promise<void> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  for (const [text, words] of wordsOf(texts).entries()) {
    const quoted = [...words].map((word) => JSON.stringify(word));
    if (quoted.length > 0 && quoted.every((word) => bytes.includes(word)))
      tally.add(text, 'a broken snapshot');
  }
}
