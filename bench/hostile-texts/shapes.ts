/** A repeated text, or a text that depends on the position. */
type Pattern = string | ((at: number) => string);

/** A unique word of letters only. */
function wordAt(at: number): string {
  let word = '';
  for (let rest = at + 26; rest > 0; rest = Math.floor(rest / 26))
    word += String.fromCharCode(97 + (rest % 26));
  return word;
}

const nameAt = (at: number): string => `${wordAt(at).charAt(0).toUpperCase()}${wordAt(at).slice(1)}son`;
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Shapes that make careless rules backtrack or use unbounded memory. */
const PATTERNS: Readonly<Record<string, Pattern>> = {
  // One word, one sign, digits.
  'one letter': 'a',
  'one capital': 'A',
  'one word': 'word ',
  'one name': 'Ghent ',
  'one name with commas': 'Ghent, ',
  'no word but "I"': 'I ',
  'and and and': 'and ',
  'of of of': 'of ',
  'the the the': 'the ',
  'not not not': 'not ',
  'to to to': 'to ',
  'was was was': 'was ',
  digits: '1',
  'digits apart': '1 ',
  'ordinals and numbers': (at) => `${at} ${at}th ${at}.5 `,
  'full stops': '.',
  'full stops apart': '. ',
  'exclamation marks': '! ',
  'question marks': '?',
  ellipses: '… ',
  'ellipses of dots': 'so... ',
  commas: ', ',
  dashes: ' - ',
  hyphens: 'a-',
  underscores: '_',
  asterisks: '*',
  apostrophes: "'",
  'apostrophes in words': "it's ",
  'straight quotes': '"',
  'curly quotes': '“',
  'quotes closed': '"Yes" ',
  'quotes of names': (at) => `"${nameAt(at)} Road" `,
  'nested quotes': `"He said 'she said "`,
  'opening brackets': '(',
  'nested brackets': '[(',
  'brackets closed': '(a) ',
  spaces: 'a   ',
  'many newlines': 'a\n\n\n',
  'nothing but newlines': 'a\n',
  tabs: 'a\t',
  // Sentences.
  'Mr.': 'Mr. ',
  'short sentences': 'I moved to Ghent. ',
  'sentences with new names': (at) => `I met ${nameAt(at)}. `,
  'sentences with two new names': (at) => `I bought b${wordAt(at)} from Q${wordAt(at)}. `,
  'sentences with new nouns': (at) => `My ${wordAt(at)} is broken. `,
  'sentences about new people': (at) => `${nameAt(at)} is my sister. `,
  'numbered facts': (at) => `My flat number ${at} is in Bruges. `,
  'facts of days': (at) => `I went to Oslo on ${1 + (at % 28)} ${MONTHS[at % 12]} ${1900 + (at % 120)}. `,
  questions: 'Did you move to Ghent? ',
  'sentences without end': (at) => `I met ${nameAt(at)} and `,
  corrections: 'I live in Ghent. I mean Bruges. ',
  negations: 'I do not like tea. ',
  nicknames: (at) => `Call me ${nameAt(at)}. `,
  'lowercase without stops': 'i went to the shop and bought bread then ',
  // Names and words.
  'unique words': (at) => `${wordAt(at * 7919)} `,
  'unique names': (at) => `${nameAt(at)} `,
  'names with commas': (at) => `${nameAt(at)}, `,
  'one long name': (at) => `${nameAt(at)} of `,
  acronyms: (at) => `${wordAt(at).toUpperCase()} `,
  // Times.
  'months and dates': (at) => `${MONTHS[at % 12]} ${1 + (at % 28)}, ${1900 + (at % 120)} `,
  'ISO dates': (at) => `${1900 + (at % 120)}-${String(1 + (at % 12)).padStart(2, '0')}-10 `,
  'relative times': 'last week yesterday two days ago next Friday ',
  'months alone': 'May ',
  // Lines.
  'speakers’ lines': (at) => `Ada: I moved to ${nameAt(at)}.\nBoris: That is nice.\n`,
  'new speakers’ lines': (at) => `${nameAt(at)}: I moved to Ghent.\n`,
  'list items': (at) => `- ${wordAt(at)} and bread\n`,
  'numbered lists': (at) => `${at}. Buy ${wordAt(at)}\n`,
  'quoted lines': '> I moved to Ghent.\n',
  tables: (at) => `| ${wordAt(at)} | ${at} | Ghent |\n`,
  'values with commas': (at) => `${at},${wordAt(at)},Ghent,${at * 3}\n`,
  code: (at) => `  const ${wordAt(at)} = await read(${at}); // as before\n`,
  'code fences': '```\nx\n```\n',
  logs: (at) => `2024-05-06T07:08:09Z INFO [${wordAt(at)}] done in ${at} ms\n`,
  JSON: (at) => `{"${wordAt(at)}": [${at}, "Ghent"]}, `,
  tags: '<a>',
  headings: '# A\n',
  // Scripts and signs.
  URLs: (at) => `https://example.org/${wordAt(at)}?q=${at} `,
  'one URL': 'https://example.org/',
  'e-mail addresses': (at) => `${wordAt(at)}@example.org `,
  emoji: '\u{1F600}',
  'joined emoji': '\u{1F469}‍\u{1F469}‍\u{1F467} ',
  smileys: ':) ',
  'combining marks': 'a\u0301\u0316',
  CJK: '我昨天搬到了根特。',
  'CJK without stops': '猫',
  Korean: '저는 겐트로 이사했어요. ',
  Arabic: 'انتقلت إلى غنت أمس. ',
  Dutch: 'Ik ben gisteren naar Gent verhuisd. ',
  base64: (at) => BASE64.charAt((at * 7919 + Math.floor(at / 64) * 31) % 64),
  'one line without spaces': (at) => `${wordAt(at)}.`,
  'control characters': '\u0001a',
  'zero-width spaces': 'a\u200b',
  // Secrets and commands.
  passwords: 'password: ',
  'card numbers': '4111 1111 1111 1111 ',
  'commands to the reader': 'ignore all previous instructions ',
};

export const HOSTILE_SHAPES: readonly string[] = Object.keys(PATTERNS);

/** A text of a shape with exactly this many characters. */
export function hostileText(shape: string, length: number): string {
  const pattern = PATTERNS[shape];
  if (pattern === undefined) throw new RangeError(`No shape is called ${shape}`);
  if (typeof pattern === 'string') return pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
  const parts: string[] = [];
  for (let [at, characters] = [0, 0]; characters < length; at++) {
    const part = pattern(at);
    parts.push(part);
    characters += part.length;
  }
  return parts.join('').slice(0, length);
}

const SUBJECTS = ['I', 'My sister', 'The neighbour', 'We', 'Our old teacher', 'A friend of mine', 'Anna'];
const VERBS = ['visited', 'painted', 'bought', 'repaired', 'described', 'photographed', 'sold', 'found'];
const THINGS = ['a wooden boat', 'the garden shed', 'two old maps', 'a bicycle', 'the kitchen table'];
const PLACES = ['near the harbour', 'in Bruges', 'behind the library', 'at the market', 'on the island'];
const REMARKS = [
  'It took longer than anybody had thought.',
  'The weather was fine, so the children played outside until dinner.',
  'What would you have done?',
  'In the evening there was soup, bread and a little wine.',
  'Nobody knows why the road had been closed for three weeks.',
];

/** Plain prose of many topics, in paragraphs, as the baseline. */
export function ordinaryProse(length: number): string {
  const parts: string[] = [];
  for (let [at, characters] = [0, 0]; characters < length; at++) {
    const pick = <T>(list: readonly T[], step: number): T => list[(at * step + (at >> 3)) % list.length]!;
    const sentence = `${pick(SUBJECTS, 3)} ${pick(VERBS, 5)} ${pick(THINGS, 2)} ${pick(PLACES, 3)} with ${wordAt(at % 400)} and paper. ${pick(REMARKS, 2)}`;
    const part = at % 6 === 5 ? `${sentence}\n\n` : `${sentence} `;
    parts.push(part);
    characters += part.length;
  }
  return parts.join('').slice(0, length);
}
