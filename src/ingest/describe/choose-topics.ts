import { analyze } from '../../search/analyzer.ts';
import { STOP_WORDS } from '../../search/english.ts';
import { cleanText } from '../extract/local/clean-text.ts';
import { readSpeakers, type Speakers, speakerName } from '../extract/local/speakers.ts';
import { GRADING } from '../extract/local/words.ts';
import { isFiller } from '../extract/local-gate.ts';
import type { SegmentToSummarize } from './summarizer.ts';

interface SegmentTurn {
  readonly speaker: string;
  /** The cleaned text. */
  readonly text: string;
  /** Descriptions of its attachments. */
  readonly captions: string;
  /** Index terms of text and captions. */
  readonly terms: ReadonlySet<string>;
}

/** A segment with the data for its topics and its summary. */
export interface ReadSegment extends SegmentToSummarize {
  readonly speakers: Speakers;
  readonly read: readonly SegmentTurn[];
  /** Number of turns with each index term. */
  readonly spread: ReadonlyMap<string, number>;
}

const WORD = /\p{L}[\p{L}\p{M}\p{N}]*(?:['-][\p{L}\p{N}]+)*/gu;

export function readSegment(segment: SegmentToSummarize): ReadSegment {
  const read = segment.turns.map((turn) => {
    const text = cleanText(turn.content);
    const captions = cleanText(turn.attachments.map(({ description }) => description).join('\n'));
    return { speaker: speakerName(turn), text, captions, terms: new Set(analyze(`${text}\n${captions}`)) };
  });
  const spread = new Map<string, number>();
  for (const { terms } of read) for (const term of terms) spread.set(term, (spread.get(term) ?? 0) + 1);
  return { ...segment, speakers: readSpeakers(segment.turns), read, spread };
}

/** The content terms of a phrase, without the speakers' names. */
export function contentTerms(phrase: string, { called }: Speakers): string[] {
  const words = (phrase.match(WORD) ?? []).filter((word) => isContentWord(word, called));
  return [...new Set(words.flatMap(analyze))];
}

function isContentWord(word: string, called: Speakers['called']): boolean {
  if (isFiller(word.toLowerCase(), false)) return false;
  return !/^\p{Lu}/u.test(word) || called(word.replace(/'s?$/, '')) === null;
}

interface NounOptions {
  readonly in: 'text' | 'captions';
  readonly fewestTurns: number;
}

const SHORTEST = 4;
const ADVERB = /ly$/;
const LEADS =
  '\\b(?:[Aa]n?|[Tt]he|[Mm]y|[Yy]our|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Tt]his|[Tt]hat|[Tt]hese|[Tt]hose|[Ss]ome|[Aa]ny|[Oo]f|[Ff]or|[Ii]n|[Oo]n|[Aa]bout|[Ww]ith|[Aa]t|[Ff]rom)\\s+';
/** A determiner or preposition, optionally with an adjective. */
const BEFORE_NOUN = new RegExp(`${LEADS}(?:[\\p{Ll}-]+\\s+)?$`, 'u');
/** In the place after an adjective, words with these endings are verbs: "a man holding", "my mind focused". */
const VERB_FORM = /(?:ing|ed)$/;
const BEFORE_VERB_FORM = new RegExp(`${LEADS}$`, 'u');
/** What follows the end of a noun phrase. */
const AFTER_NOUN =
  /^(?:'s\b|\s*(?:$|[.,;:!?)"\n-])|\s+(?:and|are|as|at|but|by|for|from|has|in|is|of|on|or|so|to|was|were|when|which|who|will|with)\b)/i;
const NOUN_WINDOW = 24;

/**
 * Index terms of the nouns that at least this many turns use, with the plainest word for each. Works without a
 * tagger: a word counts as a noun if it is in a noun's position at least once. That position is never the start of a
 * sentence, so a capital there belongs to the word.
 */
function commonNouns(
  { read, spread, speakers }: ReadSegment,
  { in: part, fewestTurns }: NounOptions,
): Map<string, string> {
  const words = new Map<string, string>();
  for (const { [part]: text } of read) {
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (word.length < SHORTEST || ADVERB.test(word) || !isContentWord(word, speakers.called)) continue;
      const [term, ...more] = analyze(word);
      if (term === undefined || more.length > 0 || (spread.get(term) ?? 0) < fewestTurns) continue;
      if (isNoun(text, index, word)) words.set(term, plainest(words.get(term), word));
    }
  }
  return words;
}

function isNoun(text: string, at: number, word: string): boolean {
  const before = text.slice(Math.max(0, at - NOUN_WINDOW), at);
  const end = at + word.length;
  const follows = (VERB_FORM.test(word) ? BEFORE_VERB_FORM : BEFORE_NOUN).test(before);
  return follows && AFTER_NOUN.test(text.slice(end, end + NOUN_WINDOW));
}

/** Prefers "turtle" to "turtles". */
function plainest(known: string | undefined, word: string): string {
  return known === undefined || word.length < known.length ? word : known;
}

/** After these words a name is part of the sentence, not an address. */
const BEFORE_NAME =
  /\b(?:about|and|asked|by|for|from|invited|met|of|or|saw|see|than|that|to|told|visit|visited|with)\s+$/i;
/** After a name, these show that it is part of the sentence: "Ann's birthday", "Ann got married", "Ann is here". */
const AFTER_NAME =
  /^(?:'s\b|\s+(?:and|also|always|can|could|did|does|got|had|has|is|just|made|said|says|told|took|wants|was|went|will|would|[a-z]{3,}ed)\b)/;

/**
 * Whether another speaker talks about this one. Between two speakers a name addresses the listener, so it never
 * counts. Among more, a name that only addresses somebody ("Thanks, Ann!") does not count either.
 */
function isTalkedAbout(speaker: string, { speakers, read }: ReadSegment): boolean {
  if (speakers.names.length < 3) return false;
  return read.some((turn) => turn.speaker !== speaker && namesInPassing(turn.text, speaker, speakers.called));
}

function namesInPassing(text: string, speaker: string, called: (word: string) => string | null): boolean {
  for (const match of text.matchAll(/\p{Lu}[\p{L}\p{M}]*/gu)) {
    if (called(match[0]) !== speaker) continue;
    const [before, after] = [
      text.slice(Math.max(0, match.index - 12), match.index),
      match.index + match[0].length,
    ];
    if (BEFORE_NAME.test(before) || AFTER_NAME.test(text.slice(after, after + 12))) return true;
  }
  return false;
}

/** A phrase for one of the topics of a segment. */
interface Topic {
  readonly phrase: string;
  /** Index terms of its content words. */
  readonly terms: readonly string[];
  readonly weight: number;
}

/** A longer phrase, such as a quoted title, is not used as a keyword. */
const LONGEST_PHRASE = 60;
const NAME = /^\p{Lu}/u;
/**
 * Weights: a name counts more than a word, a phrase more than a word, and participants of facts more than mere
 * mentions.
 */
const FACTOR = { name: 1.5, phrase: 1.4, inFact: 1.5, word: 0.7 };

/**
 * The topics of a segment, most important first: names and noun phrases of its extraction and nouns that occur in
 * several turns, weighted by the number of these turns. A phrase that shares a word with a phrase of greater weight
 * is omitted. A segment of few turns has at most three topics plus one for each two turns.
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
  const inFacts = new Set(extraction.facts.flatMap(({ participants }) => participants));
  return extraction.entities.flatMap(({ name: whole, kind }) => {
    const speaker = speakers.called(whole);
    if (kind === 'date' || (speaker !== null && !isTalkedAbout(speaker, segment))) return [];
    const name = withoutLead(whole);
    const terms = speaker === null ? contentTerms(name, speakers) : analyze(name);
    if (terms.length === 0 || name.length > LONGEST_PHRASE || !hasContentHead(name)) return [];
    const factor =
      (NAME.test(name) ? FACTOR.name : 1) *
      (terms.length > 1 ? FACTOR.phrase : 1) *
      (inFacts.has(whole) ? FACTOR.inFact : 1);
    return [{ phrase: name, terms, weight: spreadOf(terms, segment) * factor }];
  });
}

/** "Taking lessons" becomes "lessons", "big tournament" becomes "tournament". */
function withoutLead(name: string): string {
  const [first, ...rest] = name.split(' ');
  const isLead =
    rest.length > 0 && (GRADING.has(first!) || (first!.endsWith('ing') && isFiller(first!, false)));
  return isLead ? withoutLead(rest.join(' ')) : name;
}

/** Whether the last word has content. "Chill pic" names only a picture; "Best Picture" is a name. */
function hasContentHead(name: string): boolean {
  return NAME.test(name) || !isFiller(name.slice(name.lastIndexOf(' ') + 1), false);
}

/** Half the weight for turns that have all words of the phrase, half for turns that have single words of it. */
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

/** Breaks ties by code unit, because a locale's order depends on the machine. */
function byWeight(a: Topic, b: Topic): number {
  return b.weight - a.weight || (a.phrase < b.phrase ? -1 : a.phrase > b.phrase ? 1 : 0);
}

/** Matches a determiner before a noun, but not the one in "a little moonlight". */
const DETERMINER = /\b([Aa]n?|[Tt]he|[Mm]y)\s+(?!little|bit|lot|few)(?:[\p{Ll}-]+\s+)?$/u;
/** The last word decides whether a phrase is a name: "Harry Potter" is one, "a Harry Potter fan" is not. */
const ENDS_IN_NAME = /(?:^| )\p{Lu}[^ ]*$/u;
/** Acronyms such as "LGBTQ" and "MRI" are spelled out, so that they begin with a vowel sound. */
const SPELLED_VOWEL = /^[AEFHILMNORSX]/;
const VOWEL = /^(?:[aeio]|u(?!ni|s[aeu]))/i;
const NEXT_WORD = /^\s+(\p{L}+)/u;
/** Number of characters that are read before and after a phrase. */
const PHRASE_WINDOW = 40;

/**
 * A topic as it is used in a sentence, with the article or owner of its first use: "my studio" of the speaker Jon
 * becomes "Jon's studio". "You" and "we" may refer to anyone, so they give no owner.
 */
export function topicPhrase(phrase: string, { read, speakers }: ReadSegment): string {
  for (const turn of read) {
    const at = turn.text.toLowerCase().indexOf(phrase.toLowerCase());
    const determiner = at < 0 ? null : determinerAt(turn, { at, end: at + phrase.length }, speakers);
    if (determiner !== null) return withDeterminer(phrase, determiner, turn.speaker);
  }
  return phrase;
}

/** Null where the phrase is part of a longer one that the determiner belongs to: "a chili cook-off". */
function determinerAt(
  { text }: SegmentTurn,
  { at, end }: { at: number; end: number },
  { called }: Speakers,
): string | null {
  const next = NEXT_WORD.exec(text.slice(end, end + PHRASE_WINDOW))?.[1];
  if (next !== undefined && !STOP_WORDS.has(next.toLowerCase()) && isContentWord(next, called)) return null;
  return DETERMINER.exec(text.slice(Math.max(0, at - PHRASE_WINDOW), at))?.[1]?.toLowerCase() ?? null;
}

function withDeterminer(phrase: string, determiner: string, speaker: string): string {
  if (ENDS_IN_NAME.test(phrase) && (determiner !== 'the' || !phrase.includes(' '))) return phrase;
  if (determiner === 'the') return `the ${phrase}`;
  return determiner === 'my' ? `${speaker}'s ${phrase}` : `${soundsOpen(phrase) ? 'an' : 'a'} ${phrase}`;
}

/** Whether the phrase takes "an". */
function soundsOpen(phrase: string): boolean {
  return /^\p{Lu}{2}/u.test(phrase) ? SPELLED_VOWEL.test(phrase) : VOWEL.test(phrase);
}
