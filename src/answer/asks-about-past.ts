/** Words that send a question to what is over. "Last" and dates are not among them: they may be said of now. */
const PAST_WORDS =
  'before previously previous formerly former earlier once originally ex anymore ago used until prior';
const PAST =
  /\b(?:before|prior to|previous(?:ly)?|former(?:ly)?|earlier|originally|used? to|back then|at (?:that|the) time|in the past|ago|until)\b/i;
/** "Did", "was" and "had" ask for what may be over; "has been" and "have" do not. */
const PAST_TENSE = /\b(?:did|didn['’]t|was|wasn['’]t|were|weren['’]t|had|hadn['’]t)\b/i;
const ANCHOR = /\b(?:before|prior to)\s+(.+)$/i;

/** These say that the past is meant, not what of it; nothing that is quoted need repeat them. */
export const WORDS_OF_PAST: readonly string[] = PAST_WORDS.split(' ');

/** Whether a question is for what is over, by its words rather than its tense. */
export function meansWhatIsOver(question: string): boolean {
  return PAST.test(question);
}

/** Whether facts that have ended may answer a question: "Where did Nora live before Ghent?" */
export function asksAboutPast(question: string): boolean {
  return PAST.test(question) || PAST_TENSE.test(question);
}

/** What the question wants to know the time before: "Ghent"; null when it does not say. */
export function askedBefore(question: string): string | null {
  return ANCHOR.exec(question)?.[1] ?? null;
}
