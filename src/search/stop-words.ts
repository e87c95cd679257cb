/**
 * English words that say nothing about a topic. Kept small: a word that may name something (will, may, us, can,
 * who as a band) costs recall when it is missing, and little when it stays, because BM25 weighs it down.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be been but by did do does for from had has have he her hers him his how i if in into is it
  its me my of on or our she so than that the their them then there these they this those to was we were what
  when where which who whom whose why with would you your yours http https www`.split(/\s+/),
);
