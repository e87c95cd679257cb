/** "for the bank", "to my laptop": up to five words between a label and what is said of it. */
const BRIDGE =
  '(?:\\s{1,3}(?:for|to|of|on|at|into|für|para|pour|voor|per)(?:\\s{1,2}(?!(?:and|but|or|is|was)\\b)[^\\s,;:=.!?"“]{1,30}){1,5}?)?';
const MARK = '\\s{0,3}(?:[:=：]|->|=>|→)[*_]{0,2}\\s{0,3}';
const VERB =
  "(?:\\s{1,3}(?:is|was|will be|ist|war|es|est|é|è|это)|['’]s)(?:\\s{1,2}(?:now|currently|still|just|simply|set to|going to be))?:?\\s{1,3}";
const VERB_WITHOUT_SPACE = '\\s?(?:是|は|는|은|为)[:：]?\\s{0,3}';

/** Between a label and its value: closing quotes of a key, a bridge, then a mark or a verb. Bounded, to be anchored by ^. */
export const MARKED_TAIL = new RegExp(`^["'\`*]{0,3}${BRIDGE}${MARK}`, 'iu');
export const SAID_TAIL = new RegExp(`^["'\`*]{0,3}${BRIDGE}(?:${VERB}|${VERB_WITHOUT_SPACE})`, 'iu');
/** Nothing but a space, a bracket or a number sign. */
export const BARE_TAIL = /^["'`*]{0,3}\s{0,2}(?:to\s|#|\(|-\s)?\s{0,2}(?=["'`“«\p{L}\p{N}])/u;
