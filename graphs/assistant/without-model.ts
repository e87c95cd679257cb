import { NEEDS_MODEL } from '../../src/model/fixed-replies.ts';
import { isChore } from './kind-of-message.ts';

/** What is made of words; a backup or an account is not. */
const TEXT =
  '(?:poem|haiku|limerick|rhyme|story|stories|tale|song|lyrics|joke|riddle|e-?mail|letter|message|reply|text|essay|article|post|tweet|speech|toast|slogan|caption|title|names?|list|plan|summary|outline|schedule|itinerary|agenda|menu|recipe|quiz|questions?|dialogue|description|paragraph|sentences?|report|review|cv|résumé|table|code|script|function|program|picture|image|drawing|logo|password)';
const SOME = '(?:a|an|the|another|some|two|three|four|five|ten|\\d+|my|our)';
/** Orders to make something new. "Write down that …" and "Draft due on Friday" are notes. */
const ORDER = new RegExp(
  `^(?:(?:please|hey|hi|hello|ok|so|now|can you|could you|would you|will you)[ ,]+)*(?:(?:write|compose|draft|invent|make up|improvise)(?: me| us| for me)?(?: up)? ${SOME} |(?:create|generate|design)(?: me| us| for me)? ${SOME} (?:\\p{L}+ ){0,3}${TEXT}(?!\\p{L})|(?:translate|rewrite|rephrase|paraphrase|proofread|summari[sz]e) (?:this|the following)\\b|translate (?:.{1,200} )?(?:in)?to \\p{L}+[.!?]*$|(?:calculate|compute|solve) |tell (?:me|us) (?:a|an|another|some) (?:\\p{L}+ ){0,2}(?:jokes?|story|stories|poems?|riddles?|fairy ?tales?)\\b)`,
  'iu',
);

/** The reply of an assistant without a model to an order that only a model can carry out; null for other messages. */
export function replyToOrder(text: string): string | null {
  return ORDER.test(text.trim()) && !isChore(text) ? NEEDS_MODEL : null;
}
