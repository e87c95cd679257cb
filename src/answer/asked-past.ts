import type { Milliseconds } from '../model/ids.ts';
import type { SearchResult } from '../model/retrieved-item.ts';
import { analyze } from '../search/analyzer.ts';
import { hasEnded } from '../util/validity.ts';

/** Words that ask about the past. "Last" and dates are excluded: they can refer to the present. */
const PAST_WORDS =
  'before previously previous formerly former earlier once originally ex anymore ago used until prior';
const PAST =
  /\b(?:before|prior to|previous(?:ly)?|former(?:ly)?|earlier|originally|used? to|back then|at (?:that|the) time|in the past|ago|until)\b/i;
/** "Did", "was" and "had" can ask about facts that have ended; "has been" and "have" do not. */
const PAST_TENSE = /\b(?:did|didn['’]t|was|wasn['’]t|were|weren['’]t|had|hadn['’]t)\b/i;
const ANCHOR = /\b(?:before|prior to)\s+(.+)$/i;

/** They refer to the past without a topic, so a quote need not contain them. */
const WORDS_OF_PAST: readonly string[] = PAST_WORDS.split(' ');

/** Whether a question asks about facts that have ended, by its words rather than its tense. */
export function asksAboutEnded(question: string): boolean {
  return PAST.test(question);
}

/** Whether facts that have ended may answer a question: "Where did Nora live before Ghent?" */
export function asksAboutPast(question: string): boolean {
  return PAST.test(question) || PAST_TENSE.test(question);
}

/** The object of "before" in a question: "Ghent"; null without "before". */
export function askedBefore(question: string): string | null {
  return ANCHOR.exec(question)?.[1] ?? null;
}

/** A word of the past without an object: "What was it before?" */
const ENDS_WITH_PAST = /(?<![\p{L}])(?:before|previously|formerly|earlier|originally)[\s?!.]*$/iu;

const PAST_TERMS: ReadonlySet<string> = new Set(WORDS_OF_PAST.flatMap((word) => analyze(word)));

/** How a question refers to the past; it does not if no fact of the search has ended. */
export interface AskedPast {
  readonly isMeant: boolean;
  /** Terms that refer to a time, not to the topic. */
  readonly withoutTopic: ReadonlySet<string>;
  /** "Before Ghent": a text about Ghent is about the time after, unless it contains "before" too. */
  readonly isAfter: (text: string) => boolean;
}

export function readPast(
  { query, facts }: Pick<SearchResult, 'query' | 'facts'>,
  { isSpeaker, at }: { readonly isSpeaker: (term: string) => boolean; readonly at: Milliseconds },
): AskedPast {
  const isMeant = asksAboutEnded(query) && facts.some((fact) => hasEnded(fact.invalidAt, at));
  const anchor = (isMeant ? analyze(askedBefore(query) ?? '') : []).filter((term) => !isSpeaker(term));
  return {
    isMeant,
    withoutTopic: new Set(
      isMeant ? [...anchor, ...PAST_TERMS] : ENDS_WITH_PAST.test(query) ? PAST_TERMS : [],
    ),
    isAfter: (text) => {
      const words = new Set(analyze(text));
      return anchor.some((term) => words.has(term)) && ![...PAST_TERMS].some((term) => words.has(term));
    },
  };
}
