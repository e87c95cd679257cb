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
  "i'd": 'I would',
};
const ENDINGS: Readonly<Record<string, string>> = { m: 'am', ve: 'have', re: 'are', ll: 'will' };
const PRONOUNS = 'i|you|he|she|it|we|they|that|this|there|here|who|what|where|how|when|everything';
/** After "'s" these make it "has", after "'d" "had"; anything else "is" and "would". */
const PARTICIPLE =
  '(?: (?:always|never|just|already|really|only|also|not|recently|even))?(?: (?:been|got|had|gone|become|done|seen|made|taken|come|given|grown|met|known|found|started|changed|helped|happened|wanted|heard|learned|worked|loved|decided|better))\\b';

const CONTRACTION = /\b(\w+)n't\b|\b(\w+)'(m|ve|re|ll)\b/gi;
const SPECIAL_WORD = new RegExp(`(?<![\\w'])(?:${Object.keys(SPECIAL).join('|')})(?![\\w'])`, 'gi');
const HAS = new RegExp(`\\b(${PRONOUNS})'s(?=${PARTICIPLE})`, 'gi');
const IS = new RegExp(`\\b(${PRONOUNS})'s\\b`, 'gi');
const HAD = new RegExp(`\\b(${PRONOUNS})'d(?=${PARTICIPLE})`, 'gi');
const WOULD = new RegExp(`\\b(${PRONOUNS})'d\\b`, 'gi');

/** A common slip: "your welcome". */
const YOUR_FOR_YOU_ARE =
  /\byour(?= (?:completely|so|very|really|welcome|right|amazing|going|not|a|an|the)\b)/gi;

/** "I'm" as "I am", "didn't" as "did not", "gonna" as "going to": one form for the tagger and the statement. */
export function expandContractions(text: string): string {
  return text
    .replace(HAD, '$1 had')
    .replace(SPECIAL_WORD, special)
    .replace(CONTRACTION, (all, verb: string | undefined, word: string | undefined, ending: string) =>
      verb === undefined ? `${word} ${ENDINGS[ending.toLowerCase()] ?? all}` : `${verb} not`,
    )
    .replace(HAS, '$1 has')
    .replace(IS, '$1 is')
    .replace(WOULD, '$1 would')
    .replace(YOUR_FOR_YOU_ARE, 'you are')
    .replace(/ & /g, ' and ')
    .replace(/\bw\/ ?/g, 'with ')
    .replace(/\bi\b(?!\.)/g, 'I');
}

function special(word: string): string {
  const plain = SPECIAL[word.toLowerCase()] ?? word;
  const capital = /^[A-Z]/.test(word);
  return capital ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain;
}
