import type { SentenceMentions } from './build-facts.ts';
import { type Mention, TIME_WORDS } from './find-mentions.ts';
import type { NounLexicon } from './noun-lexicon.ts';
import { isBase, isGerund, isVerb, type Token } from './tagger.ts';
import { BE_FORMS } from './words.ts';

const OBJECT_OPENERS: ReadonlySet<string> = new Set(['DET', 'PRON', 'NOUN', 'PROPN', 'ADJ', 'NUM']);
const PARTICLES: ReadonlySet<string> = new Set('up out off down away over back'.split(' '));
/** Verbs that take another verb: "got hurt", "helped plant them". */
const HELPERS: ReadonlySet<string> = new Set(['get', 'let', 'help', 'feel']);

/**
 * Corrects words that the tagger takes for verbs or adjectives where the lexicon has a noun and the context does not
 * fit a verb or adjective: "a rocking chair", "I gave up wrestling", "We made curry", "Climbing ruined my knees",
 * "The ottoman is".
 */
export function retagNouns(tokens: readonly Token[], lexicon: NounLexicon): readonly Token[] {
  const subject = bareSubject(tokens);
  return tokens.map((token, at) => {
    const isNoun =
      (at < subject && token.pos === 'VERB' && lexicon.isNoun(token.lower)) ||
      (token.pos === 'VERB' && isNounForVerb(tokens, at, lexicon)) ||
      (token.pos === 'ADJ' && isNounForAdjective(tokens, at, lexicon));
    return isNoun ? { ...token, pos: 'NOUN' } : token;
  });
}

/** Whether an article precedes it and a verb or preposition follows it directly. */
function isNounForAdjective(tokens: readonly Token[], at: number, lexicon: NounLexicon): boolean {
  const [token, last, next] = [tokens[at]!, tokens[at - 1], tokens[at + 1]];
  if (last === undefined || next === undefined || !isDeterminer(last)) return false;
  return (isVerb(next) || next.pos === 'ADP') && lexicon.isThing(token.lower);
}

function isDeterminer({ pos, lower }: Token): boolean {
  return pos === 'DET' || /^(?:my|your|his|her|its|our|their)$/.test(lower);
}

function isNounForVerb(tokens: readonly Token[], at: number, lexicon: NounLexicon): boolean {
  const [token, last, next] = [tokens[at]!, tokens[at - 1], tokens[at + 1]];
  if (next?.pos === 'NOUN' && next.space)
    return beginsCompound(token, last) && lexicon.isNoun(`${token.lower} ${next.lower}`);
  if (!takesNoun(tokens, at) || (next !== undefined && hasObjectAfter(next, tokens[at + 2]))) return false;
  return lexicon.isThing(token.lower);
}

/** Whether an object follows: "boxing him", "boxing up her books". */
function hasObjectAfter(next: Token, second: Token | undefined): boolean {
  const isParticle = PARTICLES.has(next.lower) && second !== undefined;
  return mayBeObject(next) || (isParticle && mayBeObject(second));
}

/** True in "a rocking chair" and "It was hay fever". */
function beginsCompound(token: Token, last: Token | undefined): boolean {
  if (isGerund(token)) return last?.pos !== 'NOUN';
  if (last === undefined || !isBase(token)) return false;
  return isDeterminer(last) || last.pos === 'ADP' || ['be', 'have'].includes(last.lemma);
}

function mayBeObject({ pos, lower }: Token): boolean {
  return OBJECT_OPENERS.has(pos) && !TIME_WORDS.has(lower);
}

/** After an article, a preposition or another verb, or as the subject of the sentence. */
function takesNoun(tokens: readonly Token[], at: number): boolean {
  const [token, last, next] = [tokens[at]!, tokens[at - 1], tokens[at + 1]];
  if (last === undefined) return isGerund(token) && isVerb(next) && !isGerund(next!);
  if (last.lower === 'to') return false;
  if (last.pos === 'ADP' || last.lower === 'for' || isDeterminer(last)) return true;
  return last.pos === 'VERB' && !HELPERS.has(last.lemma);
}

/** Compounds up to this length are looked up as a whole; longer phrases by their last words. */
const LONGEST_COMPOUND = 2;

/**
 * Whether a common noun is kept even though no fact names it: something that people list with others of its kind
 * ("The goat died"), or an occupation ("They took me on as a baker"). Only statements count.
 */
export function isNamedOnce(
  { kind, start, end }: Mention,
  { sentence }: SentenceMentions,
  lexicon: NounLexicon,
): boolean {
  const { tokens, isQuestion, isWithdrawn, sincerity } = sentence;
  if (kind !== 'thing' || isQuestion || isWithdrawn || sincerity === 'ironic' || tokens.length === 0)
    return false;
  const words = tokens.slice(start, end).map(({ lower }) => lower);
  if (words.length > LONGEST_COMPOUND) return false;
  const noun = words.join(' ');
  return lexicon.isThing(noun) || (isRole(tokens, start) && lexicon.isOccupation(noun));
}

/** "I worked as a …", "She trained to be an …", "He became the …" */
function isRole(tokens: readonly Token[], start: number): boolean {
  const [article, before] = [tokens[start - 1], tokens[start - 2]];
  if (article?.pos !== 'DET' || before === undefined) return false;
  return before.lower === 'as' || before.lemma === 'become' || BE_FORMS.has(before.lower);
}

const LONGEST_SUBJECT = 4;

/** The length of a subject before "is", as in "Shed lock code is 4471": no verb stands right before "is". */
function bareSubject(tokens: readonly Token[]): number {
  const be = tokens.findIndex(({ lower }) => /^(?:is|are|was|were)$/.test(lower));
  const first = tokens[0] !== undefined && isDeterminer(tokens[0]) ? 1 : 0;
  if (be < first + 2 || be > first + LONGEST_SUBJECT) return 0;
  const isPlain = tokens
    .slice(first, be)
    .every(
      (token) => ['NOUN', 'PROPN', 'ADJ'].includes(token.pos) || (token.pos === 'VERB' && isBase(token)),
    );
  return isPlain && tokens[be - 1]!.pos === 'NOUN' ? be : 0;
}
