import { analyze } from '../search/analyzer.ts';
import { askedSubject, type PeopleKnowledge } from './asked-subject.ts';
import { isSaid } from './wordings.ts';

const ADDRESSES = /(?<!\p{L})your?(?!\p{L})/iu;
/** What was told is no less so where nobody says that it was; and "I have two hens" says which animals I keep. */
const UNSAID_TERMS: ReadonlySet<string> = new Set(
  analyze('mention say tell talk keep own know become can could'),
);

interface AskedPlainly {
  /** Index terms of the question. */
  readonly topic: readonly string[];
  /** Terms that say nothing by themselves. */
  readonly light: ReadonlySet<string>;
  /** Terms of the kind that it asks for. */
  readonly kind: readonly string[];
  readonly people: PeopleKnowledge | undefined;
  /** Whether the one who is asked about is the subject of a text; null for questions about nobody. */
  readonly isOfAsked: ((text: string, speaker: string | null) => boolean) | null;
}

/** A text, and how far it says a question. */
interface Told {
  readonly text: string;
  readonly speaker: string | null;
  readonly says: (term: string) => boolean;
  readonly fits: boolean | null;
}

/**
 * Whether a text says, with that one as its subject, all that a question about somebody asks, perhaps by a thing of the
 * kind or in other words: "I take oboe lessons" for "What instrument am I learning?" False for questions about nobody.
 */
export function plainStatement(
  question: string,
  { topic, light, kind, people, isOfAsked }: AskedPlainly,
): (told: Told) => boolean {
  if (people === undefined || isOfAsked === null) return () => false;
  const { name = '', noun = null } = askedSubject(question, people) ?? {};
  const ofSubject = new Set([...analyze(name), ...analyze(noun ?? '')]);
  const terms = topic.filter((term) => ![light, ofSubject, UNSAID_TERMS].some((set) => set.has(term)));
  const head = kind.at(-1);
  return ({ text, speaker, says, fits }) =>
    terms.length > 0 &&
    (fits !== false || (head !== undefined && isSaid(head, text))) &&
    terms.every(says) &&
    !ADDRESSES.test(text) &&
    isOfAsked(text, speaker);
}
