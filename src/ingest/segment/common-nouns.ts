import { analyze } from '../../search/analyzer.ts';
import { isTelling, type ReadSegment, WORD } from './read-segment.ts';

export interface NounOptions {
  readonly in: 'text' | 'captions';
  readonly fewestTurns: number;
}

const SHORTEST = 4;
const ADVERB = /ly$/;
const LEADS =
  '\\b(?:an?|the|my|your|our|his|her|their|this|that|these|those|some|any|of|for|in|on|about|with|at|from)\\s+';
/** A determiner or preposition, perhaps an adjective. */
const BEFORE_NOUN = new RegExp(`${LEADS}(?:[\\p{Ll}-]+\\s+)?$`, 'iu');
/** After an adjective's place these are verbs: "a man holding", "my mind focused". */
const VERB_FORM = /(?:ing|ed)$/;
const BEFORE_VERB_FORM = new RegExp(`${LEADS}$`, 'iu');
/** The phrase ends here. */
const AFTER_NOUN =
  /^(?:'s\b|\s*(?:$|[.,;:!?)"\n-])|\s+(?:and|are|as|at|but|by|for|from|has|in|is|of|on|or|so|to|was|were|when|which|who|will|with)\b)/i;
const AROUND = 24;

/**
 * Index terms of the nouns that so many turns use, and the plainest word for each. Without a tagger: a word is taken
 * for a noun if it stands as one at least once. There it does not open a sentence, so that a capital is its own.
 */
export function commonNouns(
  { read, spread, speakers }: ReadSegment,
  { in: part, fewestTurns }: NounOptions,
): Map<string, string> {
  const words = new Map<string, string>();
  for (const { [part]: text } of read) {
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (word.length < SHORTEST || ADVERB.test(word) || !isTelling(word, speakers.called)) continue;
      const [term, ...more] = analyze(word);
      if (term === undefined || more.length > 0 || (spread.get(term) ?? 0) < fewestTurns) continue;
      if (isNoun(text, index, word)) words.set(term, plainest(words.get(term), word));
    }
  }
  return words;
}

function isNoun(text: string, at: number, word: string): boolean {
  const before = text.slice(Math.max(0, at - AROUND), at);
  const end = at + word.length;
  const follows = (VERB_FORM.test(word) ? BEFORE_VERB_FORM : BEFORE_NOUN).test(before);
  return follows && AFTER_NOUN.test(text.slice(end, end + AROUND));
}

/** "Turtle" rather than "turtles". */
function plainest(known: string | undefined, word: string): string {
  return known === undefined || word.length < known.length ? word : known;
}
