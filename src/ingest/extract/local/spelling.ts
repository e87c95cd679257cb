/** How people type: without apostrophes, and shortened. */
const TYPED: Readonly<Record<string, string>> = {
  cant: "can't",
  wont: "won't",
  isnt: "isn't",
  arent: "aren't",
  wasnt: "wasn't",
  werent: "weren't",
  doesnt: "doesn't",
  havent: "haven't",
  hasnt: "hasn't",
  couldnt: "couldn't",
  wouldnt: "wouldn't",
  shouldnt: "shouldn't",
  youre: "you're",
  theyre: "they're",
  youve: "you've",
  weve: "we've",
  theyve: "they've",
  hes: "he's",
  shes: "she's",
  thats: "that's",
  whats: "what's",
  whos: "who's",
  theres: "there's",
  heres: "here's",
  u: 'you',
  ur: 'your',
  r: 'are',
  w: 'with',
  abt: 'about',
  bc: 'because',
  cos: 'because',
  coz: 'because',
  tho: 'though',
  pls: 'please',
  plz: 'please',
  prob: 'probably',
  probs: 'probably',
  gf: 'girlfriend',
  bf: 'boyfriend',
  hubby: 'husband',
  yrs: 'years',
  hrs: 'hours',
  mins: 'minutes',
  tmrw: 'tomorrow',
  tmr: 'tomorrow',
};
/** In lower case only: "U" and "W" are names. */
const TYPED_WORD = new RegExp(
  `(?<![\\p{L}\\p{N}'’./&-])(?:${Object.keys(TYPED).join('|')})(?![\\p{L}\\p{N}'’/&-])`,
  'gu',
);

/** Of whom one has one: "my dads" is "my dad's". */
const ONE =
  'mum|mom|dad|nan|gran|grandma|grandpa|grandad|wife|husband|girlfriend|boyfriend|boss|landlord|landlady|mother|father|partner';
const OTHERS =
  'sister|brother|son|daughter|cousin|friend|mate|girl|boy|kid|niece|nephew|aunt|uncle|neighbour|neighbor|flatmate|roommate';
const EVENTS =
  'funeral|wedding|party|bbq|interview|exam|birthday|appointment|viewing|match|concert|meeting|flight|dinner|operation|op|graduation|christening|deadline';
const BEFORE = '(?<=^|\\b(?:my|our|your|his|her|their|at|with|and|the|so|but) )';
const DOES =
  '(?:\\p{L}+ing|gonna|not|on|in|at|back|away|home|ill|sick|pregnant|retired|an?|the|so|very|now|still|always)';
const ONE_IS = new RegExp(`(?<!\\bat (?:my |our |his |her )?)${BEFORE}(${ONE})s(?= ${DOES}(?!\\p{L}))`, 'gu');
const ONE_HAS = new RegExp(`${BEFORE}(${ONE})s(?= (?:got|been|had|gone)\\b)`, 'gu');
const OF_ONE = new RegExp(
  `${BEFORE}(${ONE})s(?= [\\p{L}\\d])(?! (?:and|or|are|were|have|do|who|that)\\b)`,
  'gu',
);
const OTHER_IS = new RegExp(`${BEFORE}(${OTHERS})s(?= (?:\\p{L}+ing|gonna|an? \\p{L}+|not)(?!\\p{L}))`, 'gu');
const EVENT_IS = new RegExp(
  `\\b(${EVENTS})s(?= (?:the \\d|on |at |in |now |next |tomorrow|this |off\\b|cancelled))`,
  'gu',
);
/** "Theo's got a cold", "Tilly's done her wrist in": after whatever stands for somebody. */
const NAME_HAS =
  /(?<=\p{L}{2})'s(?= (?:just |already |also |finally |always |never )?(?:got|been|done|gone|had|started|stopped|quit|failed|passed|moved|broken|lost|left|taken|given|bought|sold|become|joined|decided|finished|won|asked|offered|agreed|promised|hurt|retired|died|come)(?!\p{L})| (?:already )?\p{L}{3,}ed (?:the|an?|my|our|his|her|it|me|us) )/gu;
const NAME_IS =
  /(?<=\p{L}{2})(?<!\b(?:st\.?|at|at (?:my|our|his|her|the)) \p{L}{1,20})'s(?= (?:not |also |still |now |just |always |very |so |really )?(?:allergic|pregnant|vegan|vegetarian|engaged|married|divorced|ill|sick|fine|better|due|back|off|away|moving|going|getting|having|coming|staying|starting|leaving|looking|working|living|doing|selling|buying|retiring|bringing|training|learning|studying|expecting|in|at|from|on|\p{L}+ intolerant)(?!\p{L}))/giu;
const ADDRESS_IS = /(?<=\b(?:my|our) (?:e-?mail|number|address|site|username))'s(?= \S*[\d@])/giu;
const IT_IS =
  /\bits(?= (?:an?|the|at|on|in|my|our|for|not|been|just|still|now|called|about|gonna|so|too|\d|\p{L}+ed|\p{L}+ing)(?![\p{L}]))/gu;
const I_WILL =
  /(?<=^|[,;.!] |\band |\bso |\bthen )ill(?= (?:take|be|do|have|get|go|see|call|bring|pay|come|make|send|try|ask|tell|book|swap|buy|keep|let|start|give|pick|cook|visit)\b)/giu;
const I_WOULD = /\bid(?= (?:like|love|rather|prefer|been|never|say)\b)/gu;

/** A sentence with the apostrophes and letters that people leave out when they type: "hes at my dads" is "he's at my dad's". */
export function spelt(text: string): string {
  return text
    .replace(TYPED_WORD, (word) => TYPED[word] ?? word)
    .replace(ONE_IS, '$1 is')
    .replace(ONE_HAS, '$1 has')
    .replace(OF_ONE, "$1's")
    .replace(OTHER_IS, '$1 is')
    .replace(EVENT_IS, '$1 is')
    .replace(NAME_HAS, ' has')
    .replace(NAME_IS, ' is')
    .replace(ADDRESS_IS, ' is')
    .replace(IT_IS, "it's")
    .replace(I_WILL, "I'll")
    .replace(I_WOULD, "I'd");
}
