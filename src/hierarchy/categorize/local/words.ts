import type { NounTaxonomy } from '../../../inference/taxonomy/noun-taxonomy.ts';

const IRREGULAR = new Map(
  `children child|people people|men man|women woman|feet foot|teeth tooth|mice mouse|geese goose|lives life|wives wife
   knives knife|leaves leaf|loaves loaf|shelves shelf|wolves wolf|halves half|selves self|memories memory|movies movie
   cookies cookie|ties tie|pies pie|veggies veggie|hoodies hoodie|selfies selfie|photos photo|kiddos kiddo|oxen ox`
    .split(/[|\n]/)
    .map((pair) => pair.trim().split(' ') as [string, string]),
);

/** Words that are at home in this form. */
const PLURAL_ONLY = new Set(
  `clothes glasses news politics series species goods classics headquarters pants jeans shorts scissors physics
   economics mathematics gymnastics athletics ethics outdoors thanks means gas bus lens yoga chess tennis diabetes
   always process business stress dress class glass grass boss loss pass access success progress address congress
   christmas canvas campus virus bonus status focus census circus genius surplus corps mess illness fitness wellness`.split(
    /\s+/,
  ),
);

/** The singular of a lower-case noun, if that is what is known. */
export function baseForm(word: string, isKnown: (word: string) => boolean): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length <= 3 || !word.endsWith('s') || PLURAL_ONLY.has(word) || /(?:ss|us|is)$/.test(word))
    return word;
  const candidates = /ies$/.test(word)
    ? [`${word.slice(0, -3)}y`, word.slice(0, -1)]
    : [word.slice(0, -1), ...(/(?:ch|sh|x|z|s|o)es$/.test(word) ? [word.slice(0, -2)] : [])];
  return (
    candidates.find(isKnown) ??
    (isKnown(word) ? word : candidates.at(/(?:ch|sh|x|z|s)es$/.test(word) ? -1 : 0)!)
  );
}

export function plural(word: string): string {
  for (const [many, one] of IRREGULAR) if (one === word) return many;
  if (PLURAL_ONLY.has(word) && word.endsWith('s') && !/(?:ss|us|as)$/.test(word)) return word;
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(?:tech|stomach|monarch|epoch)$/.test(word)) return `${word}s`;
  if (/(?:ch|sh|x|z|s)$/i.test(word)) return `${word}es`;
  return `${word}s`;
}

/** What stands before these says what a name names: "bottle of wine", "talk about climate". */
const PREPOSITION =
  /\s(?:of|for|in|with|at|on|from|about|to|by|near|under|over|during|between|against|without|like|that|who|which|named|called)\s.*$/i;

export function beforePreposition(name: string): string {
  return name.replace(/\s*\([^)]*\)\s*$/, '').replace(PREPOSITION, '');
}

/** Words of a name as they are written. */
export function wordsOf(name: string): readonly string[] {
  return (
    name.match(/[\p{L}\p{N}][\p{L}\p{N}'’.&+#-]*/gu)?.map((word) => word.replace(/(?:['’]s|['’.-])$/u, '')) ??
    []
  );
}

/** English adjectives that the taxonomy knows as nouns too, mostly used as the former. */
const ADJECTIVES = new Set(
  `more then now two so one even first still here much little good same small three high old back last there great no
   possible enough far well better thus large down four right american second best whole young low five present close
   dark open social general true full major real clear necessary dead few national normal six third white short
   single simple tall forward public common modern ten black special deep ready blue basic bad red final above
   following left heavy latter dominant half local cold free entire gray over impossible outside personal straight
   average former recent private specific natural particular wild wrong essential sharp thick brown quick daily eight
   empty firm inside maximum regular fast fourth broad professional active main seven total like ordinary poor solid
   technical upper bitter equal limited primary as original pale friendly nice quiet rich yellow complex independent
   positive cool funny international green hundred mere relative safe familiar mean commercial fat opposite sweet clean
   extreme minimum ultimate wet narrow northern prior rough separate tonight willing flat initial liquid nine organic
   rapid superior universal valuable worth eager sensitive tough twelve brief dry principal twenty worse blind central
   formal fundamental lost upstairs behind fine longer married overall perfect round sick thirty unknown absolute aside
   chief constant contemporary electric secret smooth faint innocent negative smart swift wise double external fair
   fifth glad minor permanent plain potential probable remote aesthetic bold desperate intermediate moderate pink sixth
   working brave calm drunk fit literal lovely out preliminary prime primitive secondary steady stupid ancient
   cooperative dependent gross ideal leading parallel radical sore unfortunate dear ill neutral purple silver stern
   tender variable worst absurd comprehensive crude inevitable infinite intimate moral native romantic stable weird
   alert beloved collective deaf due fake given gradual grand least net abstract alternate contrary damp disabled
   elderly exclusive faithful idle multiple newborn noble optimum partial passive progressive super temporary upright
   acute alien born coming cross cut feminine forth joint lean looking pro rational royal spare stiff utmost wandering
   welcome dynamic ethnic fancy frank handy hopeful imperfect inferior interim jolly keen okay portable senior junior
   shy extra new big long own other different next many several various certain happy sad proud whole amazing upcoming
   fellow online future past current favorite favourite fav dream nearby hard soft hot warm easy busy physical mental
   successful trip-free loving supportive future-proof younger older bigger better self full-time part-time`.split(
    /\s+/,
  ),
);

/** Nouns that say nothing about what a thing is. */
const EMPTY = new Set(
  `thing stuff way time lot kind sort bit other others part one ones type form case fact point matter item piece set
   moment day people person individual man woman guy someone something anything everything name number use need side level area
   place state thos individual effect example reason result chance bunch couple pair mine whole half rest end start look take make get yup yeah whoa wow ha hey
   okay fyi like feel life love face hit hearing seeing knowing growing go being`.split(/\s+/),
);

/** Nouns that stand for any other: what is before them says more. */
const PLACEHOLDERS = new Set(
  `thing things stuff kind kinds type types sort sorts bit bits lot lots item items one ones other others piece
   pieces mine yours`.split(/\s+/),
);

/** "tech stuff" is about tech, "simple things" about nothing that could be told. */
export function tellingWords(words: readonly string[]): readonly string[] {
  const end = words.findLastIndex((word) => !PLACEHOLDERS.has(word.toLowerCase()));
  return words.slice(0, end + 1);
}

/** As it stands, not in the plural: "local", but not "secrets". */
export function isUsuallyAdjective(word: string): boolean {
  return ADJECTIVES.has(word);
}

export function isAdjective(word: string): boolean {
  return ADJECTIVES.has(word) || /.(?:ful|ous|ive|able|ible|less|ish|minded)$/.test(word);
}

export function saysNothing(word: string): boolean {
  return EMPTY.has(word) || word.length < 2;
}

export function isKnownNoun(word: string, taxonomy: NounTaxonomy): boolean {
  return taxonomy.sensesOf(word).some((sense) => taxonomy.namesOf(sense).some((name) => name === word));
}
