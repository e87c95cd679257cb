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
/** Earlier messages of the user that may name the person. */
const LOOKED_AT = 4;

/**
 * A question with the person that its "she" or "he" stands for, by the user's earlier messages, newest last; for the
 * search only. A question with a name of its own, or whose person nobody named, is returned as it is.
 */
export function inContext(question: string, earlier: readonly string[]): string {
  if (question.search(PRONOUN) < 0 || namesIn(question).length > 0) return question;
  for (const message of earlier.slice(-LOOKED_AT).toReversed()) {
    const person = namesIn(message)[0];
    if (person !== undefined) return withPerson(question, person);
  }
  return question;
}

function withPerson(question: string, person: string): string {
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
