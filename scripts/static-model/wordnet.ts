import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type PartOfSpeech = 'noun' | 'verb' | 'adj' | 'adv';

/** A relation of a synset to another, by WordNet's sign: `@` hypernym, `@i` instance of, `~` hyponym, … */
export interface Pointer {
  readonly sign: string;
  readonly target: string;
}

export interface Synset {
  /** Part of speech and offset: unique. */
  readonly id: string;
  readonly partOfSpeech: PartOfSpeech;
  /** Number of the lexicographers' file, which is a rough topic (lexnames(5WN)): 5 animals, 13 food, … */
  readonly topic: number;
  /** As written, with spaces. */
  readonly lemmas: readonly Lemma[];
  readonly pointers: readonly Pointer[];
  readonly definitions: readonly string[];
  readonly examples: readonly string[];
}

export interface Lemma {
  readonly text: string;
  /** 1 for the most frequent meaning of the word. */
  readonly sense: number;
  /** How often the word was tagged with this meaning in the texts that WordNet's authors read. */
  readonly tagged: number;
}

export interface WordNet {
  readonly synsets: readonly Synset[];
  /** Copyright and permission from the files. */
  readonly licence: string;
}

const PARTS: readonly PartOfSpeech[] = ['noun', 'verb', 'adj', 'adv'];
/** Letters of pointers and numbers of senses; satellites (`s`, 5) are adjectives. */
const PART_OF_LETTER: Readonly<Record<string, PartOfSpeech>> = {
  n: 'noun',
  v: 'verb',
  a: 'adj',
  s: 'adj',
  r: 'adv',
};
const PART_OF_NUMBER: readonly (PartOfSpeech | undefined)[] = [
  undefined,
  'noun',
  'verb',
  'adj',
  'adv',
  'adj',
];
const DATA_LINE = /^\d{8} /;
/** The marker of an adjective's position relative to its noun: "galore(ip)". */
const SYNTACTIC_MARKER = /\((?:a|p|ip)\)$/;

/** Reads a folder of WordNet's database files (`data.*`, `index.sense`; formats: wndb(5WN), senseidx(5WN)). */
export function readWordNet(folder: string): WordNet {
  const senses = readSenses(readFileSync(join(folder, 'index.sense'), 'utf8'));
  const synsets: Synset[] = [];
  let licence = '';
  for (const part of PARTS) {
    const lines = readFileSync(join(folder, `data.${part}`), 'utf8').split('\n');
    licence ||= licenceOf(lines);
    for (const line of lines) if (DATA_LINE.test(line)) synsets.push(readSynset(line, part, senses));
  }
  return { synsets, licence };
}

/** The header's numbered lines without their numbers. */
function licenceOf(lines: readonly string[]): string {
  const end = lines.findIndex((line) => DATA_LINE.test(line));
  const header = lines.slice(0, end).map((line) => line.replace(/^ +\d+ ?/, '').trimEnd());
  return `${header.join('\n').trim()}\n`;
}

function senseKey(id: string, lemma: string): string {
  return `${id} ${lemma.toLowerCase()}`;
}

function readSenses(text: string): ReadonlyMap<string, { sense: number; tagged: number }> {
  const senses = new Map<string, { sense: number; tagged: number }>();
  for (const line of text.split('\n')) {
    const [key, offset, sense, tagged] = line.split(' ');
    if (key === undefined || offset === undefined) continue;
    const [lemma, rest] = key.split('%');
    const part = PART_OF_NUMBER[Number(rest?.[0])];
    if (lemma && part) {
      const value = { sense: Number(sense), tagged: Number(tagged) };
      senses.set(senseKey(`${part}${offset}`, lemma.replaceAll('_', ' ')), value);
    }
  }
  return senses;
}

function readSynset(
  line: string,
  partOfSpeech: PartOfSpeech,
  senses: ReadonlyMap<string, { sense: number; tagged: number }>,
): Synset {
  const bar = line.indexOf('|');
  const fields = line.slice(0, bar).trim().split(' ');
  const id = `${partOfSpeech}${fields[0]}`;
  const lemmaCount = Number.parseInt(fields[3]!, 16);
  const lemmas = Array.from({ length: lemmaCount }, (_, position) => {
    const text = fields[4 + 2 * position]!.replace(SYNTACTIC_MARKER, '').replaceAll('_', ' ');
    return { text, ...(senses.get(senseKey(id, text)) ?? { sense: 1, tagged: 0 }) };
  });
  const first = 4 + 2 * lemmaCount;
  const pointers = Array.from({ length: Number(fields[first]) }, (_, position) => {
    const at = first + 1 + 4 * position;
    return { sign: fields[at]!, target: `${PART_OF_LETTER[fields[at + 2]!]}${fields[at + 1]}` };
  });
  const gloss = line
    .slice(bar + 1)
    .split(';')
    .map((text) => text.trim());
  return {
    id,
    partOfSpeech,
    topic: Number(fields[1]),
    lemmas,
    pointers,
    definitions: gloss.filter((text) => !text.startsWith('"')),
    examples: gloss.filter((text) => text.startsWith('"')),
  };
}
