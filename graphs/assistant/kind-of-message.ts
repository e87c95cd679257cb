/** Words that begin a question or a request, in the languages that the local rules read. */
const ASKING =
  /^(?:please\s+|so\s+|and\s+|but\s+|hey\s+|hi\s+)*(?:who|whom|whose|what|when|where|which|why|how|is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|tell|list|show|give|find|remind|explain|describe|summari[sz]e|compare|count|name|help|search|look)\b/i;
/** Those of them that may begin a note: "Find a plumber by Friday." */
const IMPERATIVE =
  /^(?:tell|list|show|give|find|remind|explain|describe|summari[sz]e|compare|count|name|help|search|look)\b/i;
const FIRST_PERSON =
  /(?:^|[^\p{L}])(?:i|i[’'](?:m|ve|ll|d)|my|mine|we|we[’'](?:re|ve|ll|d)|our|ours)(?:$|[^\p{L}])/iu;

/** "Keep this, please", "Remember that the spare key hangs in the shed" */
const KEEPING =
  /^(?:(?:please|ok|and|also),?\s+)*(?:(?:can|could|would|will) you\s+)?(?:please\s+)?(?:keep|save|store|file|remember|memori[sz]e|(?:make|take) a note|note(?: down)?|(?:write|jot) down|don[’']?t forget|do not forget|bear in mind)(?![\p{L}'’])/iu;
/** "Remind me tomorrow to call Ida", but not "Remind me what Ida said" */
const REMINDER =
  /^(?:please\s+)?(?:(?:can|could|would|will) you\s+)?(?:please\s+)?(?:remind (?:me|us)(?! (?:what|who|whom|whose|when|where|which|why|how|if|whether|of what)(?!\p{L})).*(?<!\p{L})(?:to|about|that|of|at|on|in)(?!\p{L})|(?:set|add|create|make) (?:me |us )?(?:a|an|another) (?:\p{L}+ )?(?:reminder|alarm|timer)(?!\p{L})|wake (?:me|us)(?!\p{L}))/iu;

/** The message is for the assistant: "please", "can you", "tell me". */
const ADDRESSED =
  /\b(?:please|(?:can|could|would|will) you|for me)\b|^(?:\S+\s+){0,3}?(?:write|tell|give|show|remind|send|make|find|create|draft|generate) (?:me|us)\b/i;
/** When something is to be done again or by then, which no reply does: "every Sunday", "by Friday". "About Sunday" is no such time. */
const DUE =
  /(?<!\b(?:about|for|from|to|with)\s)\b(?:(?:every|each) (?:\p{L}+ ){0,2}\p{L}+|(?:twice|once) (?:a|an|per) \p{L}+|daily|weekly|monthly|yearly|tomorrow|tonight|(?:by|until|before|on) (?:(?:next |the )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow|noon|the \d{1,2}(?:st|nd|rd|th)|\d{1,2} \p{L}+)|(?:next|this) (?:week(?:end)?|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|at \d[\d:.]*(?: ?[ap]m)?)[\s.!]*$/iu;
/** Of a list; in words. */
const LONGEST_ITEM = 8;

/** Whether a message in the imperative is a note of what its writer has to do: "Create a backup every Sunday." */
export function isChore(text: string): boolean {
  if (text.includes('?') || ADDRESSED.test(text)) return false;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isItem = (line: string) =>
    !line.trimEnd().endsWith(':') && line.trim().split(/\s+/).length <= LONGEST_ITEM;
  return DUE.test(text) || (lines.length > 1 && lines.every(isItem));
}

/** "Can you keep this?" asks for nothing else. */
const POLITE = /^(?:(?:please|ok|and|also),?\s+)*(?:can|could|would|will) you .*\?\s*$/iu;

/** A message of fewer words, without a question, is taken for key words to look up. */
const FEWEST_TOLD = 5;

interface MessageKind {
  readonly asks: boolean;
  /** It tells something of whoever writes it. A message can ask and tell, or do neither, as a few key words do. */
  readonly tellsOfSpeaker: boolean;
  readonly isKeyWords: boolean;
  /** It is to be kept: "Keep this, please." */
  readonly isToKeep: boolean;
  /** It asks for a signal at a time, which nobody gives. */
  readonly isReminder: boolean;
}

export function kindOfMessage(text: string): MessageKind {
  const sentences = text.split(/(?<=[.!?:\n])\s+/);
  const isReminder = REMINDER.test(text.trim());
  const isToKeep = isReminder || (KEEPING.test(text.trim()) && !/\?\s*$/.test(text.replace(POLITE, '')));
  const asks =
    (!isToKeep && text.includes('?')) ||
    sentences
      .slice(isToKeep ? 1 : 0)
      .some((each) => ASKING.test(each.trim()) && !(IMPERATIVE.test(each.trim()) && isChore(each)));
  const tellsOfSpeaker = FIRST_PERSON.test(text);
  const isKeyWords = !asks && !tellsOfSpeaker && !isToKeep && text.trim().split(/\s+/).length < FEWEST_TOLD;
  return { asks, tellsOfSpeaker, isKeyWords, isToKeep, isReminder };
}
