import type { Token } from './tagger.ts';

/** The text of a run of tokens, spaced as it was written. */
export function joinTokens(tokens: readonly Pick<Token, 'text' | 'space'>[]): string {
  return tokens.map((token, at) => (at > 0 && token.space ? ` ${token.text}` : token.text)).join('');
}

export function isVerb(token: Token | undefined): boolean {
  return token !== undefined && (token.pos === 'VERB' || token.pos === 'AUX');
}

/** wink leaves a word that it does not know as its own lemma: then the ending has to tell. */
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

/** The base form, as "I" takes it and "she" does not. */
export function isBase(token: Token): boolean {
  return isVerb(token) && token.lower === token.lemma && !isUnknownPast(token) && !isGerund(token);
}

function isUnknownPast({ lower }: Token): boolean {
  return UNKNOWN_ED.test(lower) && !BASE_IN_ED.has(lower);
}

function isThirdPerson({ lower, lemma }: Token): boolean {
  return lower === `${lemma}s` || lower === `${lemma}es` || lower === `${lemma.slice(0, -1)}ies`;
}
