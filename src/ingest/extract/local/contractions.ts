const SPECIAL: Readonly<Record<string, string>> = {
  "can't": 'can not',
  cannot: 'can not',
  "won't": 'will not',
  "shan't": 'shall not',
  "ain't": 'is not',
  "let's": 'let us',
  "y'all": 'you all',
  "'cause": 'because',
  "c'mon": 'come on',
  "ma'am": 'madam',
  cuz: 'because',
  ya: 'you',
  "'em": 'them',
  gonna: 'going to',
  wanna: 'want to',
  gotta: 'have to',
  kinda: 'kind of',
  sorta: 'sort of',
  im: 'I am',
  ive: 'I have',
  dont: 'do not',
  didnt: 'did not',
};
const ENDINGS: Readonly<Record<string, string>> = { m: 'am', ve: 'have', re: 'are', ll: 'will' };
const PRONOUNS = 'i|you|he|she|it|we|they|that|this|there|here|who|what|where|how|when|everything';
const ADVERBS =
  '(?: (?:always|never|just|already|really|only|also|not|recently|even|ever|since|finally|actually|once|all|both|now|\\p{L}{3,12}ly))*';
/** Forms that are no base form: before them "'d" is "had". */
const IRREGULAR =
  'been|gone|got|gotten|had|done|seen|made|taken|given|grown|met|known|found|heard|learnt|left|lost|brought|bought|thought|told|said|sent|spent|kept|slept|felt|built|caught|taught|fallen|forgotten|forgiven|eaten|written|driven|ridden|broken|chosen|spoken|stolen|woken|worn|torn|sworn|drawn|flown|thrown|begun|drunk|sung|swum|rung|held|stood|understood|paid|sold|won|dug|hung|fed|led|lent|meant|shot|sat|stuck|swept|wept|hidden|bitten|beaten|shown|proven|laid';
const REGULAR =
  '(?!(?:need|feed|breed|bleed|speed|succeed|proceed|exceed|heed|seed|weed|shed|wed|embed)\\b)\\p{L}+ed';
/** After "'s" these are rarely a passive. */
const ACTIVE =
  'been|got|gotten|had|gone|become|come|started|decided|happened|worked|wanted|learned|learnt|lived|moved|arrived|agreed|passed|died|grown|begun|tried|stopped|said|told|asked|seen|heard|thought|felt|helped|changed|loved|promised|managed|forgotten|slept|fallen|won|cost|quit|left(?!-)|called (?=(?:me|you|us|him|her|them)\\b)';
/** A passive has no object: "she's lost her job", but "he's lost". */
const OBJECT =
  '(?:an?|the|my|your|his|her|our|their|its|me|you|him|us|them|it|this|that|such|some|no|two|three|\\d+|\\p{Lu}\\p{L}+)\\b';
const NAMING = '(?:called|named|considered|based)\\b';

const CONTRACTION = /\b(\w+)n't\b|\b(\w+)'(m|ve|re|ll)\b/gi;
/** "Let's Encrypt" is a name. */
const SPECIAL_WORD = new RegExp(`(?<![\\w'])(?:${Object.keys(SPECIAL).join('|')})(?![\\w'])`, 'gi');
const HAS = new RegExp(
  `\\b(${anyCase(PRONOUNS)})'s(?=${ADVERBS} (?:(?:${ACTIVE})\\b|(?!${NAMING})(?:${IRREGULAR}|${REGULAR}) ${OBJECT}))`,
  'gu',
);
/** "My sister's started a bakery", "dad's been ill"; "Anna's lost keys" are hers. */
const NOUN_HAS = new RegExp(
  `(?<=\\p{L}{2})'s(?=${ADVERBS} (?:(?:been|become|arrived|decided|gone|agreed|started|moved to)\\b|(?!${NAMING})(?:${IRREGULAR}|${REGULAR}) (?!\\p{Lu})${OBJECT}))`,
  'gu',
);
const IS = new RegExp(`\\b(${PRONOUNS})'s\\b`, 'gi');
const HAD = new RegExp(
  `\\b(${anyCase(PRONOUNS)})'d(?=${ADVERBS} (?:(?:${IRREGULAR}|${REGULAR}|become|better|an?)\\b))`,
  'gu',
);
const WOULD = new RegExp(`\\b(${PRONOUNS})'d\\b`, 'gi');
const ALL_OF_US =
  /^((?:and |but |so )?)(?:(?:all|the (?:two|three|four|five|six|\d)) of us|(?:us|we) (?:two|three|four|five|six)(?! (?:years|months|weeks|days|hours|times)))\b( (?:are|were|have|had|will|would|can|could)\b)?/i;

/** Expands "I'm" to "I am", "didn't" to "did not", "gonna" to "going to": one form for the tagger and the statement. */
export function expandContractions(text: string): string {
  const expanded = text.includes("'")
    ? withoutApostrophes(text)
    : text.replace(SPECIAL_WORD, (word) => special(word, ''));
  return expanded
    .replace(ALL_OF_US, '$1we$2 all')
    .replace(/ & /g, ' and ')
    .replace(/\bw\/ ?/g, 'with ')
    .replace(/\bi\b(?!\.)/g, 'I');
}

function withoutApostrophes(text: string): string {
  return text
    .replace(HAD, '$1 had')
    .replace(SPECIAL_WORD, (word: string, at: number, whole: string) =>
      special(word, whole.slice(at + word.length)),
    )
    .replace(CONTRACTION, (all, verb: string | undefined, word: string | undefined, ending: string) =>
      verb === undefined ? `${word} ${ENDINGS[ending.toLowerCase()] ?? all}` : `${verb} not`,
    )
    .replace(HAS, '$1 has')
    .replace(IS, '$1 is')
    .replace(NOUN_HAS, ' has')
    .replace(WOULD, '$1 would');
}

function anyCase(words: string): string {
  return words.replace(/(?<=^|\|)\p{L}/gu, (first) => `[${first}${first.toUpperCase()}]`);
}

function special(word: string, after: string): string {
  if (/^let's$/i.test(word) && /^ \p{Lu}\p{Ll}/u.test(after)) return word;
  const plain = SPECIAL[word.toLowerCase()] ?? word;
  const capital = /^[A-Z]/.test(word);
  return capital ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain;
}
