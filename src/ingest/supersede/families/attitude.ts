import { type ClaimPart, type FamilyRules, part } from '../claim.ts';
import { isChange, objectOf, wholeObjectOf, wordsOf } from '../predicate.ts';

const LIKES =
  /^(?:(?:has )?(?:loves?|likes?|enjoys?|adores?|loved|come to love|grown to love|started to (?:like|love|enjoy)|started (?:liking|loving))|is (?:into|fond of|a (?:big |huge )?fan of|crazy about|obsessed with)|fell in love with) (.+)$/;
const DISLIKES =
  /^(?:hates?|dislikes?|detests?|despises?|cannot stand|does not (?:like|love|enjoy|care for)|no longer (?:likes|loves|enjoys|cares for)|is (?:no longer|not) (?:into|fond of|a (?:big |huge )?fan of)|is (?:tired|sick|bored) of|(?:has )?(?:lost interest in|fell out of love with|fallen out of love with)) (.+)$/;
const PREFERS = /^prefers (.+?) (?:to|over) (.+)$/;
const NO_OBJECT = /^(?:it|that|this|them|how|when|what|being|to be)\b/;
const GRADED = /\b(?:as much|that much|much|enough|at first)\b/;
const PAST = /^(?:loved|liked|enjoyed)\b/;

/** Likes and dislikes of one thing: they flip, and leave those of other things alone. */
export const attitude: FamilyRules = {
  cues: 'love like enjoy hate dislike prefer stand fan',
  read(predicate) {
    const { text } = predicate;
    if (PAST.test(text) || GRADED.test(text)) return [];
    const prefers = PREFERS.exec(text);
    if (prefers !== null)
      return [
        ...about('holds', prefers[1]!, { isPreference: true }),
        ...about('denies', prefers[2]!, { isPreference: true }),
      ];
    const dislikes = DISLIKES.exec(text);
    if (dislikes !== null) return about('denies', dislikes[1]!);
    const likes = LIKES.exec(text);
    if (likes === null) return [];
    const again = /\bagain\b/.test(text) && isChange(predicate);
    const resumed = part({ family: 'habit', phase: 'begins', value: wordsOf(objectOf(likes[1]!)) });
    return [...about('holds', likes[1]!), ...(again ? [resumed] : [])];
  },
};

function about(phase: 'holds' | 'denies', said: string, { isPreference = false } = {}): ClaimPart[] {
  const object = wholeObjectOf(said);
  const value = wordsOf(object);
  if (value.size === 0 || NO_OBJECT.test(object)) return [];
  return [part({ family: 'attitude', phase, value, slot: isPreference ? 'preference' : '' })];
}
