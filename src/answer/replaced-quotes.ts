import { analyze } from '../search/analyzer.ts';
import { STOP_WORDS } from '../search/english.ts';
import type { Quote } from './candidate-quotes.ts';

/** What somebody left for something else, or ended: "switched from rooibos to cocoa", "gave up the violin". */
const LEFT =
  /(?<!\p{L})(?:(?:switched|changed|moved|went|swapped|gone)\s(?:over\s)?from|gave up|given up|(?:gave|given|handed in)\s(?:(?:my|his|her|their|\p{L}+['’]s)\s)?notice at|(?:resigned|retired|moved (?:away|out)) (?:from|of)|dropped out of|(?:sold|scrapped)(?=\s(?:my|our|his|her|their|the|\p{L}+['’]s)\s)|(?:quit|stopped)(?!\s(?:at|by|in|on|for|off|over|near|outside|here|there|to|and|when|before|after|once|again|briefly)(?!\p{L}))|(?:is|am|are|['’]m) done with|got rid of|finished with|broke up with|split up with|no longer)\s(?<what>[^.,;!?\n]{2,60})/giu;
/** "I left the bakery in May", but not "I left the party at nine". */
const LEFT_PLACE =
  /(?<!\p{L})left\s(?:(?:my|his|her|their)\s(?:job|position|post)\s(?:at|in|with)\s)?(?!(?:the|my|his|her|their|our|an?)\s(?:house|home|room|building|party|table|bed|door|lights?|keys?|phone|wallet|bag|umbrella|window|kids?|dog|cat|note|message|car|rest|meeting|restaurant|bar|cinema|pub|station|airport|hotel)(?!\p{L}))(?<what>(?:(?:the|my|our|his|her)\s)?(?:(?!(?:behind|at|on|in|for|with|by|near|under|inside|outside|out|off|alone|open|early|late|me|him|her|us|them)(?!\p{L}))[\p{L}\p{N}&’'-]{1,30}\s){0,3}?(?!(?:behind|at|on|in|for|with|by|near|under|inside|outside|out|off|alone|open|early|late|me|him|her|us|them)(?!\p{L}))[\p{L}\p{N}&’'-]{1,30})(?=\s*(?:[.,;!?\n]|$)|\s(?:(?:in|on|since|at the end of)\s(?:the\s)?(?:\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn|winter)|last\s|yesterday|for\s|after\s|because\s|since\s|and\s|to\s))/giu;
/** What is gone: "my scooter was stolen", "Luca is moving out". */
const GONE =
  /(?:^|[.,;!?\n][^\S\n]*)(?<what>[^.,;!?\n]{2,60}?)\s(?:(?:was|were|is|has been|got|been)\s(?:stolen|sold|scrapped|cancelled|called off|closed down)|(?:has )?(?:died|passed away|moved (?:out|away))|is moving (?:out|away)|broke (?:down|up) for good)(?!\p{L})/giu;
/** Before these words in the same clause nothing was left: "I have not switched", "if I quit", "I want to quit". */
const NOT_LEFT =
  /(?<!\p{L})(?:not|never|almost|nearly|hardly|if|would|could|might|may|will|should|(?<!had )to)(?!\p{L})|n['’]t(?!\p{L})|['’](?:ll|d)(?!\p{L})/iu;
/** In characters. */
const LONGEST_CLAUSE = 200;
const CLAUSE = /[.,;:!?\n]|\s(?:and|but|so|because|then|when)\s/u;

/** After these a phrase names what came instead, or the time. */
const INSTEAD =
  /\s(?:(?:to|for|since|because|so|and|but|after|in|on|last|this)\s|(?:though|too|already|again|now|today|yesterday|recently)(?!\p{L})).*$/iu;

/**
 * The later statement of the same person that ends what a quote says, by the quote: "I gave up the violin" of "I play the
 * violin every evening".
 */
export function replacedQuotes<Of extends Pick<Quote, 'item' | 'text' | 'validAt'>>(
  quotes: readonly Of[],
): ReadonlyMap<Of, Of> {
  // "Ann moved away" ends nothing that is said of Ann alone.
  const ends = quotes.flatMap((quote) =>
    leftIn(quote.text).flatMap((what) =>
      what === subjectOf(quote) ? [] : [{ quote, terms: termsOf(what) }],
    ),
  );
  const replaced = new Map<Of, Of>();
  const wordsOf = new Map(
    ends.length === 0 ? [] : quotes.map((quote) => [quote, new Set(analyze(quote.text))] as const),
  );
  for (const { quote: end, terms } of ends)
    for (const quote of terms.length === 0 ? [] : quotes) {
      if (quote === end || quote.validAt >= end.validAt || subjectOf(quote) !== subjectOf(end)) continue;
      const words = wordsOf.get(quote)!;
      const before = replaced.get(quote);
      if (terms.every((term) => words.has(term)) && (before === undefined || before.validAt < end.validAt))
        replaced.set(quote, end);
    }
  return replaced;
}

/** Whether a sentence says that somebody left something. */
export function endsSomething(text: string): boolean {
  return leftIn(text).length > 0;
}

/** Whether a sentence says that somebody left what the index terms name, or that it is gone. */
export function endsWhat(text: string, terms: readonly string[]): boolean {
  return terms.length > 0 && leftIn(text).some((what) => hasAll(termsOf(what), terms));
}

/** The turns that say that somebody left what the same speaker, or a fact, says in one of the quoted texts. */
export function endingTurns<Of extends { readonly speaker: string; readonly content: string }>(
  turns: readonly Of[],
  texts: readonly string[],
): readonly Of[] {
  const known = texts.map((text) => new Set(analyze(text)));
  return turns.filter(({ content }) =>
    leftIn(content).some((what) => {
      const terms = termsOf(what);
      return terms.length > 0 && known.some((words) => terms.every((term) => words.has(term)));
    }),
  );
}

/** Whether a sentence says that what the index terms name is gone by itself: "Luca moved out", but not "Bo left Bern". */
export function isGone(text: string, terms: readonly string[]): boolean {
  const gone = leftIn(text, [GONE]).filter((what) => !OWNED.test(what));
  return terms.length > 0 && gone.some((what) => hasAll(termsOf(what), terms));
}

/** "Bo’s scooter" */
const OWNED = /['’]s?\s/;

function hasAll(words: readonly string[], terms: readonly string[]): boolean {
  const all = new Set(words);
  return terms.every((term) => all.has(term));
}

/** What a text says that somebody left, or that is gone. */
function leftIn(text: string, patterns: readonly RegExp[] = [LEFT, LEFT_PLACE, GONE]): readonly string[] {
  return patterns.flatMap((pattern) =>
    Array.from(text.matchAll(pattern)).flatMap(({ index, groups: { what } = {} }) => {
      const end = index + (pattern === GONE ? what!.length : 0);
      const before = text.slice(Math.max(0, end - LONGEST_CLAUSE), end);
      return NOT_LEFT.test(before.split(CLAUSE).at(-1)!) ? [] : [what!];
    }),
  );
}

function termsOf(what: string): readonly string[] {
  const words = what.replace(INSTEAD, '').split(/\s+/);
  return analyze(words.filter((word) => !STOP_WORDS.has(word.toLowerCase()) && !/ing$/.test(word)).join(' '));
}

function subjectOf({ item, text }: Pick<Quote, 'item' | 'text'>): string {
  return item.kind === 'episode' ? item.speaker : (/^[\p{L}-]+/u.exec(text)?.[0] ?? '');
}
