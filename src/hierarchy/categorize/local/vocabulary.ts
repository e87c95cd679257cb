import type { NounSense, NounTaxonomy } from '../../../inference/taxonomy/noun-taxonomy.ts';
import { categoryKey } from '../../category-name.ts';
import vocabulary from './vocabulary.json' with { type: 'json' };

/**
 * The categories that people browse by. A line is `Name: meanings = words`; its parent is the last line before it
 * with less indentation. A meaning is a noun of the taxonomy (`#2`: its second sense, `way<artifact`: the first sense
 * that is a kind of artifact). Every kind of it belongs to the category, unless a category further down is nearer.
 * Words after `=` belong to the category regardless of their first sense; those with a capital only as names. A name
 * in parentheses is not shown: what it means is too abstract to browse by ("amount", "way", "case"), so that its
 * entities stay without a category unless a word of theirs gives them one.
 */
export const VOCABULARY_LINES: readonly string[] = vocabulary;

/** A category of the vocabulary; the broadest have no parent. */
export interface Label {
  readonly name: string;
  readonly parent: Label | null;
  /** Whether it is worth a category. */
  readonly isShown: boolean;
  /** The label and those above it, nearest first. */
  readonly lineage: readonly Label[];
}

/** The categories that people browse by, with lookup by name, sense and word. */
export interface Vocabulary {
  readonly labels: readonly Label[];
  named(name: string): Label | undefined;
  /** Labels defined by this sense. */
  anchoredAt(sense: NounSense): readonly Label[];
  /** Labels of a noun whose first sense in the taxonomy is not the one that people mean. */
  ofWord(word: string): readonly Label[];
}

const INDENT = 2;

export function readVocabulary(taxonomy: NounTaxonomy, lines = VOCABULARY_LINES): Vocabulary {
  const labels: Label[] = [];
  const anchors = new Map<NounSense, Label[]>();
  const words = new Map<string, Label[]>();
  const path: Label[] = [];
  for (const line of lines) {
    const [name = '', rest = ''] = line.split(':');
    const depth = name.search(/\S/) / INDENT;
    const label = labelOf(name.trim(), path[depth - 1] ?? null);
    labels.push(label);
    path.splice(depth, path.length, label);
    const [meanings = '', wordList = ''] = rest.split('=');
    for (const meaning of listed(meanings)) append(anchors, senseOf(meaning, taxonomy), label);
    for (const word of listed(wordList)) append(words, word, label);
  }
  const byKey = new Map(labels.map((label) => [categoryKey(label.name), label]));
  return {
    labels,
    named: (name) => byKey.get(categoryKey(name)),
    anchoredAt: (sense) => anchors.get(sense) ?? [],
    ofWord: (word) => words.get(word) ?? [],
  };
}

function labelOf(written: string, parent: Label | null): Label {
  const lineage: Label[] = [];
  const name = written.replace(/^\((.+)\)$/, '$1');
  const label = { name, parent, isShown: name === written, lineage };
  lineage.push(label, ...(parent?.lineage ?? []));
  return label;
}

export function deepestFirst(labels: readonly Label[]): readonly Label[] {
  return [...labels].sort((a, b) => b.lineage.length - a.lineage.length);
}

export function topOf(label: Label): Label {
  return label.lineage.at(-1)!;
}

/** Removes labels that are above another one of the list. */
export function specificOf(labels: readonly Label[]): readonly Label[] {
  const above = new Set(labels.flatMap((label) => label.lineage.slice(1)));
  return [...new Set(labels)].filter((label) => !above.has(label));
}

function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function append<Key>(map: Map<Key, Label[]>, key: Key | undefined, label: Label): void {
  if (key === undefined) return;
  const labels = map.get(key);
  if (labels === undefined) map.set(key, [label]);
  else if (!labels.includes(label)) labels.push(label);
}

/** Parses `way<artifact`, `group#2`, `animal`; undefined if the taxonomy does not have it. */
function senseOf(meaning: string, taxonomy: NounTaxonomy): NounSense | undefined {
  const [, noun = '', number, kind] = /^([^#<]+)(?:#(\d+)|<(.+))?$/.exec(meaning) ?? [];
  const senses = taxonomy.sensesOf(noun);
  if (kind === undefined) return senses[Number(number ?? 1) - 1];
  return senses.find((sense) => isKindOf(sense, kind, taxonomy));
}

function isKindOf(sense: NounSense, kind: string, taxonomy: NounTaxonomy): boolean {
  return taxonomy
    .parentsOf(sense)
    .some((parent) => taxonomy.namesOf(parent).includes(kind) || isKindOf(parent, kind, taxonomy));
}
