export type Language = 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'zh' | 'ja' | 'other';

/** Words that hold a sentence together, by language. What English shares counts for English. */
const FUNCTION_WORDS: Readonly<Record<string, string>> = {
  en: `the and is are was were am be been of to it that this these those for you your with my have has had i we they he
    she her him his our their not but do did does on at in from as so if by an what when who how there here will would
    can could just about really all me us no yes or then than very too out up now a s t m d ll re ve don man die`,
  de: `ich bin und der die das nicht mit habe hat ist ein eine einen einem einer meine mein meinen meiner meinem wir sie er
    es auf für zu nach bei aus von aber auch war sind noch schon am im zum zur dem den des wie als oder wenn dass mir
    mich sich uns unser unsere gestern heute morgen letzte letzten letztes nächste nächsten sehr kein keine keinen seit
    heißt wohnt arbeitet wurde werden haben hatte sein seine ihr ihre du dich dir kann will doch danke ja nein waren wohnen liebe lieber bis ihm ihn morgens abends hier dort immer`,
  fr: `je j'ai ai le la les un une des et est suis dans pour avec mais pas ne n que qu qui ma mon mes nous vous il elle ils
    elles sur au aux du de ce cette très chez depuis hier demain avons à où ont était sont leur sa son ses en tu te
    toi moi se d l été aussi déjà alors habite travaille merci oui bonjour beaucoup demain samedi dimanche lundi prochaine dernière`,
  es: `yo el la los las un una unos y es en mi mis con para por pero que de del al se su sus está estoy soy tengo muy vive
    trabaja gusta me como ayer mañana hoy también nos fue más tiene hace desde este esta ha he hemos llama cuando lo le voy vamos hola gracias hasta bien pero martes lunes domingo sábado próxima pasado pasada`,
  it: `io il lo la gli le un una è e sono ho mia mio con per ma non che di del della nel nella da si al alla molto anche
    ieri domani vive lavora ha abito chiama questo questa ci mi ti siamo abbiamo`,
  pt: `eu o a os as um uma e é em no na do da com para mas não que meu minha de mora trabalha ontem muito também tenho sou
    está se foi ele ela nós amanhã chama por ao à`,
  nl: `ik ben een het de en van op aan niet met voor maar ook zijn heb hebt heeft wij we jij je mijn naar bij dat die wat hoe
    waar nog wel geen onze ons zij haar deze uit toen gisteren morgen vorige volgende is was heet woont werkt mij er te`,
};
const LANGUAGES = Object.keys(FUNCTION_WORDS) as (Language | 'en')[];
/** For each word a bit per language. */
const ENGLISH = 1;
const BY_WORD = languagesByWord();
/** "El Camino de la Sierra" in an English sentence is a name. */
const NAME =
  /\p{Lu}[\p{L}'-]+(?: (?:(?:de|del|la|las|los|el|le|les|du|des|di|da|do|van|von|der|den|y|e) ){0,3}\p{Lu}[\p{L}'-]+)+/gu;
const BETWEEN_WORDS = /[\s.,!?;:"()'\u2019/-]+/;
const BEYOND_LATIN = /[\u0250-\u1fff\u2c00-\uffff]/;
/** Of a longer sentence the beginning tells. */
const ENOUGH_LENGTH = 400;
const FEWEST_HITS = 2;
const FEWEST_UNKNOWN = 4;

function languagesByWord(): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  for (const [at, language] of LANGUAGES.entries()) {
    for (const word of FUNCTION_WORDS[language]!.trim().split(/\s+/)) {
      words.set(word, (words.get(word) ?? 0) | (1 << at));
    }
  }
  return words;
}

/**
 * The languages of a turn's sentences, null for English. One that says too little takes after the others of its
 * turn, unless it has an English word.
 */
export function languagesOf(sentences: readonly string[]): (Language | null)[] {
  if (!mayBeForeign(sentences)) return sentences.map(() => null);
  const found = sentences.map(foreignLanguage);
  const main = found.find((language) => language !== null) ?? null;
  if (main === null) return found;
  return found.map((language, at) => language ?? (hasEnglish(sentences[at]!) ? null : main));
}

/** Whether a turn has another script, other letters or two words of another language: nearly none does. */
function mayBeForeign(sentences: readonly string[]): boolean {
  const text = sentences.join(' ');
  if (/[\u00c0-\u1fff\u2c00-\uffff]/.test(text)) return true;
  let hits = 0;
  for (const word of text.toLowerCase().split(BETWEEN_WORDS)) {
    if (isForeign(BY_WORD.get(word))) hits += 1;
    if (hits >= FEWEST_HITS) return true;
  }
  return false;
}

function hasEnglish(text: string): boolean {
  return wordsIn(text).some((word) => ((BY_WORD.get(word) ?? 0) & ENGLISH) !== 0);
}

/**
 * The language of a sentence that is not English, else null. By its script, or by its function words, of which it
 * must have two, and more than of English: a foreign name or title in an English sentence has fewer.
 */
export function foreignLanguage(text: string): Language | null {
  return ofScript(text) ?? ofWords(text);
}

function ofScript(text: string): Language | null {
  if (!BEYOND_LATIN.test(text)) return null;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (latin * 2 > letters || letters === 0) return null;
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'other';
}

function ofWords(text: string): Language | null {
  const words = wordsIn(text);
  const foreign = words.filter((word) => isForeign(BY_WORD.get(word)));
  if (foreign.length < FEWEST_HITS) return hasNoEnglish(words, text) ? 'other' : null;
  return mostLikely(new Set(wordsIn(text.replace(NAME, ' '))));
}

/** Four words and more of which English has none, in letters that it does not have. */
function hasNoEnglish(words: readonly string[], text: string): boolean {
  if (!/[\u00c0-\u024f]/.test(text)) return false;
  const full = words.filter((word) => word !== '');
  return full.length >= FEWEST_UNKNOWN && !full.some((word) => ((BY_WORD.get(word) ?? 0) & ENGLISH) !== 0);
}

function wordsIn(text: string): string[] {
  return text.slice(0, ENOUGH_LENGTH).toLowerCase().split(BETWEEN_WORDS);
}

/** What English shares with others ("in", "am", "was") speaks for none of them. */
function isForeign(languages: number | undefined): languages is number {
  return languages !== undefined && (languages & ENGLISH) === 0;
}

function mostLikely(words: ReadonlySet<string>): Language | null {
  const known = [...words].map((word) => BY_WORD.get(word) ?? 0);
  const english = known.filter((languages) => languages === ENGLISH).length;
  const hits = LANGUAGES.map(
    (_, at) => known.filter((each) => isForeign(each) && (each & (1 << at)) !== 0).length,
  );
  const best = Math.max(...hits);
  return best >= FEWEST_HITS && best > english ? (LANGUAGES[hits.indexOf(best)] as Language) : null;
}
