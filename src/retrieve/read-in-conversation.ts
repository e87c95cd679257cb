import { ROLE_WORDS } from '../util/role-words.ts';

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
  /(?<![\p{L}\p{N}'’.])(?:(I|i(?!\.)|[Mm]e|[Mm]yself|[Ww]e|us)(?:['’](?:m|ve|d|ll|re))?)(?![\p{L}\p{N}])/gu;

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
  const ofAsker = (word: string, _: string, at: number) => (isDug(named, at) ? word : `${asker}’s`);
  return named.replace(OF_ASKER, ofAsker).replace(ASKER, name);
}

const DETERMINER = String.raw`(?<![\p{L}\p{N}])(?:an?|the|this|that|which|what|each|every|any|no|my|our|your|his|her|its|their|[\p{L}-]{1,60}['’]s?)`;
const AFTER_DETERMINER = new RegExp(`${DETERMINER} $`, 'iu');
const IN_PHRASE = new RegExp(
  `${DETERMINER}(?: (?!(?:am|is|are|was|were|be|been|of|than|like|as|and|or|with|to|for|from|in|by|at|on)(?!\\p{L}))[\\p{L}\\p{N}-]{1,60}){1,3} $`,
  'iu',
);
/** "Is the red car mine?" */
const ASKS_OWNER = /^\s*(?:(?:and|so|but)\s+)?(?:is|are|was|were)(?!\p{L})/iu;
/** A phrase before a word, in characters. */
const LONGEST_PHRASE = 200;

/** Whether a word is the noun of "When did the silver mine close?" */
function isDug(question: string, at: number): boolean {
  const [, word, after] =
    /^(mine)(?![\p{L}\p{N}])(.*)/isu.exec(question.slice(at, at + LONGEST_PHRASE)) ?? [];
  if (word === undefined) return false;
  const before = question.slice(Math.max(0, at - LONGEST_PHRASE), at);
  if (AFTER_DETERMINER.test(before) || (word.startsWith('M') && /\p{Lu}[\p{L}-]* $/u.test(before)))
    return true;
  return IN_PHRASE.test(before) && !(ASKS_OWNER.test(question) && /^[\s?!.]*$/.test(after!));
}

/** With the person or topic that it leaves to the earlier questions. */
function inContext(question: string, earlier: readonly string[]): string {
  const last = earlier.findLast((each) => each.includes('?') || OPENS_QUESTION.test(each));
  if (last === undefined) return withPerson(question, earlier);
  const named = withThing(question, last);
  return changedPart(named, last, earlier) ?? withPerson(named, earlier);
}

const OPENS_QUESTION =
  /^\s*(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|has|have|had|can|could)\b/i;
/** "And Lena?", "What about Lena?", "And what about in May?" */
const WHAT_ABOUT = /^\s*(?:(?:and|but|or|so)\s+)?(?:what|how)\s+about\s+(.+?)[\s?!.]*$/i;
const AND =
  /^\s*(?:and|or)\s+(?!(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did)\b)(.+?)[\s?!.]*$/i;
/** "When?", "And where was that?", "Since when?" */
const ONLY_ASKS =
  /^\s*(?:(?:and|but|so)\s+)?((?:(?:since|until|till) when|(?:with|for|to|from) whom?|for how long|who|when|where|why|how(?: (?:long|often))?)(?: (?:with|for|exactly))?)(?:\s+(?:was|is|did|does|were|has)\s+(?:that|it|this)(?:\s+(?:happen|be|take place|start|begin))?)?[\s?!.]*$/i;
/** It asks for the time of a state: "Since when?" */
const FROM_WHEN = /^(?:since|until|till|for|how long)/i;
const ASKS_WHERE = /^\s*(?:(?:and|so)\s+)?where(?!\p{L})/iu;
const QUESTION_WORDS =
  /^\s*(?:(?:and|so)\s+)?(?:who|whom|when|where|why|what|which|how(?: (?:long|often|much|many|old))?)\b\s*/i;
/** The words of a question that only point at something said before. */
const POINTS = /(?<![\p{L}])(?:it|its|that|there|they|them|their|those|these)(?![\p{L}])/iu;

/** "And before?", "And before her?", "And now?" */
const OTHER_TIME =
  /^\s*(?:(?:and|but|so)\s+)?(?:(?:what|how) about\s+)?(?:who |what |where )?(?:(?<past>before(?: (?:that|then|this|it|her|him|them))?|earlier|previously)|now|today|these days|currently)[\s?!.]*$/i;
const TIME_WORDS =
  /\s(?:now|today|these days|nowadays|currently|right now|at the moment)(?!\p{L})|\s(?:before(?: (?:that|then))?|earlier|previously|formerly|originally|(?:in|on|since|until) (?:\p{Lu}\p{Ll}+ )?\d{4})(?=[\s?!.]*$)/gu;
const PAST_OF: Readonly<Record<string, string>> = {
  is: 'was',
  are: 'were',
  am: 'was',
  do: 'did',
  does: 'did',
};
const PRESENT_OF: Readonly<Record<string, string>> = { was: 'is', were: 'are', did: 'does' };

/** "Who was my flatmate before?" of "Who is my flatmate now?" */
function atOtherTime(last: string, isPast: boolean): string {
  const forms = isPast ? PAST_OF : PRESENT_OF;
  const plain = last.replace(TIME_WORDS, '').replace(/[\s?!.]+$/, '');
  const verb = /(?<![\p{L}'’])(?:is|are|am|does|do|was|were|did)(?![\p{L}'’])/iu;
  const read = plain.replace(verb, (word) => forms[word.toLowerCase()] ?? word);
  return `${read} ${isPast ? 'before' : 'now'}?`;
}

/** The earlier question with what a later one changes in it; null for a question of its own. */
function changedPart(question: string, last: string, earlier: readonly string[]): string | null {
  const time = OTHER_TIME.exec(question)?.groups;
  if (time !== undefined) return atOtherTime(last, time.past !== undefined);
  const asks = ONLY_ASKS.exec(question)?.[1];
  if (asks !== undefined) {
    const rest = last.replace(QUESTION_WORDS, '');
    if (FROM_WHEN.test(asks) && ASKS_WHERE.test(last))
      return `${asks} ${rest.replace(/[\s?!.]+$/, '')} there? (${last.replace(/[\s?!.]+$/, '')})`;
    return rest === last ? `${asks}: ${last}` : `${asks} ${rest}`;
  }
  const part = (WHAT_ABOUT.exec(question) ?? AND.exec(question))?.[1];
  if (part === undefined || part.split(/\s+/).length > LONGEST_PART) return topicOf(question, last, earlier);
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

/**
 * A question that points at what was said ("How much did it cost?"), or whose verb lacks an object ("Why did she leave?"),
 * with the earlier one beside it; else null.
 */
function topicOf(question: string, last: string, earlier: readonly string[]): string | null {
  if (!(POINTS.test(question) || LACKS_OBJECT.test(question)) || namesIn(question).length > 0) return null;
  const words = question.match(/[\p{L}\p{N}'’]+/gu)?.length ?? 0;
  // "He" is the one who is asked for: "Who visited Ann?"
  const own = WHO_DID.test(last) ? question.trim() : withPerson(question.trim(), earlier);
  return words > LONGEST_POINTING ? null : `${own} (${last.replace(/[\s?!.]+$/, '')})`;
}

const WHO_DID =
  /^\s*who\s+(?!(?:is|are|was|were|am|do|does|did|has|have|had|will|would|can|could|else)(?!\p{L}))/iu;
/** "Why did she leave?" */
const LACKS_OBJECT =
  /^\s*(?:(?:and|but|so)\s+)?(?:when|where|why|how|what for|with whom?|who with)\s+(?:did|does|do|will|has|have|is|was|am|are|were)\s+(?:I|you|we|he|she|they)\s+(?:leave|quit|stop|start|begin|join|resign|finish|leaving|quitting|stopping|starting|joining)(?: again)?[\s?!.]*$/i;

const LONGEST_POINTING = 9;

/**
 * A question with the person that its "she" or "he" stands for. A question with a name of its own, or whose person
 * nobody named, is returned as it is.
 */
function withPerson(question: string, earlier: readonly string[]): string {
  if (question.search(PRONOUN) < 0 || namesIn(question).length > 0) return question;
  const person = earlier.toReversed().flatMap((each) => relativesIn(each) ?? namesIn(each).slice(0, 1))[0];
  return person === undefined ? question : withName(question, person);
}

/** "Does Ann have a dog?", and "he" of a later question is the dog. */
const HAS_ANIMAL = new RegExp(
  `^\\s*(?:do|does|did|has|have)\\s+(?<owner>\\S+)\\s+(?:ever\\s+)?(?:have|own|keep|got|adopt|adopted)\\s+(?:got\\s+)?(?:an?|any)\\s+(?<noun>(?:dog|cat|pet|puppy|kitten|horse|parrot|rabbit|hamster|tortoise|${ROLE_WORDS}))[\\s?!.]*$`,
  'iu',
);
/** "Ann’s flat", "my new car" */
const OWNED =
  /(?<![\p{L}\p{N}])(?:my|our|\p{Lu}[\p{L}-]{0,40}['’]s) (?:(?:new|old|first|last|own|little|big) ){0,2}\p{Ll}[\p{L}-]{1,40}(?![\p{L}-])/u;
const IT_IS =
  /^(\s*(?:(?:and|but|so)\s+)?(?:where|how|what|who|why|when|which)(?:\s+\p{Ll}+){0,2}\s+(?:is|was|does|did|has)\s+)it(?=\s*(?:\?|$|\s(?!happen|take place|(?:be|rain(?:ing)?|snow(?:ing)?|say)(?!\p{L}))))/iu;

/** "When was it?" is asked of what was done. */
const ASKS_OF_EVENT = /^\s*(?:(?:and|but|so)\s+)?(?:when|why|how (?:long|often))(?!\p{L})/iu;
const PERSON = new RegExp(`\\s(?!(?:dog|cat|pet|horse)$)(?:${ROLE_WORDS})$`, 'iu');

/** What somebody has by a question; no person is "it". */
function thingIn(question: string): string | undefined {
  const owned = OWNED.exec(question)?.[0];
  return owned === undefined || PERSON.test(owned) ? undefined : owned;
}

/** A question with the thing or animal that its "it" or "he" stands for: "How old is Ann’s dog?" */
function withThing(question: string, last: string): string {
  const isOfEvent = ASKS_OF_EVENT.test(question) && ONLY_ASKS.test(question);
  if (namesIn(question).length > 0 || isOfEvent) return question;
  const { owner, noun } = HAS_ANIMAL.exec(last)?.groups ?? {};
  const owned = owner === undefined ? thingIn(last) : `${owner === 'I' ? 'my' : `${owner}’s`} ${noun!}`;
  if (owned === undefined) return question;
  const named = question.replace(IT_IS, (_, before: string) => `${before}${owned}`);
  return named !== question || owner === undefined ? named : withName(question, owned);
}

/** "Ann’s sister" is the person that a question is about, not Ann. */
function relativesIn(question: string): readonly string[] | null {
  return question.match(RELATIVE);
}
const RELATIVE = new RegExp(
  `(?<![\\p{L}\\p{N}-])\\p{Lu}[\\p{L}-]*['’]s (?:\\p{Ll}[\\p{L}-]* ){0,2}?(?:${ROLE_WORDS})(?![\\p{L}-])`,
  'u',
);

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
