import type { Citation, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { GENERIC_STATEMENT } from './defaults.ts';
import type { GivenAnswer } from './given-answer.ts';

const ASKS_ABOUT =
  /^\s*(?:(?:and|so)\s+)?(?:who(?:['’]s| is| was| are| am| do)|what (?:all )?(?:do|can|could) (?:you|we|i) (?:know|remember|tell me|have|recall) (?:about|of|on)|what (?:have|did) (?:i|we) (?:told|tell) you about|what is known (?:about|of)|(?:can you )?(?:please )?(?:tell (?:me|us|\S+)(?: everything| all| more| something)?(?: (?:that )?you know)? about|describe))\s+(.+?)[\s?!.]*$/i;
const ASKS_CHANGES =
  /^\s*(?:(?:and|so)\s+)?what(?:['’]s| is| has| have| all has)? (?:changed|different|new) (?:for|with|about) (.{1,80}?)(?: (?:lately|recently|so far))?[\s?!.]*$/i;
const LONGEST_NAME = 4;

/** Whose portrait a question asks for, and whether only for what has changed in it. */
export interface AskedProfile {
  readonly name: string;
  readonly isOfChanges: boolean;
}

/** Reads questions for all of somebody: "Who is Gina?", "What do you know about Gina?", "What has changed for Gina?" */
export function profileAsked(question: string): AskedProfile | null {
  const changes = ASKS_CHANGES.exec(question)?.[1];
  const name = (changes ?? ASKS_ABOUT.exec(question)?.[1])?.replace(/^(?:the|a|an)\s+/i, '');
  if (name === undefined || name.split(/\s+/).length > LONGEST_NAME) return null;
  return { name, isOfChanges: changes !== undefined };
}

/** A section of a portrait, with the facts that fit the time of the question, each as it is said to the asker. */
export interface ProfileSection {
  readonly title: string;
  readonly facts: readonly { readonly item: RetrievedFact; readonly said: string }[];
  /** Number of its facts, the omitted ones included. */
  readonly total: number;
}

/** Facts of a section, and of all that have none. */
const [MOST_OF_SECTION, MOST_OTHERS] = [3, 8];

/**
 * What memory holds of somebody: a line for each section of the portrait. Of somebody without sections, such as one who
 * is only mentioned, the newest facts, those about the person first. Null if no fact says something.
 *
 * @param names Name and aliases. A fact that begins with one of them says more than one that only mentions it.
 */
export function profileAnswer(
  search: SearchResult,
  { sections, ...known }: Known & { readonly sections: readonly ProfileSection[] },
): GivenAnswer | null {
  const citations: Citation[] = [];
  const cited = (item: RetrievedFact, said: string) => {
    const quote = `${said.replace(/\.$/, '')}.`;
    citations.push({ number: citations.length + 1, item, quote });
    return `${quote} [${citations.length}]`;
  };
  const lines = sections.map(({ title, facts, total }) => {
    const shown = facts.slice(0, MOST_OF_SECTION);
    const said = shown.map(({ item, said: words }) => cited(item, words)).join(' ');
    return `- ${title}: ${said}${total > shown.length ? ` (and ${total - shown.length} more)` : ''}`;
  });
  if (lines.length === 0) lines.push(...others(known).map((item) => `- ${cited(item, item.statement)}`));
  if (lines.length === 0) return null;
  return {
    question: search.query,
    answered: true,
    text: lines.join('\n'),
    citations,
    search,
    usage: search.usage,
    answerer: 'local',
    confidence: 1 - 0.5 ** citations.length,
    notes: [],
  };
}

interface Known {
  readonly names: readonly string[];
  readonly facts: readonly RetrievedFact[];
}

function others({ facts, names }: Known): readonly RetrievedFact[] {
  const lower = names.map((name) => name.toLowerCase());
  const isSubject = ({ statement }: RetrievedFact) =>
    lower.some((name) => statement.toLowerCase().startsWith(`${name} `));
  return facts
    .filter(({ statement }) => !GENERIC_STATEMENT.test(statement))
    .toSorted(
      (a, b) =>
        Number(isSubject(b)) - Number(isSubject(a)) || b.validAt - a.validAt || (a.id < b.id ? -1 : 1),
    )
    .slice(0, MOST_OTHERS);
}
