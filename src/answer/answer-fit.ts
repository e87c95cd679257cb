import type { NounTaxonomy } from '../inference/taxonomy/noun-taxonomy.ts';
import type { Milliseconds } from '../model/ids.ts';
import { IRREGULAR_PLURALS } from '../search/english.ts';
import { readTimes } from '../time/read-times.ts';

/** Whether a sentence has a part of the sort that a question asks for; null if the question asks for none. */
export type AnswerFit = (sentence: string, said: Milliseconds) => boolean | null;

const ASKS = {
  when: /^\s*(?:(?:and|so)\s+)?(?:when|what (?:day|date|year|month|time)|which (?:day|date|year|month)|how long ago|since when)\b/i,
  duration: /\bhow (?:long|often|many (?:years|months|weeks|days|hours|times))\b/i,
  number: /\bhow (?:many|much|old|tall|far|big)\b/i,
  where:
    /^\s*(?:(?:and|so)\s+)?(?:where|(?:in |to |at |from )?(?:which|what) (?:city|cities|country|countries|state|town|place|places|location))\b/i,
  who: /^\s*(?:(?:and|so)\s+)?(?:who|whom|whose|with whom|to whom|from whom)\b/i,
  why: /^\s*(?:(?:and|so)\s+)?(?:why|what (?:is|was) the reason|how come|what (?:motivates?|inspire[sd]?|motivated))\b/i,
} as const;
const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|dozen|couple|both|twice|once|several|few|half|pair)\b/i;
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
  if (ASKS.number.test(question)) return (sentence) => NUMBER.test(sentence);
  if (ASKS.where.test(question)) return (sentence) => PLACE.test(sentence);
  if (ASKS.who.test(question)) return (sentence) => PERSON.test(sentence) || CAPITALISED.test(sentence);
  if (ASKS.why.test(question)) return (sentence) => REASON.test(sentence);
  return isOfKind === null ? () => null : isOfKind;
}

/** They are of every kind, or say nothing of a kind. */
const ANY_KIND = new Set(
  'thing object item entity person people way time name number reason part kind type sort place activity event advice plan idea'.split(
    ' ',
  ),
);
/** A cat "named Miso" is no food. */
const GIVEN_NAME = /(?<=\b(?:named|called) )\p{Lu}[\p{L}'’-]*/gu;
const WORD = /[\p{L}][\p{L}'-]*/gu;
/** Senses of a noun that count: further ones are rare. */
const SENSES = 2;
const HIGHEST = 14;

/**
 * Whether a sentence names something of a kind: "my old violin" for "instruments". Null for a kind that the taxonomy
 * does not know, or that everything is of.
 */
export function memberOfKind(
  kindWords: string,
  taxonomy: NounTaxonomy,
): ((sentence: string) => boolean) | null {
  const head = kindWords.toLowerCase().split(' ').at(-1) ?? '';
  const kind = baseForms(head).find((form) => taxonomy.sensesOf(form).length > 0);
  if (kind === undefined || ANY_KIND.has(kind)) return null;
  const wanted = new Set(taxonomy.sensesOf(kind).slice(0, SENSES));
  const known = new Map<string, boolean>();
  const isMember = (word: string): boolean => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const found = baseForms(word).some((form) => form !== kind && isBelow(form, wanted, taxonomy));
    known.set(word, found);
    return found;
  };
  return (sentence) =>
    (sentence.replaceAll(GIVEN_NAME, '').toLowerCase().match(WORD) ?? []).some(
      (word) => word.length > 2 && isMember(word),
    );
}

const LIVING = ['person', 'animal'];
/** Words that are people to their owner, though not first of all in a dictionary. */
const KIN = /^(?:ex|folks?|parents?|twins?|in-laws?|pets?|vet|gp|landlord|landlady)$/i;

/** Whether a noun names, in its first sense, a person or an animal. */
export function isLivingNoun(taxonomy: NounTaxonomy): (noun: string) => boolean {
  const wanted = new Set(LIVING.flatMap((noun) => taxonomy.sensesOf(noun).slice(0, 1)));
  return (noun) =>
    PERSON.test(noun) || KIN.test(noun) || baseForms(noun).some((form) => isBelow(form, wanted, taxonomy, 1));
}

function isBelow(noun: string, wanted: ReadonlySet<number>, taxonomy: NounTaxonomy, most = SENSES): boolean {
  let senses = taxonomy.sensesOf(noun).slice(0, most);
  for (let height = 0; height < HIGHEST && senses.length > 0; height++) {
    if (senses.some((sense) => wanted.has(sense))) return true;
    senses = [...new Set(senses.flatMap((sense) => taxonomy.parentsOf(sense)))];
  }
  return false;
}

function baseForms(word: string): readonly string[] {
  const one = IRREGULAR_PLURALS.get(word);
  if (one !== undefined) return [one];
  if (word.endsWith('ies')) return [word, `${word.slice(0, -3)}y`, word.slice(0, -1)];
  if (/(?:ses|xes|zes|ches|shes)$/.test(word)) return [word, word.slice(0, -2), word.slice(0, -1)];
  return word.endsWith('s') && !word.endsWith('ss') ? [word, word.slice(0, -1)] : [word];
}
