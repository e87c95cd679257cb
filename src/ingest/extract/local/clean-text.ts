import { LONGEST_READ, MOST_SENTENCES_READ } from '../defaults.ts';

const MAX_SENTENCE_LENGTH = 600;

const ABBREVIATION =
  /(?:\b(?:[Mm]r|[Mm]rs|[Mm]s|[Dd]r|[Pp]rof|[Ss]t|[Mm]t|[Aa]ve|[Rr]d|[Bb]lvd|[Rr]ev|[Gg]en|[Cc]apt|[Ss]gt|[Ll]t|[Cc]ol|[Gg]ov|vs|etc|[Dd]ept|[Ii]nc|[Ll]td|[Cc]o|[Jj]r|[Ss]r|e\.g|i\.e|a\.m|p\.m|U\.S|[Aa]pprox|ca|cf|incl|[Ee]st|[Pp]h\.D)|(?<![\w'])[A-Z])\.$/;
/** Abbreviations before a number only: "No. 7", "Jan. 3"; otherwise they end a sentence. */
const BEFORE_NUMBER =
  /\b(?:[Nn]os?|[Ff]ig|[Vv]ol|[Pp]p?|[Mm]ax|[Mm]in|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.$/;
export interface Sentence {
  /** Without its final punctuation. */
  readonly text: string;
  readonly isQuestion: boolean;
}

/**
 * Splits a turn's text into plain sentences: without control characters, lone surrogates, emoji, links, code and
 * Markdown marks, and with plain quotes and dashes only. Reads the first `LONGEST_READ` characters and `most`
 * sentences.
 */
export function toSentences(content: string, most = MOST_SENTENCES_READ): Sentence[] {
  const sentences: Sentence[] = [];
  for (const line of cleanText(content).split('\n')) {
    for (const sentence of splitLine(line)) {
      if (sentences.length >= most) return sentences;
      sentences.push(sentence);
    }
  }
  return sentences;
}

export function cleanText(content: string): string {
  return content
    .slice(0, LONGEST_READ)
    .replace(/```[\s\S]*?(?:```|$)/g, '\n')
    .replace(/\r\n?/g, '\n')
    .replace(/(?!\n)[\p{Cc}\p{Cs}\u200b-\u200f\u2028-\u202e\ufeff\ufffd]/gu, ' ')
    .replace(/\bhttps?:\/\/\S{1,2000}/gi, ' ')
    .replace(/[\u2018\u2019\u02bc`´]/g, "'")
    .replace(/[\u201c\u201d\u201e«»「」『』《》]/g, '"')
    .replace(
      /\p{Extended_Pictographic}(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f| )*/gu,
      '\n',
    )
    .replace(/(?<=\s|^)[:;][-']?[()DPp](?=\s|$)/gm, '\n')
    .replace(/[–—―]|(?<=\S)--(?=\S)/g, ' - ')
    .replace(/(?<=[\p{L}\p{N}])- (?=\p{L})|(?<=\p{L}) -(?=\p{L})/gu, ' - ')
    .replace(/…|\.{3,}/g, '. ')
    .replace(/[。！？](?=.)/g, (mark) => `${{ '。': '.', '！': '!' }[mark] ?? '?'} `)
    .replace(/\*{1,3}|(?<!\w)_{1,2}|_{1,2}(?!\w)|^[ \t]*(?:#{1,6}|[-•>]|\d{1,2}[.)])[ \t]+/gm, '')
    .replace(/^([^\n:.!?]{1,60}):[ \t]+(?=\p{Lu}[\p{L}' ,]{20})(?!\p{Lu}\p{L}* \p{Lu})/gmu, '$1\n')
    .replace(/[^\S\n]+/g, ' ');
}

/** Ends a sentence at . ! ? before a space; searches the marks one by one, so that the time is linear. */
function* splitLine(line: string): Generator<Sentence> {
  let start = 0;
  for (const match of line.matchAll(/(?<![.!?])[.!?]+["')\]]*(?=\s|$)/g)) {
    const end = match.index + match[0].length;
    if (match[0] === '.' && end < line.length) {
      const numbered = listNumberAt(line, start, end);
      if (numbered !== null) {
        yield* toSentence(line.slice(start, numbered), false);
        start = end;
        continue;
      }
      if (isAbbreviated(line, end)) continue;
    }
    yield* toSentence(line.slice(start, match.index + quoteEnd(match[0])), match[0].includes('?'));
    start = end;
  }
  yield* toSentence(line.slice(start), false);
}

function isAbbreviated(line: string, end: number): boolean {
  const before = line.slice(Math.max(0, end - 8), end);
  return ABBREVIATION.test(before) || (BEFORE_NUMBER.test(before) && /^\s\d/.test(line.slice(end, end + 2)));
}

/** Where the number of a list's item starts that ends here: before "2." in "Buy: 1. Flour. 2. Eggs."; null if none does. */
function listNumberAt(line: string, start: number, end: number): number | null {
  const found = /(?:^|\s)(\d{1,2})\.$/.exec(line.slice(Math.max(start, end - 4), end));
  if (found === null) return null;
  const from = end - 1 - found[1]!.length;
  const before = line.slice(start, from).trimEnd();
  return before === '' || /[:;,]$/.test(before) ? from : null;
}

/** A closing quote after the full stop is part of the sentence. */
function quoteEnd(marks: string): number {
  return marks.indexOf('"') + 1;
}

/** "You like sad films, don't you" asks, also without a question mark. */
const TAG =
  /[\s,](?:(?:do|does|did|is|are|was|were|have|has|can|could|will|would|should)n't|ain't) (?:you|it|he|she|they|we|i)$|, (?:right|eh)$/i;

const WHETHER = '(?:whether|if|who|whom|whose|what|where|when|why|how|which)';
const AUXILIARY =
  "(?:do|does|did|is|are|was|were|have|has|had|can|could|will|would|shall|should|may|might)(?:n't)?";
const OPENING =
  '(?:(?:and|but|so|well|hey|hi|hello|oh|ok|okay|now|also|please|just|then|hm+|btw|by the way),? )*';
/** "I wonder whether …", "Tell me where …": an indirect question. "I asked whether …" tells of one. */
const ASKS_INDIRECTLY = new RegExp(
  `^${OPENING}(?:i(?:'m| am| was|'ve been| have been)? (?:just |still |always |often |really |sometimes )*(?:wonder(?:ing|ed)?(?: about)? ${WHETHER}|(?:(?:would|'d) (?:really )?(?:like|love)|(?:really )?(?:want|need)) to (?:know|ask(?: you)?|find out|learn|understand|be told) (?:exactly )?${WHETHER}|(?:curious|unsure|unclear|uncertain|undecided|not (?:quite |really |so |entirely )?(?:sure|certain|clear))(?: about| as to)? ${WHETHER}|(?:do not|don't|dont|cannot|can't|can not) (?:really |even |quite |exactly )?(?:know|remember|recall|tell|say|decide|see) ${WHETHER}|have no (?:idea|clue) ${WHETHER})|i'd (?:really )?(?:like|love) to (?:know|ask(?: you)?|find out|learn|understand) (?:exactly )?${WHETHER}|(?:any|no) (?:idea|clue) ${WHETHER}|(?:tell|show|remind|inform|ask|teach|explain to) (?:me|us)(?: again| please)? ${WHETHER}|let (?:me|us) know ${WHETHER}|(?:check|find out|look up|figure out|explain|verify|confirm|describe) ${WHETHER}|(?:the|my|our) question is ${WHETHER})\\b`,
  'i',
);
/** "Where does Anna live", "did you see it": the order of a question; "do it" and "did my homework" have none. */
const ASKS_BY_ORDER = new RegExp(
  `^${OPENING}(?:(?:(?:who|what|where|when|why|how|which|whose)|how (?:much|many|old|long|far|often|tall|big)(?: \\p{L}+)?|(?:what|which|whose) (?!(?:i|we|you|he|she|they|it)\\b)\\p{L}+) ${AUXILIARY} (?!(?:that|great|more|worse)\\b)|${AUXILIARY} (?:i|you|he|she|we|they|anyone|anybody|someone|somebody)\\b|(?:is|are|does) (?:it|there|this|that|the|my|your|his|her|our|their|\\p{Lu}\\p{L}+)\\b)`,
  'u',
);
/** Between a statement of the speaker and a question: "I live in Ghent, do you?", "…, where can I buy a bike?" */
const QUESTION = `(?:${AUXILIARY} (?:you|your|he|she|they|there|any\\p{L}*|\\p{Lu}\\p{L}+) \\p{L}|${AUXILIARY} (?:you|yours)$|(?:who|what|where|when|why|how|which) (?:\\p{L}+ )?${AUXILIARY}\\b|(?:what|how) about \\p{L}+)`;
const THEN_ASKS = new RegExp(
  `(?:,|;| -) (?:(?:and|but|so|or) )?(?:${QUESTION}|(?:you|yours|yourself)$)|,? (?:and|but|so|or) (?:${QUESTION}|(?:you|yours)$)`,
  'u',
);
/** "I don't know if I told you, but I moved": what follows is stated. */
const THEN_STATES = /[,;] (?:but|so|yet|and|anyway,?) (?=(?:I|we|my|our)(?!\p{L}))/u;
const OWN_STATEMENT =
  /^(?:(?:hi|hello|hey|well|so|ok|okay|yes|no),? )*(?:I|i|[Ww]e|[Mm]y|[Oo]ur)(?:'\p{L}+)? .*\p{L}{2}/u;

function* toSentence(raw: string, isQuestion: boolean): Generator<Sentence> {
  const text = raw.trim().slice(0, MAX_SENTENCE_LENGTH);
  if (!/[\p{L}\p{N}]/u.test(text)) return;
  const asked = isQuestion && OWN_STATEMENT.test(text) ? THEN_ASKS.exec(text) : null;
  if (asked !== null && OWN_STATEMENT.test(text.slice(0, asked.index))) {
    yield { text: text.slice(0, asked.index), isQuestion: false };
    yield { text: text.slice(asked.index).replace(/^[,;\s-]+/, ''), isQuestion: true };
    return;
  }
  const stated = !isQuestion && ASKS_INDIRECTLY.test(text) ? THEN_STATES.exec(text) : null;
  if (stated !== null) {
    yield { text: text.slice(0, stated.index), isQuestion: true };
    yield { text: text.slice(stated.index + stated[0].length), isQuestion: false };
    return;
  }
  yield { text, isQuestion: isQuestion || asks(text) };
}

function asks(text: string): boolean {
  return (
    TAG.test(text.slice(-24).replace(/[.!]+$/, '')) ||
    ASKS_INDIRECTLY.test(text) ||
    ASKS_BY_ORDER.test(text.charAt(0).toLowerCase() + text.slice(1))
  );
}
