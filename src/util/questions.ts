import { sentencesOf } from './sentences.ts';

/** A sentence of a text. */
export interface Sentence {
  /** Without its final punctuation. */
  readonly text: string;
  readonly isQuestion: boolean;
}

/** "You like sad films, don't you" asks, also without a question mark. */
const TAG =
  /[\s,](?:(?:do|does|did|is|are|was|were|have|has|can|could|will|would|should)n't|ain't) (?:you|it|he|she|they|we|i)$|, (?:right|eh|correct|no|yeah)$|\bor(?: (?:not|what))?$/i;

const WHETHER = '(?:whether|if|who|whom|whose|what|where|when|why|how|which)';
const AUXILIARY =
  "(?:do|does|did|is|are|was|were|have|has|had|can|could|will|would|shall|should|may|might)(?:n't)?";
const OPENING =
  '(?:(?:and|but|so|well|hey|hi|hello|oh|ok|okay|now|also|please|just|then|hm+|btw|by the way),? )*';
/** "I wonder whether …", "Tell me where …". "I asked whether …" states that somebody asked. */
const ASKS_INDIRECTLY = new RegExp(
  `^${OPENING}(?:i(?:'m| am| was|'ve been| have been)? (?:just |still |always |often |really |sometimes )*(?:wonder(?:ing|ed)?(?: about)? ${WHETHER}|(?:(?:would|'d) (?:really )?(?:like|love)|(?:really )?(?:want|need)) to (?:know|ask(?: you)?|find out|learn|understand|be told) (?:exactly )?${WHETHER}|(?:curious|unsure|unclear|uncertain|undecided|not (?:quite |really |so |entirely )?(?:sure|certain|clear))(?: about| as to)? ${WHETHER}|(?:do not|don't|dont|cannot|can't|can not) (?:really |even |quite |exactly )?(?:know|remember|recall|tell|say|decide|see) ${WHETHER}|have no (?:idea|clue) ${WHETHER})|i'd (?:really )?(?:like|love) to (?:know|ask(?: you)?|find out|learn|understand) (?:exactly )?${WHETHER}|(?:any|no) (?:idea|clue) ${WHETHER}|(?:just |still )?(?:wondering(?: about)?|curious|unsure|not (?:quite |really )?sure|(?:do not|don't|dont) know) ${WHETHER}|(?:tell|show|remind|inform|ask|teach|explain to) (?:me|us)(?: again| please)? ${WHETHER}|let (?:me|us) know ${WHETHER}|(?:check|find out|look up|figure out|explain|verify|confirm|describe) ${WHETHER}|(?:the|my|our) question is ${WHETHER})\\b`,
  'i',
);
/** "Where does Anna live", "did you see it": the order of a question; "do it" and "did my homework" have none. */
const ASKS_BY_ORDER = new RegExp(
  `^${OPENING}(?:(?:(?:who|what|where|when|why|how|which|whose)|how (?:much|many|old|long|far|often|tall|big)(?: \\p{L}+)?|(?:what|whose) (?!(?:i|we|you|he|she|they|it)\\b)\\p{L}+|which (?!(?:i|we|you|he|she|they|it|my|our|the|is|was)\\b)(?:\\p{L}+ ){0,2}\\p{L}+) ${AUXILIARY} (?!(?:that|great|more|worse)\\b)|${AUXILIARY} (?:[Ii]|you|he|she|we|they|anyone|anybody|someone|somebody)\\b|which (?!(?:i|we|you|he|she|they|it|my|our|the|is|was|are|means|reminds|brings|makes|explains)\\b)\\p{L}+, so |(?:is|are|does) (?:it|there|this|that|the|my|your|his|her|our|their|\\p{Lu}\\p{L}+)\\b)`,
  'u',
);
/** Between a statement of the speaker and a question: "I live in Ghent, do you?", "…, where can I buy a bike?" */
const QUESTION = `(?:${AUXILIARY} (?:you|your|he|she|they|there|any\\p{L}*|\\p{Lu}\\p{L}+) \\p{L}|${AUXILIARY} (?:you|yours)$|(?:who|what|where|when|why|how|which)(?:'s| (?:\\p{L}+ )?${AUXILIARY})\\b|(?:what|how) about \\p{L}+)`;
const THEN_ASKS = new RegExp(
  `(?:,|;| -) (?:(?:and|but|so|or) )?(?:${QUESTION}|(?:you|yours|yourself)$)|,? (?:and|but|so|or) (?:${QUESTION}|(?:you|yours)$)`,
  'u',
);
/** "I don't know if I told you, but I moved": what follows is stated. */
const THEN_STATES = /[,;] (?:but|so|yet|and|anyway,?) (?=(?:I|we|my|our)(?!\p{L}))/u;
const OWN_STATEMENT =
  /^(?:(?:hi|hello|hey|well|so|ok|okay|yes|no),? )*(?:I|i|[Ww]e|[Mm]y|[Oo]ur)(?:'\p{L}+)? .*\p{L}{2}/u;

/**
 * A sentence as a statement and a question, where it is both: "I live in Ghent, do you?". A tag asks for the whole:
 * "I live in Ghent, right?".
 */
export function withoutQuestion(text: string, isQuestion: boolean): Sentence[] {
  const asked = isQuestion && OWN_STATEMENT.test(text) ? THEN_ASKS.exec(text) : null;
  if (asked !== null && OWN_STATEMENT.test(text.slice(0, asked.index)))
    return [
      { text: text.slice(0, asked.index), isQuestion: false },
      { text: text.slice(asked.index).replace(/^[,;\s-]+/, ''), isQuestion: true },
    ];
  const stated = !isQuestion && ASKS_INDIRECTLY.test(text) ? THEN_STATES.exec(text) : null;
  if (stated !== null)
    return [
      { text: text.slice(0, stated.index), isQuestion: true },
      { text: text.slice(stated.index + stated[0].length), isQuestion: false },
    ];
  return [{ text, isQuestion: isQuestion || asks(text) }];
}

function asks(text: string): boolean {
  return TAG.test(text.slice(-24).replace(/[.!]+$/, '')) || asksIndirectly(text) || asksByOrder(text);
}

function asksByOrder(text: string): boolean {
  return ASKS_BY_ORDER.test(text.charAt(0).toLowerCase() + text.slice(1));
}

/** "I wonder whether Anna moved": a question without its mark. */
export function asksIndirectly(text: string): boolean {
  return ASKS_INDIRECTLY.test(text);
}

/** A bracket, a quotation mark or an exclamation mark may follow the question mark. */
const MARK = /[?？][!！?？)”’"']*\s*$/u;
/** The end of a text in which a question without its mark is looked for; in characters. */
const LONGEST_UNMARKED = 120;
/** "Name them." asks for what was not said. */
const ASKS_FOR_THEM = new RegExp(
  `^${OPENING}(?:(?:name|list|describe) (?:it|them|him|her|some|one|all)|tell (?:me|us) more)[.!]?$`,
  'iu',
);
/** The order of a question as chats have it: "and since when", "whats her name", "why u ask", "was it far". */
const ASKS_IN_CHAT = new RegExp(
  `^(?:(?:wait|omg|lol),? )*${OPENING}(?:(?:who|what|where|when|why|how|which)(?: (?:else|for|to|from|with|so|exactly|then|though|many|much|long|often|old|far|ones?)){0,2}$|(?:who|what|where|when|why|how)['’]?s (?!more\\b)|(?:how|what) about |how come\\b|why (?:u|ya|you)\\b|(?:what|where|how|who) (?:u|ya|you) (?:\\p{L}+ing|been|up)\\b|${AUXILIARY} (?:u|ya|ur)\\b|(?:was|were) (?:it|that|those)\\b)`,
  'iu',
);
/** "Which is why we left" goes on from what was said. */
const GOES_ON = /^which (?:is|was|are|were) /iu;

/** Whether a text ends with a question: by its mark, or by its words where a chat leaves the mark out. */
export function isQuestion(text: string): boolean {
  if (MARK.test(text)) return true;
  const end = sentencesOf(text.slice(-LONGEST_UNMARKED).toWellFormed());
  const last = end.at(-1)?.replace(/(?:\p{Extended_Pictographic}|\uFE0F|\s)+$/u, '') ?? '';
  if (end.length === 1 && text.length > LONGEST_UNMARKED) return false;
  if (ASKS_FOR_THEM.test(last)) return true;
  return /[\p{L}\p{N}]$/u.test(last) && !GOES_ON.test(last) && (asksByOrder(last) || ASKS_IN_CHAT.test(last));
}
