import type { Milliseconds } from '../../model/ids.ts';
import type { EntityKind } from '../extract/extractor.ts';
import { entityKey } from '../extract/local/entity-key.ts';
import { GRADING, OPENERS, VAGUE_NOUNS, VAGUE_VERBS } from '../extract/local/words.ts';
import { MAX_SUMMARY_LENGTH } from './defaults.ts';

export interface EntityToSummarize {
  readonly name: string;
  readonly kind: EntityKind;
  readonly facts: readonly { readonly statement: string; readonly validAt: Milliseconds }[];
  /** Number of turns that mention it. */
  readonly mentions: number;
}
export interface ProfileSummary {
  /** At most `MAX_SUMMARY_LENGTH` characters. */
  readonly summary: string;
  /** Its kind. */
  readonly tags: readonly string[];
}

/** If there are more facts, only this many of the newest are considered. */
const MAX_FACTS = 200;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'-]*/gu;

/**
 * Writes an entity's profile without a model: its statements with the most new words (Mnemis §2.1), newest
 * first. Among equal statements the newer one wins.
 */
export function summarizeEntity({ name, kind, facts, mentions }: EntityToSummarize): ProfileSummary {
  const newest = facts
    .toSorted((a, b) => b.validAt - a.validAt || compare(a.statement, b.statement))
    .slice(0, MAX_FACTS);
  const texts = [...new Set(newest.map(({ statement }) => statement.trim()))].filter((text) => text !== '');
  const statements = texts.map((text): ReadStatement => ({ text, words: new Set(contentWords(text)) }));
  const summary = chooseStatements(statements, name).map(ended).join(' ');
  const without = `${name} (${kind}), mentioned ${mentions === 1 ? 'once' : `${mentions} times`}.`;
  return { summary: (summary || without).slice(0, MAX_SUMMARY_LENGTH), tags: [kind] };
}

const COUNT_ALONE = / \([a-z]+\), mentioned (?:once|\d+ times)\.$/;

/**
 * Whether a summary has no statement, but only a name and a number of mentions. Such a summary does not identify an
 * entity: two uncles may share it.
 */
export function isWithoutStatements({
  name,
  summary,
}: {
  readonly name: string;
  readonly summary: string;
}): boolean {
  return summary.startsWith(name) && COUNT_ALONE.test(summary.slice(name.length));
}

/** A statement and its content words, each once. */
interface ReadStatement {
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

/**
 * Repeatedly takes the statement with the most new words until the length limit is reached; keeps the order, newest
 * first.
 */
function chooseStatements(statements: readonly ReadStatement[], name: string): string[] {
  const [said, chosen] = [new Set(contentWords(name)), new Set<ReadStatement>()];
  let room = MAX_SUMMARY_LENGTH;
  for (;;) {
    const next = best(
      statements.filter((each) => !chosen.has(each) && ended(each.text).length < room),
      said,
    );
    if (next === null) return statements.filter((each) => chosen.has(each)).map(({ text }) => text);
    chosen.add(next);
    for (const word of next.words) said.add(word);
    room -= ended(next.text).length + 1;
  }
}

/** Weighs per character, so that one long statement does not displace two short ones. */
function best(statements: readonly ReadStatement[], said: ReadonlySet<string>): ReadStatement | null {
  let [found, most]: [ReadStatement | null, number] = [null, 0];
  for (const each of statements) {
    let fresh = 0;
    for (const word of each.words) if (!said.has(word)) fresh++;
    const score = fresh / Math.sqrt(each.text.length + 20);
    if (fresh > 0 && score > most) [found, most] = [each, score];
  }
  return found;
}

function contentWords(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) => entityKey(word)).filter(isContent);
}

function isContent(word: string): boolean {
  if (word.length < 4 || /\d/.test(word)) return false;
  return !WITHOUT_CONTENT.has(word);
}

const COMMON: ReadonlySet<string> = new Set(
  'that this with have been from they them their also just very more like really january february march april june july august september october november december week yesterday going went being which'.split(
    ' ',
  ),
);

const WITHOUT_CONTENT: ReadonlySet<string> = new Set(
  [OPENERS, VAGUE_NOUNS, VAGUE_VERBS, GRADING, COMMON].flatMap((words) => [...words]),
);

function ended(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Compares by code unit, because a locale's order depends on the machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
