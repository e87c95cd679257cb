import { OPENERS } from './words.ts';

/** Two names of one person: the name used to introduce them and a nickname. */
export interface Nickname {
  readonly name: string;
  readonly alias: string;
}

const NAME = "\\p{Lu}[\\p{L}'-]{1,20}";
const FULL = `${NAME}(?: ${NAME}){0,2}`;
/** A text without one of these contains no nickname. */
export const MAY_NAME =
  /\b(?:calls?|called|calling|nickname|nicknamed|short for|for short|aka|a\.k\.a|goe?s? by|known (?:\w+ ){0,3}as)\b/i;
const OWN = new RegExp(
  `\\b(?:calls?|called|calling|nicknamed) me ["']?(${NAME})(?!\\p{L})|\\b[Mm]y nickname (?:is|was|has always been) ["']?(${NAME})|\\bI (?:usually |always |just )?go by ["']?(${NAME})|\\bI(?:'m| am) (?:also |better )?known as ["']?(${NAME})`,
  'u',
);
const THEIRS = new RegExp(
  `\\b(?:calls?|called|calling|nicknamed) (?:him|her|them) ["']?(${NAME})(?!\\p{L})|\\b(?:goes by|known (?:\\w+ ){0,3}as|nicknamed|aka|a\\.k\\.a\\.?|(?:his|her|their) nickname (?:is|was)) ["']?(${NAME})|, (?:or )?["']?(${NAME})["']? for short`,
  'u',
);
const SHORT_FOR = new RegExp(
  `\\b(${NAME})["']?,? (?:is |which is |that is |that's |it's )?short for (${FULL})`,
  'u',
);
/** A name after a preposition of place is not a person. */
const PERSON = new RegExp(`(?<![\\p{L}'])(?<!\\b(?:in|at|from|to|near|on|of|the|for|into) )${FULL}`, 'gu');
const CALENDAR =
  /^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December)$/;

/**
 * The nicknames that a turn states: "everyone calls me Bea", "my brother Alexander, we call him Sasha", "Kit is short
 * for Christopher". A pronoun refers to the last person named before it.
 *
 * @param sentences Of one turn, in order.
 * @param before The speaker's sentence before this turn.
 */
export function nicknamesIn(sentences: readonly string[], speaker: string, before: string): Nickname[] {
  const found: Nickname[] = [];
  for (const [at, text] of sentences.entries()) {
    if (!MAY_NAME.test(text)) continue;
    const own = OWN.exec(text);
    if (own !== null) found.push({ name: speaker, alias: firstGroup(own) });
    const short = SHORT_FOR.exec(text);
    if (short !== null) found.push({ name: short[2]!, alias: short[1]! });
    const theirs = THEIRS.exec(text);
    const name =
      theirs === null || own !== null
        ? null
        : lastNamed(text.slice(0, theirs.index), sentences[at - 1] ?? before);
    if (theirs !== null && name !== null) found.push({ name, alias: firstGroup(theirs) });
  }
  return found.filter(isNickname);
}

function firstGroup(match: RegExpExecArray): string {
  return match.slice(1).find((group) => group !== undefined) ?? '';
}

function lastNamed(before: string, previous: string): string | null {
  for (const text of [before, previous]) {
    const names = text.match(PERSON) ?? [];
    const named = names.findLast(
      (name) => !OPENERS.has(name.split(' ')[0]!.toLowerCase()) && !CALENDAR.test(name),
    );
    if (named !== undefined) return named.replace(/'s$/, '');
  }
  return null;
}

function isNickname({ name, alias }: Nickname): boolean {
  const plain = alias.toLowerCase();
  return alias !== '' && plain !== name.toLowerCase() && !OPENERS.has(plain) && !CALENDAR.test(alias);
}
