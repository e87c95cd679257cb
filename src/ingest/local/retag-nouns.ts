import { TIME_WORDS } from './find-mentions.ts';
import type { NounLexicon } from './noun-lexicon.ts';
import type { Token } from './tagger.ts';
import { isBase, isGerund, isVerb } from './tokens.ts';

const OBJECT_OPENERS: ReadonlySet<string> = new Set(['DET', 'PRON', 'NOUN', 'PROPN', 'ADJ', 'NUM']);
const PARTICLES: ReadonlySet<string> = new Set('up out off down away over back'.split(' '));
/** Verbs with another behind them: "got hurt", "helped plant them". */
const HELPERS: ReadonlySet<string> = new Set(['get', 'let', 'help', 'feel']);

/**
 * Words that the tagger takes for verbs or adjectives where the lexicon knows a noun, and nothing follows that those
 * would have: "a rocking chair", "I gave up wrestling", "We made curry", "Climbing ruined my knees", "The ottoman is".
 */
export function retagNouns(tokens: readonly Token[], lexicon: NounLexicon): readonly Token[] {
  return tokens.map((token, at) => {
    const isNoun =
      (token.pos === 'VERB' && isNounForVerb(tokens, at, lexicon)) ||
      (token.pos === 'ADJ' && isNounForAdjective(tokens, at, lexicon));
    return isNoun ? { ...token, pos: 'NOUN' } : token;
  });
}

/** An article before it, and at once what the noun does, or where it is. */
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
  if (!takesNoun(tokens, at) || (next !== undefined && goesOn(next, tokens[at + 2]))) return false;
  return lexicon.isThing(token.lower);
}

/** With an object: "boxing him", "boxing up her books". */
function goesOn(next: Token, second: Token | undefined): boolean {
  const isParticle = PARTICLES.has(next.lower) && second !== undefined;
  return mayBeObject(next) || (isParticle && mayBeObject(second));
}

/** "A rocking chair", "It was hay fever". */
function beginsCompound(token: Token, last: Token | undefined): boolean {
  if (isGerund(token)) return last?.pos !== 'NOUN';
  if (last === undefined || !isBase(token)) return false;
  return isDeterminer(last) || last.pos === 'ADP' || ['be', 'have'].includes(last.lemma);
}

function mayBeObject({ pos, lower }: Token): boolean {
  return OBJECT_OPENERS.has(pos) && !TIME_WORDS.has(lower);
}

/** After an article, a preposition or another verb, or as what the sentence is about. */
function takesNoun(tokens: readonly Token[], at: number): boolean {
  const [token, last, next] = [tokens[at]!, tokens[at - 1], tokens[at + 1]];
  if (last === undefined) return isGerund(token) && isVerb(next) && !isGerund(next!);
  if (last.lower === 'to') return false;
  if (last.pos === 'ADP' || last.lower === 'for' || isDeterminer(last)) return true;
  return last.pos === 'VERB' && !HELPERS.has(last.lemma);
}
