import type { EntityKind } from '../extractor.ts';
import type { Token } from './tagger.ts';
import {
  KIN,
  MOTION,
  ORGANISATION_ENDINGS,
  PERSON_BEFORE,
  PLACE_BEFORE,
  PLACE_ENDINGS,
  TITLES,
} from './words.ts';

const SPEAKS = /^(?:said|says|told|asked|thinks|thought|loves|loved|wants|wanted|came|went|helped|called)$/;

/** What only somebody does, and what is done to nobody else, by lemma. */
const DEEDS: ReadonlySet<string> = new Set(
  'adopt marry study teach sing cook bake paint knit sew thank invite hug smile laugh cry promise agree apologise apologize graduate retire resign repair phone text dance babysit volunteer'.split(
    ' ',
  ),
);
const RECEIVED: ReadonlySet<string> = new Set(
  'thank invite meet marry hug phone congratulate miss forgive'.split(' '),
);

/** One deals with a firm, but has lunch with a person. */
const BUSINESS = /^(?:deal|contract|collaborate|partner|sign|sponsorship|brand|work)$/;
const TRAVELS = /^(?:trip|travel|fly|flight|drive|move|head|relocate|vacation|tour)$/;

/**
 * What a mention is, from its own last word and the words beside it. Without a list of names this is a guess:
 * "thing" whenever nothing speaks for more.
 */
export function entityKind(
  tokens: readonly Token[],
  { start, end }: { start: number; end: number },
): EntityKind {
  const [first, head] = [tokens[start]!, tokens[end - 1]!];
  const byWord = kindOfHead(head) ?? (end - start > 2 ? kindOfHead(first) : null);
  if (byWord !== null) return byWord;
  if (TITLES.has(first.lower) && end - start > 1) return 'person';
  return /^\p{Lu}/u.test(first.text) && /^\p{Lu}/u.test(head.text) ? kindOfName(tokens, start, end) : 'thing';
}

function kindOfHead({ lower, lemma }: Token): EntityKind | null {
  if (KIN.has(lemma) || KIN.has(lower) || /^(?:kid|child|children|parent|family)s?$/.test(lemma))
    return 'person';
  if (ORGANISATION_ENDINGS.has(lemma) || ORGANISATION_ENDINGS.has(lower)) return 'organisation';
  return PLACE_ENDINGS.has(lemma) || PLACE_ENDINGS.has(lower) ? 'place' : null;
}

function kindOfName(tokens: readonly Token[], start: number, end: number): EntityKind {
  const [before, after] = [tokens[start - 1], tokens[end]];
  const acronym = end - start === 1 && /^[A-Z]{2,}$/.test(tokens[start]!.text);
  if (before !== undefined && (KIN.has(before.lower) || TITLES.has(before.lower))) return 'person';
  if (acronym) return kindOfAcronym(before);
  if (end - start > 2) return before?.lower === 'in' ? 'place' : 'thing';
  if (isReached(tokens, start)) return 'place';
  if (before !== undefined && (PLACE_BEFORE.has(before.lower) || PLACE_BEFORE.has(before.lemma)))
    return 'place';
  if (before?.lower === 'at' || (before?.lower === 'for' && tokens[start - 2]?.lemma === 'work'))
    return 'organisation';
  const business = BUSINESS.test(tokens[start - 2]?.lemma ?? '');
  const named =
    before !== undefined && (PERSON_BEFORE.has(before.lower) || RECEIVED.has(before.lemma)) && !business;
  return named ||
    (after !== undefined && (SPEAKS.test(after.lower) || DEEDS.has(after.lemma) || after.lower === "'s"))
    ? 'person'
    : 'thing';
}

/** "Moved to Lisbon", "took a trip last week to Rome", but not "say goodbye to Max". */
function isReached(tokens: readonly Token[], start: number): boolean {
  const [before, verb] = [tokens[start - 1], tokens[start - 2]];
  if (before === undefined || verb === undefined || !/^(?:to|from)$/.test(before.lower)) return false;
  return (
    MOTION.has(verb.lemma) ||
    tokens.slice(Math.max(0, start - 7), start).some(({ lemma }) => TRAVELS.test(lemma))
  );
}

function kindOfAcronym(before: Token | undefined): EntityKind {
  if (before === undefined) return 'thing';
  if (['in', 'near', 'around', 'from'].includes(before.lower) || before.lemma === 'visit') return 'place';
  return ['the', 'at', 'join'].includes(before.lemma) ? 'organisation' : 'thing';
}
