import { isEnglishTerm } from '../inference/embedder/static-embedder.ts';
import { sharedNounTaxonomy } from '../inference/taxonomy/noun-taxonomy.ts';
import { readInConversation, speaksOfAsker } from '../retrieve/read-in-conversation.ts';
import { knownTerms } from '../retrieve/search-in-store.ts';
import { spelled } from '../retrieve/spelling.ts';
import { analyze } from '../search/analyzer.ts';
import type { MemoryView } from './history/known-indexes.ts';
import { soleUser } from './knowledge/people.ts';

/** The conversation in which a question is asked. */
export interface AskedIn {
  /** The name of the one who asks, as turns have it. Default: the only speaker with turns of the role `user`. */
  readonly asker?: string | undefined;
  /** What the same person asked or said before, the oldest first. */
  readonly earlier?: readonly string[] | undefined;
}

/** A question as it is searched: by itself, with names for "I" and "she", and without typing errors. */
export async function readQuestion(
  view: MemoryView,
  question: string,
  { asker, earlier = [] }: AskedIn,
): Promise<string> {
  const needsAsker = [question, ...earlier].some(speaksOfAsker);
  const known = asker ?? (needsAsker ? await soleUser(view) : null);
  const read = readInConversation(question, { asker: known, earlier });
  const said = view.search === undefined ? NONE : await knownTerms(view.search, read);
  return spelled(read, vocabularyOf(view, said));
}

const NONE: ReadonlySet<string> = new Set();

/** @param said Terms of the question that turns have, where the index is slim: words of turns correct nothing then. */
function vocabularyOf({ index: { episodes, facts, entities } }: MemoryView, said: ReadonlySet<string>) {
  const { conversation, timeline } = episodes;
  const speakers = new Set(timeline.liveSpeakerNames().flatMap((name) => analyze(name)));
  return {
    terms: {
      *[Symbol.iterator]() {
        yield* conversation.terms;
        yield* facts.lexical.terms();
        yield* entities.names.terms();
        yield* speakers;
      },
    },
    frequency: (term: string) =>
      conversation.documentFrequency(term) +
      facts.lexical.documentFrequency(term) +
      entities.names.documentFrequency(term) +
      (speakers.has(term) ? 1 : 0) +
      (said.has(term) ? 1 : 0),
    isWord: async (word: string) =>
      (await isEnglishTerm(analyze(word)[0] ?? word)) ||
      (await sharedNounTaxonomy()).sensesOf(word).length > 0,
  };
}
