import { findMentions } from './find-mentions.ts';
import type { NounLexicon } from './noun-lexicon.ts';
import type { Speakers } from './speakers.ts';
import { joinTokens, type Token } from './tagger.ts';
import { FEMALE, KIN, MALE } from './words.ts';

/** A person whom a sentence names. */
export interface Referent {
  /** As the speaker would name them: "my sister", "Signe". */
  readonly name: string;
  readonly gender: 'she' | 'he' | null;
}

interface Searched {
  readonly speakers: Speakers;
  readonly lexicon: NounLexicon;
  /** Whether somebody else says it, whose "your sister" is the speaker's. */
  readonly isOther: boolean;
}

/** A sentence that names nobody. */
export const NO_REFERENT = 'nobody';

/**
 * The person whom a "he" or "she" of the next sentence means: the only one whom this sentence names, besides those who
 * talk. Null if it names several, or one without a name.
 */
export function referentIn(
  tokens: readonly Token[],
  { speakers, lexicon, isOther }: Searched,
): Referent | null | typeof NO_REFERENT {
  const found: (Referent | null)[] = [];
  const mentions = findMentions(tokens, speakers);
  for (const { start, end, kind, isSpeaker } of mentions) {
    if (isSpeaker) continue;
    // "My brother Callum": the name follows.
    const isNamedNext = mentions.some((next) => next.start === end && /^\p{Lu}/u.test(tokens[end]!.text));
    if (isNamedNext && isKin(tokens[end - 1]!)) continue;
    const words = tokens.slice(start, end);
    const [first, head, before] = [words[0]!, words.at(-1)!, tokens[start - 1]];
    const kin = [head, ...words, ...(before === undefined ? [] : [before])].find(isKin);
    const isName =
      /^\p{Lu}\p{Ll}/u.test(first.text) && (kind === 'person' || (kind === 'thing' && words.length < 3));
    if (!isName && kin === undefined && (!lexicon.isOccupation(head.lower) || isPredicate(tokens, start)))
      continue;
    const owner = OWN.test(before?.lower ?? '') ? before!.lower : null;
    const isUnnamed = (!isName && owner === null) || (head.lower !== head.lemma && !isName);
    const own = isOther ? (owner === 'your' ? 'my' : null) : owner === 'your' ? null : owner;
    const name = isName ? joinTokens(words) : `${own} ${joinTokens(words)}`;
    found.push(isUnnamed || (!isName && own === null) ? null : { name, gender: genderOf(kin?.lower ?? '') });
  }
  if (found.length === 0) return NO_REFERENT;
  const [only] = found;
  return found.every((each) => each !== null && each.name === only?.name) ? only! : null;
}

/** "Is a nurse": what somebody is. */
function isPredicate(tokens: readonly Token[], start: number): boolean {
  let at = start - 1;
  while (at > 0 && ['DET', 'ADJ', 'NOUN'].includes(tokens[at]!.pos)) at -= 1;
  return tokens[at]?.lemma === 'be' || tokens[at]?.lower === 'as';
}

const OWN = /^(?:my|our|your)$/;

function isKin({ lemma, lower }: Token): boolean {
  return KIN.has(lemma) || FEMALE.has(lower) || MALE.has(lower);
}

function genderOf(kin: string): Referent['gender'] {
  if (FEMALE.has(kin)) return 'she';
  return MALE.has(kin) ? 'he' : null;
}

const SUBJECT =
  /^((?:yes and|and|but|so|no|yes|yeah|now|then|also|oh|well),? )?(he|she)(?=(?:'s|'ll|'d|'ve)?(?![\p{L}'-]))/iu;
const OWNER = /^((?:and|but|so|no|yes),? )?(his|her)(?= \p{L})(?! (?:the|a|my|name)\b)/iu;

/** The sentence with the person in place of its first "he", "she", "his" or "her"; null if it begins otherwise. */
export function withReferent(text: string, { name, gender }: Referent): string | null {
  const subject = SUBJECT.exec(text);
  const [all, lead = '', word = ''] = subject ?? OWNER.exec(text) ?? [];
  if (all === undefined) return null;
  const said = /^s?he$/i.test(word) ? word.toLowerCase() : word.toLowerCase() === 'her' ? 'she' : 'he';
  if (gender !== null && gender !== said) return null;
  const rest = text.slice(all.length);
  return `${lead}${name}${subject === null ? "'s" : ''}${rest}`;
}
