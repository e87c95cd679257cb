/** The conversation around a question. */
export interface Conversation {
  /** The one who asks: "I", "me", "my", "we" and "our" of the question. Null if nobody knows. */
  readonly asker: string | null;
  /** What the same person asked or said before, the oldest first. */
  readonly earlier: readonly string[];
  /** Whether "the user" is the one who asks. Default: yes. */
  readonly isUser?: boolean;
}

/** Pronouns of one person, each with whether it owns what comes next. */
const PRONOUN = /(?<![\p{L}'’])(she|he|hers|her|his|him)(?![\p{L}])/giu;
/** A name: capitalised words that no sentence begins with, or that a word such as "is" precedes. */
const NAME = /(?<![\p{L}\p{N}])\p{Lu}\p{Ll}+(?:[ -]\p{Lu}\p{Ll}+)?(?![\p{L}])/gu;
const NO_NAMES = new Set(
  (
    'I Who Whom Whose What When Where Which Why How Is Are Am Was Were Do Does Did Has Have Had Can Could Will Would ' +
    'Should Shall May Might Tell List Show Give Find Remind Explain Describe Please And But So Also The A An My Our ' +
    'Your His Her Their Its He She It They We You This That These Those There Then No Yes Not In On At To For From ' +
    'With About Of If As By Ok Okay Hi Hello Hey Thanks Actually Today Yesterday Tomorrow Last Next ' +
    'January February March April June July August September October November December ' +
    'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'
  ).split(' '),
);
/** Words after which a name is a place or a time. */
const BEFORE_PLACES = /\b(?:in|at|to|from|near|on|of|since|until|by)\s+(?:the\s+)?$/i;
/** Earlier messages that are looked at. */
const LOOKED_AT = 4;

const FIRST_PERSON = /(?<![\p{L}\p{N}'’])(?:i|me|my|mine|myself|we|us|our|ours)(?![\p{L}\p{N}])/iu;
const OF_ASKER = /(?<![\p{L}\p{N}'’])(my|mine|our|ours)(?![\p{L}\p{N}])/giu;
/** "I", "I'm", "I’ve"; "US" in capitals is a country. */
const ASKER =
  /(?<![\p{L}\p{N}'’])(?:(I|[Mm]e|[Mm]yself|[Ww]e|us)(?:['’](?:m|ve|d|ll|re))?)(?![\p{L}\p{N}])/gu;

const OF_THE_USER = /(?<![\p{L}\p{N}'’])the user['’]s(?![\p{L}\p{N}-])/giu;
/** As agents call the person for whom they remember. */
const THE_USER =
  /(?<![\p{L}\p{N}'’])the user(?![\p{L}\p{N}-])(?! (?:interface|guide|manual|story|stories|name|data|account|profile|id)(?![\p{L}]))/giu;

/** Whether a question uses a word for the person who asks it, such as "my" or "the user". */
export function speaksOfAsker(question: string): boolean {
  return FIRST_PERSON.test(question) || question.search(THE_USER) >= 0;
}

/**
 * A question without references to its conversation: "I" and "my" are the asker, "she" and "he" the person named last, and a question
 * such as "And Lena?" or "When was that?" is read as the earlier one with the part that it changes. What remains open
 * stays as it is.
 */
export function readInConversation(
  question: string,
  { asker, earlier, isUser = true }: Conversation,
): string {
  const read: string[] = [];
  for (const each of [...earlier.slice(-LOOKED_AT), question])
    read.push(withAsker(inContext(each, read), { asker, isUser }));
  return read.at(-1)!;
}

function withAsker(question: string, { asker, isUser }: { asker: string | null; isUser: boolean }): string {
  if (asker === null || asker === '') return question;
  const name = () => asker;
  const named = isUser ? question.replace(OF_THE_USER, () => `${asker}’s`).replace(THE_USER, name) : question;
  return named.replace(OF_ASKER, () => `${asker}’s`).replace(ASKER, name);
}

/** With the person or topic that it leaves to the earlier questions. */
function inContext(question: string, earlier: readonly string[]): string {
  const last = earlier.findLast((each) => each.includes('?') || OPENS_QUESTION.test(each));
  const changed = last === undefined ? null : changedPart(question, last);
  return changed ?? withPerson(question, earlier);
}

const OPENS_QUESTION =
  /^\s*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|has|have|had|can|could)\b/i;
/** "And Lena?", "What about Lena?", "And what about in May?" */
const WHAT_ABOUT = /^\s*(?:(?:and|but|or|so)\s+)?(?:what|how)\s+about\s+(.+?)[\s?!.]*$/i;
const AND =
  /^\s*(?:and|or)\s+(?!(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did)\b)(.+?)[\s?!.]*$/i;
/** "When?", "And where was that?", "How much was it?" */
const ONLY_ASKS =
  /^\s*(?:(?:and|but|so)\s+)?((?:who|when|where|why|how(?: (?:long|often))?)(?: (?:with|for|exactly))?)(?:\s+(?:was|is|did|does|were|has)\s+(?:that|it|this)(?:\s+(?:happen|be|take place|start|begin))?)?[\s?!.]*$/i;
const QUESTION_WORDS =
  /^\s*(?:(?:and|so)\s+)?(?:who|whom|when|where|why|what|which|how(?: (?:long|often|much|many|old))?)\b\s*/i;
/** The words of a question that only point at something said before. */
const POINTS = /(?<![\p{L}])(?:it|its|that|there|they|them|their|those|these)(?![\p{L}])/iu;

/** The earlier question with what a later one changes in it; null for a question of its own. */
function changedPart(question: string, last: string): string | null {
  const asks = ONLY_ASKS.exec(question)?.[1];
  if (asks !== undefined) {
    const rest = last.replace(QUESTION_WORDS, '');
    return rest === last ? `${asks}: ${last}` : `${asks} ${rest}`;
  }
  const part = (WHAT_ABOUT.exec(question) ?? AND.exec(question))?.[1];
  if (part === undefined || part.split(/\s+/).length > LONGEST_PART) return topicOf(question, last);
  const person = namesIn(part)[0];
  const before = namesIn(last).at(-1) ?? askerIn(last);
  if (person !== undefined && person === part.replace(/['’]s$/, '') && before !== undefined)
    return last.replaceAll(before, person);
  if (PRONOUN.test(part) || POSSESSIVE.test(part)) return `What about ${part}?`;
  return before === undefined || namesIn(part).length > 0 || /^(?:in|on|at|last|this|next)\b/i.test(part)
    ? `${last.replace(/[\s?!.]+$/, '')} ${part}?`
    : `What about ${before}’s ${part.replace(/^(?:the|a|an)\s+/i, '')}?`;
}

const LONGEST_PART = 5;
const POSSESSIVE = /(?<![\p{L}])(?:my|our|your|their)(?![\p{L}])|['’]s\b/iu;

/** "I" and "my" stand for a person too. */
function askerIn(question: string): string | undefined {
  return /(?<![\p{L}\p{N}'’])(?:I|my)(?![\p{L}\p{N}])/u.exec(question)?.[0];
}

/** A question that points at what was said ("How much did it cost?") with the earlier one beside it; else null. */
function topicOf(question: string, last: string): string | null {
  if (!POINTS.test(question) || namesIn(question).length > 0) return null;
  const words = question.match(/[\p{L}\p{N}'’]+/gu)?.length ?? 0;
  return words > LONGEST_POINTING ? null : `${question.trim()} (${last.replace(/[\s?!.]+$/, '')})`;
}

const LONGEST_POINTING = 9;

/**
 * A question with the person that its "she" or "he" stands for. A question with a name of its own, or whose person
 * nobody named, is returned as it is.
 */
function withPerson(question: string, earlier: readonly string[]): string {
  if (question.search(PRONOUN) < 0 || namesIn(question).length > 0) return question;
  const person = earlier.toReversed().flatMap((each) => namesIn(each).slice(0, 1))[0];
  return person === undefined ? question : withName(question, person);
}

function withName(question: string, person: string): string {
  return question.replaceAll(PRONOUN, (pronoun, _word, at: number) => {
    const next = question.slice(at + pronoun.length);
    const lower = pronoun.toLowerCase();
    // "her sister" is Clara's, "saw her?" is Clara.
    const owns = lower === 'his' || lower === 'hers' || (lower === 'her' && /^\s+\p{L}/u.test(next));
    return owns ? `${person}'s` : person;
  });
}

function namesIn(text: string): readonly string[] {
  const names: string[] = [];
  for (const match of text.matchAll(NAME)) {
    const words = match[0].split(' ');
    let before = text.slice(0, match.index);
    while (words.length > 0 && NO_NAMES.has(words[0]!)) before += `${words.shift()} `;
    if (words.length === 0 || words.some((word) => NO_NAMES.has(word)) || BEFORE_PLACES.test(before))
      continue;
    names.push(words.join(' '));
  }
  return names;
}
