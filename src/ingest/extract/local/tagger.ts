import type { PartOfSpeech } from 'wink-nlp';
import { sharedTaggerModel, winkCore } from './tagger-model.ts';
import { KIN, MODALS } from './words.ts';

export interface Token {
  readonly text: string;
  readonly lower: string;
  readonly pos: PartOfSpeech;
  readonly lemma: string;
  /** Whether a space precedes it. */
  readonly space: boolean;
}

export type Tagger = (sentence: string) => readonly Token[];

/**
 * The parts of wink's model that find entities, negations and sentiments are not used here. `metaCER` also stringifies
 * its previous result at every load, so that about the sixth load takes gigabytes.
 */
const NO_MACHINES = { machines: ['[]'], transformers: [] };
const UNUSED = Object.fromEntries(
  ['sbd', 'ner', 'negation', 'sa', 'metaCER'].map((part) => [part, () => NO_MACHINES]),
);

/** wink keeps every unknown word; after this number of turns a new tagger is created to release them. */
const TURNS_PER_TAGGER = 100_000;
let shared: { readonly tag: Promise<Tagger>; turns: number } | null = null;

/**
 * One tagger for all memories of the process: it takes some tens of milliseconds and megabytes. Its result for a sentence
 * does not depend on earlier sentences.
 *
 * @param turns - number of turns that are about to be read.
 */
export async function sharedTagger(turns: number): Promise<Tagger> {
  // The promise is kept, so that callers at the same time wait for one tagger.
  if (shared === null || shared.turns > TURNS_PER_TAGGER) shared = { tag: createTagger(), turns: 0 };
  shared.turns += turns;
  return shared.tag;
}

/** Loads the library and its model only now: programs that only search need neither. */
async function createTagger(): Promise<Tagger> {
  const [{ default: winkNLP }, { default: model }, core] = await Promise.all([
    import('wink-nlp'),
    import('wink-eng-lite-web-model'),
    sharedTaggerModel(),
  ]);
  const nlp = winkNLP({ ...model, ...UNUSED, core: () => winkCore(core) }, ['pos']);
  const { its } = nlp;
  return (sentence) => {
    const tokens = nlp.readDoc(sentence).tokens();
    const [texts, tags] = [tokens.out(), tokens.out(its.pos) as PartOfSpeech[]];
    const [lemmas, spaces] = [
      tokens.out(its.lemma as never) as string[],
      tokens.out(its.precedingSpaces) as string[],
    ];
    const raw = texts.map((text, at) => toToken(text, tags[at]!, lemmas[at]!, spaces[at]! !== ''));
    return corrected(joinHyphens(raw));
  };
}

function toToken(text: string, pos: PartOfSpeech, lemma: string, space: boolean): Token {
  return { text, lower: text.toLowerCase(), pos, lemma, space };
}

/** wink splits "self-care" in three and "O-" in two; here each is one word, with the class of its last part. */
function joinHyphens(tokens: readonly Token[]): Token[] {
  const joined: Token[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const [token, last, next] = [tokens[at]!, joined.at(-1), tokens[at + 1]];
    // "Let's Encrypt" is a name; elsewhere "let's" was expanded.
    if (token.text === "'s" && last?.text === 'Let') {
      joined[joined.length - 1] = toToken("Let's", 'PROPN', "let's", last.space);
      continue;
    }
    const binds =
      token.text === '-' && !token.space && next !== undefined && !next.space && last !== undefined;
    if (last !== undefined && isSignOf(token, last, next)) {
      const pos = last.pos === 'DET' ? 'NOUN' : last.pos;
      joined[joined.length - 1] = toToken(
        `${last.text}${token.text}`,
        pos,
        `${last.lemma}${token.text}`,
        last.space,
      );
      continue;
    }
    if (!binds || !/\w$/.test(last.text) || !/^\w/.test(next.text)) {
      joined.push(token);
      continue;
    }
    joined[joined.length - 1] = toToken(
      `${last.text}-${next.text}`,
      next.pos,
      `${last.lower}-${next.lemma}`,
      last.space,
    );
    at += 1;
  }
  return joined;
}

/** "O-", "4*": the sign of a value before a space or the end. */
function isSignOf({ text, space }: Token, last: Token, next: Token | undefined): boolean {
  if (space || (next?.space === false && /^[\p{L}\p{N}]/u.test(next.text))) return false;
  if (text === '*') return /^\d(?:[.,]\d)?$/.test(last.text);
  return /^[-−]$/.test(text) && /^(?:[A-FO]|AB)$/.test(last.text);
}

const IS: Token = { text: 'is', lower: 'is', pos: 'AUX', lemma: 'be', space: true };
const HAS: Token = { text: 'has', lower: 'has', pos: 'AUX', lemma: 'have', space: true };

/** Corrects frequent errors of the tagger in chat. */
function corrected(tokens: readonly Token[]): Token[] {
  const fixed: Token[] = [];
  for (const [at, token] of tokens.entries()) {
    fixed.push(correct(token, fixed, tokens.slice(at + 1, at + 3)));
  }
  return fixed.some(isVerb) ? fixed : withVerb(withInstruction(fixed));
}

/** Nouns that are verbs where a line begins with them or a plural precedes them, and an object follows. */
const USUALLY_VERBS: ReadonlySet<string> = new Set(['use', 'offer', 'visit', 'increase', 'check', 'share']);
const USUALLY_DONE: ReadonlySet<string> = new Set([...USUALLY_VERBS, 'love', 'need', 'value', 'face']);

/** "Offer discounts": a line without a verb that begins with one of these words tells to do something. */
function withInstruction(tokens: Token[]): Token[] {
  const [first, next, ...rest] = tokens;
  if (first === undefined || !USUALLY_VERBS.has(first.lower) || !isPartOfObject(next)) return tokens;
  return [{ ...first, pos: 'VERB' }, next!, ...rest];
}

/** "Many farms offer lunches", "Kids love nature". */
function isMistaggedPlural({ lower }: Token, last: Token, next: Token | undefined): boolean {
  const isSubject = last.pos === 'NOUN' && last.lower !== last.lemma && last.lower.endsWith('s');
  return isSubject && USUALLY_DONE.has(lower) && isPartOfObject(next);
}

export function isPartOfObject(token: Token | undefined): boolean {
  return token !== undefined && ['NOUN', 'PROPN', 'ADJ', 'DET', 'PRON', 'NUM'].includes(token.pos);
}

/** "Emma repairs clocks": in a sentence without a verb, a word in "-s" after a name is the verb. */
function withVerb(tokens: Token[]): Token[] {
  const at = tokens.findIndex(({ pos, lower, lemma }, index) => {
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    if (pos !== 'NOUN' || lower === lemma || !lower.endsWith('s') || before === undefined) return false;
    const isSubject = /^\p{Lu}\p{Ll}/u.test(before.text) || KIN.has(before.lower);
    return (
      isSubject && ['NOUN', 'PROPN', 'DET', 'ADJ', 'PRON', 'NUM', 'ADP', 'ADV'].includes(next?.pos ?? '')
    );
  });
  return at < 0 ? tokens : tokens.map((token, index) => (index === at ? { ...token, pos: 'VERB' } : token));
}

function correct(token: Token, before: readonly Token[], [next, second]: readonly Token[]): Token {
  const last = before.at(-1);
  // "I no longer drive", "I do not drive any more": adverbs of time, not determiners.
  if (token.lower === 'no' && next?.lower === 'longer') return { ...token, pos: 'ADV' };
  if (token.lower === 'longer' && last?.lower === 'no') return { ...token, pos: 'ADV' };
  // "Way too late", "way better": a degree, no noun.
  if (
    token.lower === 'way' &&
    /^(?:too|more|less|better|worse|over|past|ahead|back|before)$/.test(next?.lower ?? '')
  )
    return { ...token, pos: 'ADV' };
  if (token.lower === "'s" && next !== undefined && isAfterIs(next))
    return [next, second].some((word) => word?.lower === 'been') ? HAS : IS;
  if (last !== undefined && isMistaggedName(token, last)) return { ...token, pos: 'PROPN' };
  if (token.lower === 'to' && next?.pos === 'VERB') return { ...token, pos: 'PART' };
  if (last !== undefined && token.pos === 'NOUN' && isMistaggedVerb(token, last, next))
    return { ...token, pos: 'VERB' };
  if (last !== undefined && token.pos === 'NOUN' && isMistaggedPlural(token, last, next))
    return { ...token, pos: 'VERB' };
  if (last !== undefined && token.pos === 'NOUN' && isMistaggedThirdPerson(token, last, next))
    return { ...token, pos: 'VERB' };
  if (last !== undefined && next !== undefined && isMistaggedPast(token, last, next))
    return { ...token, pos: 'VERB' };
  if (last === undefined || !['NOUN', 'ADJ', 'PROPN'].includes(token.pos)) return token;
  const subject = last.pos === 'ADV' || last.lower === 'not' ? before.at(-2) : last;
  const afterSubject = subject !== undefined && ['i', 'we'].includes(subject.lower);
  const afterModal = MODALS.has(last.lower) || (last.lower === 'to' && subject?.pos === 'VERB');
  return afterSubject || (afterModal && token.pos === 'NOUN' && last.pos !== 'ADP')
    ? { ...token, pos: 'VERB' }
    : token;
}

/** "Giving my talk", "am carving out", "let us spread": tagged as nouns, used as verbs. */
function isMistaggedVerb({ lower }: Token, last: Token, next: Token | undefined): boolean {
  if (last.lower === 'us' || last.lower === 'who') return true;
  if (!lower.endsWith('ing') || next === undefined) return false;
  if (next.pos === 'DET' || /^(?:my|your|our|his|her|their|me|you|us)$/.test(next.lower))
    return last.pos !== 'DET';
  return last.lemma === 'be' && ['ADP', 'NOUN', 'ADJ', 'ADV', 'PROPN'].includes(next.pos);
}

/** "The rent costs 900 euros". */
const MEASURES =
  /^(?:costs|lasts|measures|weighs|earns|runs|seats|holds|covers|takes|needs|spans|charges|pays|averages|hosts|counts|totals|makes|starts|opens|closes|ends)$/;

/** "My sister lives in Ghent": the noun "lives" is not followed by "in", "with" or "there". */
function isMistaggedThirdPerson({ lower }: Token, last: Token, next: Token | undefined): boolean {
  if (!['NOUN', 'PROPN'].includes(last.pos) || next === undefined) return false;
  if (next.pos === 'NUM' || /^[$€£]/.test(next.text)) return MEASURES.test(lower);
  if (!/^(?:lives|works|plays|studies|walks|dreams|talks|moves|runs)$/.test(lower)) return false;
  return /^(?:in|at|with|near|alone|here|there|abroad|nearby|for|as|on|by|next|to|with)$/.test(next.lower);
}

/** "A moose chased me", "Somebody trampled my mint": a word between a subject and an object is a verb. */
function isMistaggedPast({ lower, pos }: Token, last: Token, next: Token): boolean {
  if (pos !== 'NOUN' && (pos !== 'ADJ' || last.pos !== 'PRON')) return false;
  if (!/.{2}[^e]ed$/.test(lower) || !['NOUN', 'PROPN', 'PRON'].includes(last.pos)) return false;
  return /^(?:me|him|us|them|my|your|his|her|our|their)$/.test(next.lower);
}

/** "My colleague Rob invited me": a capitalised word inside a sentence is a name, even if it is also another word. */
function isMistaggedName({ text, pos }: Token, last: Token): boolean {
  return last.text !== '"' && ['VERB', 'ADJ', 'NOUN', 'ADV'].includes(pos) && /^\p{Lu}\p{Ll}+$/u.test(text);
}

function isAfterIs({ pos, lower }: Token): boolean {
  if (pos === 'DET' || (pos === 'ADV' && lower !== 'very')) return true;
  return ['not', 'been', 'so', 'my', 'your', 'great', 'good', 'going', 'getting', 'pretty'].includes(lower);
}

/** The text of a run of tokens with its original spaces. */
export function joinTokens(tokens: readonly Pick<Token, 'text' | 'space'>[]): string {
  return tokens.map((token, at) => (at > 0 && token.space ? ` ${token.text}` : token.text)).join('');
}

export function isVerb(token: Token | undefined): boolean {
  return token !== undefined && (token.pos === 'VERB' || token.pos === 'AUX');
}

/** wink uses an unknown word as its own lemma, so the ending decides. */
const UNKNOWN_ING = /^[a-z-]{3,}ing$/;
const UNKNOWN_ED = /^[a-z-]+[^e]ed$/;
const BASE_IN_ED: ReadonlySet<string> = new Set(['embed', 'shed', 'wed', 'need']);

export function isGerund({ pos, lower, lemma }: Token): boolean {
  return pos === 'VERB' && lower.endsWith('ing') && (lower !== lemma || UNKNOWN_ING.test(lower));
}

/** wink gives no tense: a verb that is neither its lemma, nor "-s", nor "-ing" is past or a participle. */
export function isPast(token: Token): boolean {
  if (!isVerb(token) || token.lower.endsWith('ing')) return false;
  if (token.lower === token.lemma) return isUnknownPast(token);
  return !['am', 'is', 'are', 'has', 'does', "'s"].includes(token.lower) && !isThirdPerson(token);
}

/** Whether it is the base form, which follows "I" but not "she". */
export function isBase(token: Token): boolean {
  return isVerb(token) && token.lower === token.lemma && !isUnknownPast(token) && !isGerund(token);
}

function isUnknownPast({ lower }: Token): boolean {
  return UNKNOWN_ED.test(lower) && !BASE_IN_ED.has(lower);
}

function isThirdPerson({ lower, lemma }: Token): boolean {
  return lower === `${lemma}s` || lower === `${lemma}es` || lower === `${lemma.slice(0, -1)}ies`;
}
