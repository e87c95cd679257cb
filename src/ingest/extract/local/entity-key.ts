import { entityNameKey } from '../../../util/tidy.ts';

const LEADING = /^(?:(?:the|an?|my|your|his|her|its|our|their|this|that|these|those|some|any) )+(?=\S)/;
const POSSESSIVE = /'s?$/;
const KEEPS_ITS_S = /(?:ss|us|is|ics|news|series|species)$/;
/** Longer names are compared up to this length. */
const MAX_LENGTH = 200;

/**
 * The key by which two mentions are the same entity: as `entityNameKey`, without article and possessive, with the
 * last word in the singular. The key is never shown.
 */
export function entityKey(name: string): string {
  let plain = entityNameKey(name.slice(0, MAX_LENGTH));
  if (plain.includes(' ')) plain = plain.replace(LEADING, '');
  if (plain.includes("'")) plain = plain.replace(POSSESSIVE, '');
  const space = plain.lastIndexOf(' ') + 1;
  return plain.slice(0, space) + singular(plain.slice(space));
}

function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || KEEPS_ITS_S.test(word)) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:[sxz]|[cs]h)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
