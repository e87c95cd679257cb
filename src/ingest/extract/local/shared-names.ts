import { append } from '../../../util/collections.ts';
import type { Mention } from './find-mentions.ts';
import { isVerb, type Token } from './tagger.ts';
import { ANIMATE_STATES, KIN } from './words.ts';

interface Mentioned {
  readonly sentence: { readonly tokens: readonly Token[] };
  readonly mentions: readonly Mention[];
}

const ANIMALS = /^(?:dog|cat|puppy|kitten|horse|pony|parrot|rabbit|hamster|tortoise|pet)$/;
const NAME = /^\p{Lu}[\p{L}'-]+$/u;

/**
 * Names that a unit uses of somebody's relative or animal and of a place ("my niece Georgia", "we flew to Georgia"), by
 * key, with the word that tells the first apart.
 */
export function sharedNames(sentences: readonly Mentioned[]): ReadonlyMap<string, string> {
  const [kin, places] = [new Map<string, string[]>(), new Set<string>()];
  for (const { sentence, mentions } of sentences) {
    for (const mention of mentions) {
      const role = NAME.test(mention.name) && !mention.isSpeaker ? roleOf(sentence.tokens, mention) : null;
      if (role !== null) append(kin, mention.key, role);
      else if (mention.kind === 'place') places.add(mention.key);
    }
  }
  return new Map([...kin].flatMap(([key, [role]]) => (places.has(key) ? [[key, role!] as const] : [])));
}

/** "Niece" in "my niece Georgia" and "Georgia is my niece". */
function roleOf(tokens: readonly Token[], { start, end }: Mention): string | null {
  const before = tokens[start - 1];
  if (before !== undefined && isRole(before)) return before.lower;
  if (tokens[end]?.lemma !== 'be' || !/^(?:my|our|his|her|their)$/.test(tokens[end + 1]?.lower ?? ''))
    return null;
  return tokens.slice(end + 2, end + 4).find(isRole)?.lower ?? null;
}

function isRole({ lower, lemma }: Token): boolean {
  return KIN.has(lemma) || ANIMALS.test(lower);
}

/**
 * The mention with the name of its bearer: the relative is "niece Georgia", also called "Georgia", the place keeps the
 * name. Without a word that tells, who does something is the relative.
 */
export function withBearer(
  mention: Mention,
  tokens: readonly Token[],
  shared: ReadonlyMap<string, string>,
): Mention {
  const role = shared.get(mention.key);
  if (role === undefined || mention.isSpeaker || !NAME.test(mention.name)) return mention;
  const next = tokens[mention.end];
  const isLiving = ANIMATE_STATES.has(tokens[mention.end + 1]?.lower ?? '');
  const acts = next !== undefined && isVerb(next) && (next.lemma !== 'be' || isLiving);
  const isPlace = mention.kind === 'place' || (mention.kind === 'thing' && !acts);
  if (isPlace && roleOf(tokens, mention) === null) return { ...mention, kind: 'place' };
  const name = `${role} ${mention.name}`;
  return { ...mention, name, key: `${role} ${mention.key}`, kind: 'person', alias: mention.name };
}
