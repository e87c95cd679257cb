const ASKS_SUMMARY =
  /^\s*(?:(?:please|can you|could you|would you)\s+){0,2}(?:(?:give|write|tell)(?: me| us)?\s+)?(?:an?\s+|the\s+)?(?:(?:short|brief|quick|clear|comprehensive|complete|full|overall)\s+){0,2}(?:summar(?:y|ise|ize)|sum up|recap|overview)\s+(?:of\s+|about\s+|on\s+|for\s+)?(?:me\s+)?(?:(?:what|how|everything|all)\s+(?:that\s+)?(?:happened|we (?:know|said|discussed)|went on|was said|there is|is known|changed)\s*(?:with|to|about|in|of|on)?\s+)?(?<topic>\S.{0,160}?)[\s?!.]*$/i;

/** In characters. */
const LONGEST = 400;

/** What a question asks to sum up: "the flat" of "Summarise what happened with the flat."; null for other questions. */
export function summaryAsked(question: string): string | null {
  return question.length > LONGEST ? null : (ASKS_SUMMARY.exec(question)?.groups?.topic ?? null);
}

/** Whether nothing remains to sum up in a question without its time: "Give me a summary of". */
export function isBareSummary(question: string): boolean {
  return /^(?:of|about|on|in|for|from|during)?$/i.test(summaryAsked(question) ?? '');
}
