import type { Citation, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { GENERIC_STATEMENT } from './defaults.ts';
import type { GivenAnswer } from './given-answer.ts';

const ASKS_ABOUT =
  /^\s*(?:(?:and|so)\s+)?(?:who(?:['’]s| is| was| are| am| do)|what (?:all )?(?:do|can|could) (?:you|we|i) (?:know|remember|tell me|have|recall) (?:about|of|on)|what (?:have|did) (?:i|we) (?:told|tell) you about|what is known (?:about|of)|(?:can you )?(?:please )?(?:tell (?:me|us|\S+)(?: everything| all| more| something)?(?: (?:that )?you know)? about|describe))\s+(.+?)[\s?!.]*$/i;
const LONGEST_NAME = 4;

/** The name in a question for all of somebody, such as "Who is Gina?" or "What do you know about Gina?"; else null. */
export function profileAsked(question: string): string | null {
  const name = ASKS_ABOUT.exec(question)?.[1]?.replace(/^(?:the|a|an)\s+/i, '') ?? null;
  return name === null || name.split(/\s+/).length > LONGEST_NAME ? null : name;
}

/** Kinds of facts in the order of a profile. */
const KINDS: readonly RegExp[] = [
  /\b(?:is|was) (?:an?|the|\p{Lu}[\p{L}'’-]+['’]s|\d+ years) |\b(?:sister|brother|mother|father|wife|husband|partner|friend|son|daughter|born|nickname|called|named)\b/iu,
  /\b(?:lives?|living|moved|home|flat|apartment|house|from)\b/i,
  /\b(?:works?|working|job|employed|company|business|hired|career|boss|studio|shop)\b/i,
  /\b(?:stud(?:y|ies|ied|ying)|school|university|college|degree|course|graduat\w+|learn\w*)\b/i,
  /\b(?:has|have|owns?|adopted|bought|married|engaged|dog|cat|car|kids?|children)\b/i,
  /\b(?:likes?|loves?|enjoys?|favou?rite|prefers?|hates?|dislikes?|fan|hobby|plays?|allergic)\b/i,
  /\b(?:plans?|wants?|going to|will|hopes?|would like|dreams?)\b/i,
];
const MOST_OF_KIND = 2;
const MOST_FACTS = 8;
const SHORTEST = 12;
const LONGEST = 220;

/**
 * What memory holds of somebody: the newest facts of each kind, who it is first. Null if no fact says something.
 *
 * @param names Name and aliases. A fact that begins with one of them says more than one that only mentions it.
 */
export function profileAnswer(
  search: SearchResult,
  { names, facts }: { readonly names: readonly string[]; readonly facts: readonly RetrievedFact[] },
): GivenAnswer | null {
  const chosen = choose(facts, names);
  if (chosen.length === 0) return null;
  const citations = chosen.map(
    (item, at): Citation => ({ number: at + 1, item, quote: `${item.statement.replace(/\.$/, '')}.` }),
  );
  return {
    question: search.query,
    answered: true,
    text: citations.map(({ quote, number }) => `- ${quote} [${number}]`).join('\n'),
    citations,
    search,
    usage: search.usage,
    answerer: 'local',
    confidence: 1 - 0.5 ** chosen.length,
    notes: [],
  };
}

function choose(facts: readonly RetrievedFact[], names: readonly string[]): readonly RetrievedFact[] {
  const lower = names.map((name) => name.toLowerCase());
  const isSubject = ({ statement }: RetrievedFact) =>
    lower.some((name) => statement.toLowerCase().startsWith(`${name} `));
  const said = new Set<string>();
  const plain = facts
    .filter(({ statement }) => statement.length >= SHORTEST && statement.length <= LONGEST)
    .filter(({ statement }) => !GENERIC_STATEMENT.test(statement))
    .toSorted(
      (a, b) =>
        Number(isSubject(b)) - Number(isSubject(a)) || b.validAt - a.validAt || (a.id < b.id ? -1 : 1),
    )
    .filter(({ statement }) => {
      const key = statement.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ');
      return !said.has(key) && said.add(key);
    });
  const chosen: RetrievedFact[] = [];
  for (const kind of KINDS) {
    const ofKind = plain.filter((fact) => !chosen.includes(fact) && kind.test(fact.statement));
    chosen.push(...ofKind.slice(0, MOST_OF_KIND));
  }
  const rest = plain.filter((fact) => !chosen.includes(fact));
  return [...chosen.slice(0, MOST_FACTS), ...rest.slice(0, Math.max(0, MOST_FACTS - chosen.length))];
}
