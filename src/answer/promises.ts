const ASKS_PROMISE = /(?<!\p{L})promis(?:e|es|ed)(?!\p{L})/iu;
/** "I’ll lend you my drill", "Ann promised me a jar", but not "it looks promising". */
const PROMISES =
  /(?<!\p{L})(?:promis(?:e|es|ed)|swear|sworn|vow(?:s|ed)?|pledg(?:e|es|ed)|agreed to|offer(?:s|ed)? to|count on me)(?!\p{L})|(?:(?<!\p{L})(?:I|we)|\p{L})['’]ll(?!\p{L})|(?<!\p{L})(?:I|we|\p{Lu}[\p{L}-]+) (?:will|won['’]t)(?!\p{L})/u;
/** What happens without anybody's doing is no promise: "I’ll be thirty", "we’ll see". */
const NO_DEED =
  /(?:['’]ll|\bwill) (?:be (?!there|back|at|on|ready|careful)|see\b|miss\b|have to\b|need\b|never know)/u;

/**
 * Whether a text is a promise of the one whose promises a question asks for; null for other questions.
 *
 * @param isOfAsked Whether that one is the subject of a text.
 */
export function promiseIn(
  question: string,
  isOfAsked: ((text: string, speaker: string | null) => boolean) | null,
): ((text: string, speaker: string | null) => boolean) | null {
  if (!ASKS_PROMISE.test(question)) return null;
  return (text, speaker) =>
    PROMISES.test(text) && !NO_DEED.test(text) && (isOfAsked === null || isOfAsked(text, speaker));
}
