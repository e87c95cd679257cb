import { isLivingNoun } from '../answer/kinds.ts';
import { NO_PERSON, soleUser } from '../browse/people.ts';
import { isEnglishTerm } from '../inference/embedder/static-embedder.ts';
import { sharedNounTaxonomy } from '../inference/taxonomy/noun-taxonomy.ts';
import { isInLexicon } from '../ingest/extract/local/tagger-model.ts';
import { readInConversation, speaksOfAsker } from '../retrieve/read-in-conversation.ts';
import { termsInTurns } from '../retrieve/search-in-store.ts';
import { capitalised, spelled, type Vocabulary } from '../retrieve/spelling.ts';
import { analyze } from '../search/analyzer.ts';
import { STOP_WORDS } from '../search/english.ts';
import { asToldBy, namesOfOthers, ownedIn, withOwner, withRelative, wordsFor } from '../util/relatives.ts';
import { sentencesOf } from '../util/sentences.ts';
import { entityNameKey } from '../util/tidy.ts';
import type { MemoryView } from './past/known-indexes.ts';
import { type CallView, isCurrent, mayQuoteTurn, thenOf } from './quoting-view.ts';

/** The conversation around a question. */
export interface AskedIn {
  /** The name of the one who asks, as turns have it. Default: the only speaker with turns of the role `user`. */
  readonly asker?: string | undefined;
  /** What the same person asked or said before, the oldest first. */
  readonly earlier?: readonly string[] | undefined;
  /** How far the clock of the one who asks is ahead of UTC, in milliseconds: "today" is its day. Default: 0. */
  readonly offset?: number | undefined;
}

/** A question as it is searched: by itself, with names for "I", "she" and "my sister", and without typing errors. */
export async function readQuestion(
  view: MemoryView,
  question: string,
  { asker, earlier = [], ...call }: Omit<AskedIn, 'offset'> & CallView,
): Promise<string> {
  const needsAsker = [question, ...earlier].some(speaksOfAsker);
  const known = asker ?? (needsAsker ? await soleUser(view) : null);
  // Where memory knows one called the user, the question is about that one.
  const isUser = view.index.entities.idOfName('user') === undefined;
  const nameOf = personOf(view);
  const [named, ...before] = [question, ...earlier].map((each) => capitalised(each, nameOf));
  const read = readInConversation(named!, { asker: known, earlier: before, isUser });
  const words = vocabularyOf(view, await termsOfTurns(view, read));
  return withRelation(view, await spelled(read, words), call);
}

/** The name, as memory has it, of the speaker or other person that a word in small letters names. */
function personOf({ index: { entities, episodes } }: MemoryView): (word: string) => string | undefined {
  let speakers: ReadonlyMap<string, string> | undefined;
  return (word) => {
    speakers ??= new Map(episodes.timeline.liveSpeakerNames().map((name) => [name.toLowerCase(), name]));
    const [id, second] = entities.idsOfName(entityNameKey(word));
    const profile = id === undefined || second !== undefined ? undefined : entities.profileOf(id);
    const isPerson = profile?.tags.includes('person') === true && entityNameKey(profile.name) === word;
    return speakers.get(word) ?? (isPerson && /^\p{Lu}/u.test(profile.name) ? profile.name : undefined);
  };
}

/** "Ann’s husband " of "Ann’s husband Tom’s sister": the name says enough. */
const INNER =
  /(?<![\p{L}\p{M}-])\p{Lu}[\p{L}\p{M}-]{0,60}['’]s (?:\p{Ll}[\p{L}-]{0,30} ){1,3}(?=\p{Lu}[\p{L}\p{M}-]{0,60}['’]s )/u;
/** Relatives of relatives that are looked up: "my daughter’s boyfriend’s mother". */
const MOST_LINKS = 3;

/** With the names of the relatives that it asks about, or with whose relative the one is whom it names. */
async function withRelation(view: MemoryView, question: string, call: CallView): Promise<string> {
  if (ownedIn(question) === null) return withOwnerOf(view, question, call);
  let read = question;
  for (let link = 0; link < MOST_LINKS; link++) {
    const owned = ownedIn(read);
    const named = owned === null ? read : await withNameOf(view, read, { owned, call });
    if (named === read) break;
    read = named.replace(INNER, '');
  }
  return read;
}

async function withNameOf(
  view: MemoryView,
  question: string,
  { owned, call }: { readonly owned: NonNullable<ReturnType<typeof ownedIn>>; readonly call: CallView },
): Promise<string> {
  const isLiving = isLivingNoun(await sharedNounTaxonomy());
  // Several have no name: "Ann’s kids".
  const words = owned.words.filter((word) => !/(?<!s)s$|children$/.test(word) && isLiving(word));
  if (words.length === 0) return question;
  const told = await statementsWith(view, words.flatMap(wordsFor), { call, speaker: owned.owner });
  return withRelative(question, { ...owned, words }, told);
}

/** It asks whose relative somebody is. */
const ASKS_RELATION = /\brelated to\b|^\s*whose\b/iu;

async function withOwnerOf(view: MemoryView, question: string, call: CallView): Promise<string> {
  if (ASKS_RELATION.test(question)) return question;
  const { entities, episodes } = view.index;
  const speakers = episodes.timeline
    .liveSpeakerNames()
    .filter((each) => each !== '' && !NO_PERSON.has(entityNameKey(each)));
  // A longer question, or one about a speaker too, says enough.
  const isShort = question.split(' ').length <= LONGEST && !speakers.some((each) => question.includes(each));
  if (!isShort) return question;
  const names = namesOfOthers(question);
  if (names.length === 0) return question;
  const nouns = await sharedNounTaxonomy();
  const name = names.find((each) => {
    const [id, second] = entities.idsOfName(entityNameKey(each));
    // Of whom no fact was read, turns may tell.
    const isPerson =
      id === undefined ? nouns.sensesOf(each).length === 0 : entities.profileOf(id)?.tags.includes('person');
    return second === undefined && isPerson;
  });
  if (name === undefined) return question;
  return withOwner(question, name, { speakers, statements: await statementsWith(view, [name], { call }) });
}

/** Words of a question that is read with whose relative somebody is. */
const LONGEST = 10;

/** Facts, and turns of each word, that are read for a relation. */
const MOST_READ = 40;

/**
 * What the call may be told with one of the words: sentences of turns, as statements about their speaker, then facts that
 * hold; each in order.
 */
async function statementsWith(
  view: MemoryView,
  words: readonly string[],
  { call, speaker }: { readonly call: CallView; readonly speaker?: string },
): Promise<readonly string[]> {
  const { index, store, scope } = view;
  const { facts, episodes } = index;
  const time = thenOf(view, call);
  const terms = [...new Set(words.flatMap((word) => analyze(word)))];
  const { conversation, timeline, ids } = episodes;
  const mayQuote = mayQuoteTurn(time);
  const isTold = (turn: number) =>
    mayQuote(turn) && (speaker === undefined || timeline.speakers[timeline.speaker.at(turn)] === speaker);
  const turns = terms.flatMap((term) => conversation.turnsWith(term, MOST_READ, isTold));
  const query = terms.map((term) => ({ term, weight: 1 }));
  const found = facts.lexical.top(query, MOST_READ, isCurrent(view, time)).map(({ ordinal }) => ordinal);
  const told = await store.get(scope, 'episode', inOrder(turns, ids));
  const read = await store.get(scope, 'fact', inOrder(found, facts.ids));
  return [
    ...told.flatMap((turn) => sentencesOf(turn.content).map((each) => asToldBy(each, turn.speaker))),
    ...read.map(({ statement }) => statement),
  ];
}

function inOrder<Id>(ordinals: readonly number[], ids: { readonly idOf: (ordinal: number) => Id }): Id[] {
  return [...new Set(ordinals)].sort((a, b) => a - b).map((ordinal) => ids.idOf(ordinal));
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
): Vocabulary {
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
      (await isEnglishTerm(analyze(word)[0] ?? word)) || (await isNoun(word)) || (await isInLexicon(word)),
    isStem: async (word: string) =>
      analyze(word)[0] === word && (await isEnglishTerm(word)) && !(await isNoun(word)),
  };
}

const isNoun = async (word: string) => (await sharedNounTaxonomy()).sensesOf(word).length > 0;
