import { soleUser } from '../browse/people.ts';
import { isEnglishTerm } from '../inference/embedder/static-embedder.ts';
import { sharedNounTaxonomy } from '../inference/taxonomy/noun-taxonomy.ts';
import { readInConversation, speaksOfAsker } from '../retrieve/read-in-conversation.ts';
import { termsInTurns } from '../retrieve/search-in-store.ts';
import { spelled } from '../retrieve/spelling.ts';
import { analyze } from '../search/analyzer.ts';
import { STOP_WORDS } from '../search/english.ts';
import type { MemoryView } from './past/known-indexes.ts';

/** The conversation around a question. */
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
  // Where memory knows one called the user, the question is about that one.
  const isUser = view.index.entities.idOfName('user') === undefined;
  const read = readInConversation(question, { asker: known, earlier, isUser });
  return spelled(read, vocabularyOf(view, await termsOfTurns(view, read)));
}

/** Where the index is slim: the terms of turns that are in the question, or that its unknown words may stand for. */
async function termsOfTurns({ search }: MemoryView, question: string): Promise<ReadonlyMap<string, number>> {
  if (search === undefined) return new Map();
  const words = question.toLowerCase().match(WORD) ?? [];
  const found = await termsInTurns(search, question);
  const unknown = words.filter(
    (word) => !STOP_WORDS.has(word) && analyze(word).every((term) => !found.has(term)),
  );
  return new Map([...found, ...(await search.similar(unknown))]);
}

/** A word long enough to be corrected. */
const WORD = /[a-z]{4,}/g;

/** @param said Terms of turns that a slim index lacks. */
function vocabularyOf(
  { index: { episodes, facts, entities } }: MemoryView,
  said: ReadonlyMap<string, number>,
) {
  const { conversation, timeline } = episodes;
  const speakers = new Set(timeline.liveSpeakerNames().flatMap((name) => timeline.termsOfName(name)));
  return {
    terms: {
      *[Symbol.iterator]() {
        yield* conversation.terms;
        yield* said.keys();
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
      (said.get(term) ?? 0),
    isWord: async (word: string) =>
      (await isEnglishTerm(analyze(word)[0] ?? word)) ||
      (await sharedNounTaxonomy()).sensesOf(word).length > 0,
  };
}
