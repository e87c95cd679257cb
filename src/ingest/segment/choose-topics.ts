import { analyze } from '../../search/analyzer.ts';
import { isFiller } from '../gate/courtesies.ts';
import { GRADING } from '../local/words.ts';
import { commonNouns, type NounOptions } from './common-nouns.ts';
import { type ReadSegment, tellingTerms } from './read-segment.ts';
import { isTalkedAbout } from './talked-about.ts';

/** A phrase for one of the things that a segment is about. */
export interface Topic {
  readonly phrase: string;
  /** Index terms of its telling words. */
  readonly terms: readonly string[];
  readonly weight: number;
}

/** A longer one, such as a quoted title, is no keyword. */
const LONGEST_PHRASE = 60;
const NAME = /^\p{Lu}/u;
/** A name says more than a word, a phrase more than a word, and what facts speak of more than what is mentioned. */
const FACTOR = { name: 1.5, phrase: 1.4, told: 1.5, word: 0.7 };

/**
 * What a segment is about, most important first: names and noun phrases of its extraction and nouns that come up
 * again, weighted by the turns in which they do. A phrase that shares a word with a weightier one is left out. Few
 * turns have few topics: at most three and one more for two turns.
 */
export function chooseTopics(segment: ReadSegment, most: number): Topic[] {
  const count = Math.min(most, 3 + Math.ceil(segment.turns.length / 2));
  const sources = [
    () => [...entityTopics(segment), ...wordTopics(segment, { in: 'text', fewestTurns: 2 })],
    () => wordTopics(segment, { in: 'text', fewestTurns: 1 }),
    () => wordTopics(segment, { in: 'captions', fewestTurns: 1 }),
  ];
  for (const source of sources) {
    const topics = distinct(source(), count);
    if (topics.length > 0) return topics;
  }
  return [];
}

function distinct(candidates: readonly Topic[], count: number): Topic[] {
  const [topics, said]: [Topic[], Set<string>] = [[], new Set()];
  for (const topic of candidates.toSorted(byWeight)) {
    if (topics.length === count) break;
    if (topic.terms.some((term) => said.has(term))) continue;
    topics.push(topic);
    for (const term of topic.terms) said.add(term);
  }
  return topics;
}

function entityTopics(segment: ReadSegment): Topic[] {
  const { extraction, speakers } = segment;
  const told = new Set(extraction.facts.flatMap(({ participants }) => participants));
  return extraction.entities.flatMap(({ name: whole, kind }) => {
    const speaker = speakers.called(whole);
    if (kind === 'date' || (speaker !== null && !isTalkedAbout(speaker, segment))) return [];
    const name = withoutLead(whole);
    const terms = speaker === null ? tellingTerms(name, speakers) : analyze(name);
    if (terms.length === 0 || name.length > LONGEST_PHRASE || !hasTellingHead(name)) return [];
    const factor =
      (NAME.test(name) ? FACTOR.name : 1) *
      (terms.length > 1 ? FACTOR.phrase : 1) *
      (told.has(whole) ? FACTOR.told : 1);
    return [{ phrase: name, terms, weight: spreadOf(terms, segment) * factor }];
  });
}

/** "Taking lessons" is lessons, a "big tournament" a tournament. */
function withoutLead(name: string): string {
  const [first, ...rest] = name.split(' ');
  const isLead =
    rest.length > 0 && (GRADING.has(first!) || (first!.endsWith('ing') && isFiller(first!, false)));
  return isLead ? withoutLead(rest.join(' ')) : name;
}

/** "Chill pic" is a picture; "Best Picture" is a name. */
function hasTellingHead(name: string): boolean {
  return NAME.test(name) || !isFiller(name.slice(name.lastIndexOf(' ') + 1), false);
}

/** Half for the turns that have all of the phrase's words, half for its single words. */
function spreadOf(terms: readonly string[], { read, spread }: ReadSegment): number {
  const whole = read.filter((turn) => terms.every((term) => turn.terms.has(term))).length;
  const single = terms.reduce((sum, term) => sum + (spread.get(term) ?? 0), 0) / terms.length;
  return (whole + single) / 2;
}

function wordTopics(segment: ReadSegment, options: NounOptions): Topic[] {
  return [...commonNouns(segment, options)].map(([term, phrase]) => ({
    phrase,
    terms: [term],
    weight: segment.spread.get(term)! * FACTOR.word,
  }));
}

/** Equal weights by code unit: the same on every machine, unlike a locale's order. */
function byWeight(a: Topic, b: Topic): number {
  return b.weight - a.weight || (a.phrase < b.phrase ? -1 : a.phrase > b.phrase ? 1 : 0);
}
