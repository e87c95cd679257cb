const OPENING = String.raw`(?:(?:wow|oh|aw+|hey|yay|haha|ah|yeah|yes|well|so|ok|okay)[,!.]*\s+)*(?:\p{Lu}\p{Ll}+[,!]\s+)?`;
const PRAISE = `awesome|great|amazing|cool|wonderful|fantastic|lovely|inspiring|impressive|nice|good|beautiful|exciting|incredible|tough|sweet|rough|terrible|sad|interesting|fun|perfect`;
const REACTIONS = [
  String.raw`congrat\w*`,
  `that['’]?s? (?:is |sounds |must |so |really |very |such |pretty |super |an? )*(?:${PRAISE})`,
  `sounds? (?:like|so|really|great|awesome|amazing|good|fun|cool|nice|delicious)`,
  `i(?:['’]m| am) (?:so |really |very )?(?:glad|happy|proud|sorry|excited) (?:to hear|for you|you|that you|of you)`,
  `(?:so )?(?:glad|happy|proud) (?:to hear|for you|you|of you)`,
  `good (?:luck|job|for you)|way to go|nice (?:job|work|one)|great (?:job|work|idea)|keep (?:up|it up|going)|well done`,
  `thanks|thank you|no (?:problem|worries)|you(?:['’]re| are) (?:welcome|so|doing|right|amazing|awesome)`,
  `can['’]t wait to (?:see|hear)|love (?:that|your)|what an?|hope you|enjoy|take care|let me know`,
];
const REACTION = new RegExp(`^${OPENING}(?:${REACTIONS.join('|')})(?![\\p{L}])`, 'iu');

/** A sentence without its comment on what somebody else said; null if it has none. */
export function afterReaction(sentence: string): string | null {
  const found = REACTION.exec(sentence);
  return found === null ? null : sentence.slice(found[0].length);
}
