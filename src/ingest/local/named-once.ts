import type { SentenceMentions } from './build-facts.ts';
import type { Mention } from './find-mentions.ts';
import type { NounLexicon } from './noun-lexicon.ts';
import type { Token } from './tagger.ts';
import { BE_FORMS } from './words.ts';

/** A word or compound that says by itself what it names; longer phrases are looked up by their last words. */
const LONGEST_COMPOUND = 2;

/**
 * Whether a common noun is worth keeping though no fact speaks of it: something that people list with others of its
 * kind ("The goat died"), or what somebody worked as ("They took me on as a baker"). Only what is stated counts.
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
