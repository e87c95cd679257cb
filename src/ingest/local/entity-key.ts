const LEADING = /^(?:(?:the|an?|my|your|his|her|its|our|their|this|that|these|those|some|any)\s+)+(?=\S)/i;
const POSSESSIVE = /'s?$/;
const KEEPS_ITS_S = /(?:ss|us|is|ics|news|series|species)$/;

/**
 * What makes two names the same entity: small letters, no article or possessive, the last word in the singular.
 * Two names with one key are one entity; the key is never shown.
 */
export function entityKey(name: string): string {
  const plain = name
    .trim()
    .slice(0, 200)
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(LEADING, '')
    .replace(POSSESSIVE, '');
  const space = plain.lastIndexOf(' ') + 1;
  return plain.slice(0, space) + singular(plain.slice(space));
}

function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || KEEPS_ITS_S.test(word)) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:[sxz]|[cs]h)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
