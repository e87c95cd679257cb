/** Letters of alphabets that tokenizers know by the word; every other character is about a token of its own. */
const KNOWN = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}\s]/gu;
const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_OTHER_CHARACTER = 0.75;

/** About how many tokens a text has, at once and without a vocabulary; rather too many than too few. */
export function roughTokens(text: string): number {
  const others = text.replace(KNOWN, '').length;
  const known = text.length - others;
  return Math.ceil(known / CHARACTERS_PER_TOKEN + others * TOKENS_PER_OTHER_CHARACTER);
}
