/** "Who was there besides Ann?" asks for others than Ann, who says only which occasion is meant. */
interface Others {
  /** The question without the words that leave somebody out. */
  readonly question: string;
  /** What is no answer: names and nouns. */
  readonly besides: readonly string[];
}

const BESIDES =
  /(?:[Bb]esides|[Aa]part from|[Oo]ther than|[Aa]side from|[Ii]n addition to|[Ee]xcept(?: for)?)/.source;
const ONE = String.raw`(?:(?:the|my|your|his|her|their|our) )?\p{L}[\p{L}’'-]*(?: \p{Lu}[\p{L}-]*)?`;
const LEFT_OUT = `(?<left>${ONE}(?:(?:, and|,| and| or) ${ONE}){0,3})`;
/** What goes on after those who are left out: an adverbial, or what the others did. */
const GOES_ON =
  /(?:at|in|on|for|with|during|when|who|after|before|is|are|was|were|has|have|had|do|does|did|can|could|will|would|came|comes?|went|goes?|got|gets?|knew|knows?|saw|sees?|made|makes?|took|takes?|won|left|ate|\p{Ll}{2,}ed|\p{Ll}{2,}[^s\P{Ll}]s)/u
    .source;
const AT_THE_BEGINNING = new RegExp(`^\\s*${BESIDES} ${LEFT_OUT},\\s*`, 'u');
/** Of a run of spaces the end is enough. */
const INSIDE = new RegExp(
  `,?\\s{1,9}${BESIDES} ${LEFT_OUT}(?=\\s{0,9}[,?!.]|\\s{0,9}$| ${GOES_ON}(?!\\p{L}))`,
  'u',
);
const ELSE = /(?<=\b(?:who|what|where|which|whom|anyone|anybody|anything|somebody|someone)) else\b/giu;
const WORD = /\p{L}[\p{L}\p{M}-]+/gu;
const NO_NOUN = /^(?:and|or|the|my|his|her|our|your|their)$/iu;

/** Reads "besides", "other than", "apart from" and "else" in a question; null without these. */
export function askedOthers(question: string): Others | null {
  const found = AT_THE_BEGINNING.exec(question) ?? INSIDE.exec(question);
  if (found === null && question.search(ELSE) < 0) return null;
  const left = found?.groups?.left ?? '';
  const rest = found === null ? question : question.replace(found[0], '');
  return {
    question: rest.replace(ELSE, ''),
    besides: (left.match(WORD) ?? []).filter((word) => !NO_NOUN.test(word)),
  };
}

/** A text without words that are no answer; "Anna" keeps its "Ann". */
export function withoutWords(text: string, words: readonly string[]): string {
  const left = new Set(words.map((word) => word.toLowerCase()));
  return left.size === 0 ? text : text.replace(WORD, (word) => (left.has(word.toLowerCase()) ? '' : word));
}
