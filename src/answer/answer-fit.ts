import type { Milliseconds } from '../model/ids.ts';
import { readTimes } from '../time/read-times.ts';

/** Whether a sentence has a part of the sort that a question asks for; null if the question asks for none. */
export type AnswerFit = (sentence: string, said: Milliseconds) => boolean | null;

const ASKS = {
  when: /^\s*(?:(?:and|so)\s+)?(?:when|what (?:day|date|year|month|time)|which (?:day|date|year|month)|how long ago|since when)\b/i,
  duration: /\bhow (?:long|often|many (?:years|months|weeks|days|hours|times))\b/i,
  age: /\bhow old\b/i,
  number: /\bhow (?:many|much|tall|far|big)\b/i,
  where:
    /^\s*(?:(?:and|so)\s+)?(?:where|(?:in |to |at |from )?(?:which|what) (?:city|cities|country|countries|state|town|place|places|location))\b/i,
  who: /^\s*(?:(?:and|so)\s+)?(?:who|whom|whose|with whom|to whom|from whom)\b/i,
  why: /^\s*(?:(?:and|so)\s+)?(?:why|what (?:is|was) the reason|how come|what (?:motivates?|inspire[sd]?|motivated))\b/i,
} as const;
const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|dozen|couple|both|twice|once|several|few|half|pair)\b/i;
/** "Alva is seven." and "my seven-year-old", but not "Alva has seven hens". */
const AGE =
  /\b(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}{3,6}teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\p{L}+)?)(?:st|nd|rd|th)?(?= (?:years?|months?|weeks?|now|today|already|this|next|last|in|on|when|and|or)\b|-(?:year|month)|\W*$|[.,!?;:)])|\b(?:birthday|age[sd]?|turn(?:s|ed|ing)?)\b/iu;
const DURATION =
  /\b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|few|couple of|several|many) (?:years?|months?|weeks?|days?|hours?|minutes?|decades?)\b|\bsince\b|\b(?:every|each|daily|weekly|monthly|once|twice|times)\b/i;
const PLACE =
  /\b(?:in|at|to|from|near|around|of|through|visit\w*|toured?)\s+(?:the\s+|my\s+|our\s+)?(?:\p{Lu}[\p{L}'-]+|home|park|beach|mountains?|lake|forest|gym|studio|office|cafe|café|restaurant|school|church|museum|library|shelter|hospital|woods|countr\w+|roots)\b|\b(?:park|beach|mountains?|lake|forest|shelter|museum|country|city|town|place)\b/u;
export const PERSON =
  /(?<![\p{L}'’])(?:mom|mum|mother|dad|father|sister|brother|wife|husband|partner|boyfriend|girlfriend|friends?|famil(?:y|ies)|kids?|children|sons?|daughters?|aunt|uncle|cousins?|grandma|grandpa|grandmother|grandfather|colleagues?|co-?workers?|boss|neighbou?rs?|team(?:mates?)?|teacher|coach|mentor|group|crew)(?![\p{L}])/iu;
const CAPITALISED = /(?<=[\p{L},;:)] )\p{Lu}\p{L}+/u;
const REASON =
  /\b(?:because|since|so that|as it|to (?:help|make|give|be|get|share|learn|find|keep)|that['’]s why|made me|inspir\w+|motivat\w+|wanted to|reason|lost|helps? me|makes me)\b/i;

/** What a question asks for, by its words. @param isOfKind Whether a sentence names something of the asked kind. */
export function answerFit(question: string, isOfKind: ((sentence: string) => boolean) | null): AnswerFit {
  if (ASKS.when.test(question))
    return (sentence, said) => readTimes(sentence, { reference: said }).length > 0;
  if (ASKS.duration.test(question)) return (sentence) => DURATION.test(sentence) || NUMBER.test(sentence);
  if (ASKS.age.test(question)) return (sentence) => AGE.test(sentence);
  if (ASKS.number.test(question)) return (sentence) => NUMBER.test(sentence);
  if (ASKS.where.test(question)) return (sentence) => PLACE.test(sentence);
  if (ASKS.who.test(question)) return (sentence) => PERSON.test(sentence) || CAPITALISED.test(sentence);
  if (ASKS.why.test(question)) return (sentence) => REASON.test(sentence);
  return isOfKind === null ? () => null : isOfKind;
}
