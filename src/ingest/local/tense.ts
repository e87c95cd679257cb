export type Tense = 'past' | 'present' | 'future' | 'unknown';

const FUTURE =
  /\b(?:will|shall|going to|gonna|'ll|plan(?:s|ning)?|upcoming|tomorrow|looking forward|(?:can not|cannot|can't) wait|want(?:s)? to|hop(?:e|es|ing) to|excited (?:for|about)|coming up|thinking (?:of|about))\b/i;
const PAST =
  /\b(?:was|were|did|didn't|had|went|got|took|made|saw|met|came|began|paid|bought|brought|found|felt|gave|heard|kept|left|lost|ran|sang|said|sent|spent|taught|thought|told|won|wrote|ate|read|drove|flew|grew|knew|became|been|\w{2,20}ed|ago|yesterday)\b/i;
const PRESENT = /\b(?:am|is|are|'m|'re|have|has|do|does|i|we|can|start|starts|leave|leaves)\b/i;

/** Which way a bare "on Friday" or "in March" points. A plan counts as future even when it was made in the past. */
export function inferTense(text: string): Tense {
  if (FUTURE.test(text)) return 'future';
  if (PAST.test(text)) return 'past';
  return PRESENT.test(text) ? 'present' : 'unknown';
}
