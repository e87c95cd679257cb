import type { RetrievedEpisode, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { standingOf } from '../model/standing.ts';
import { analyze } from '../search/analyzer.ts';
import type { Steps } from '../util/breathe.ts';
import { escaped } from '../util/escaped.ts';
import { asksIndirectly, isQuestion } from '../util/questions.ts';
import { sentencesOf } from '../util/sentences.ts';
import { clockTime, clockTimeOfFact } from '../util/speaker-clock.ts';
import { type Thought, thoughtSteps } from './thoughts.ts';

/** The turns around a found one, where memory has them. */
export interface Neighbours {
  readonly before?: RetrievedEpisode | undefined;
  /** Only of a turn that asks: the reply. */
  readonly after?: RetrievedEpisode | undefined;
  /** The turns further up, the nearest first. */
  readonly earlier?: readonly RetrievedEpisode[] | undefined;
}
/** By the id of a found turn. */
export type NeighboursOf = ReadonlyMap<string, Neighbours>;

/** A sentence that may answer, and its source. */
export interface Quote {
  /** The sentence, or the statement of a fact. */
  readonly text: string;
  /**
   * Its context: the other statements of the turn, or of a long turn's passage, and the turn before it. Quotes share it;
   * one outside the passage has none of the turn.
   */
  readonly context: string;
  readonly item: RetrievedEpisode | RetrievedFact;
  /** How well its turn ranks among the found ones, from 0 to 1 (the first). */
  readonly rank: number;
  /** Its turn's score in the search, as a share of the best turn's. */
  readonly strength: number;
  /** How well a fact ranks among facts, from 0 to 1; 0 for a turn. */
  readonly factRank: number;
  readonly validAt: number;
  /** The same by the clock of the speaker. */
  readonly clock: number;
  /** The end of a fact, past or to come; null for a fact without an end and for turns. */
  readonly invalidAt: number | null;
  /** Ids of the turns that support it. */
  readonly turns: readonly string[];
  /** Of a turn: its parts, the place of this one, and the turn before. */
  readonly said: Said | null;
}

export interface Said {
  readonly thoughts: readonly Thought[];
  readonly at: number;
  readonly before: RetrievedEpisode | undefined;
  /** Whether its turn was found as the reply to a question only. */
  readonly isReply: boolean;
}

const ANY_WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;
/** An assistant's words about the user are no source for a question about the user, but for one about its answers. */
const ADDRESSES = /(?<!\p{L})(?:you|your|yours|yourself)(?!\p{L})/iu;
const ASKS_FOR_ANSWERS =
  /(?<!\p{L})(?:you|your|assistant|chatgpt|claude|(?:recommend|suggest|propos|advis|mention|explain|answer|remind|list|said|told)\p{L}*|advice|plan|recipe|idea|previous|earlier|conversation|chat)(?!\p{L})/iu;
const ASKS_SAID =
  /(?<!\p{L})(?:did|do|have|has|had)\s(?<who>\S+)\s(?:(?:ever|already|once|first)\s)?(?:say|said|mention(?:ed)?|tell|told|describe[ds]?|report(?:ed)?|claim(?:ed)?|(?:bring|brought) up)(?!\p{L})/iu;
const OF_ASSISTANT = /^(?:you|we|assistant|chatgpt|claude)$/iu;

/** Whether a question asks for what a person said, not an assistant: "How long did I say it takes?" */
export function asksForOwnWords({ query, episodes }: Pick<SearchResult, 'query' | 'episodes'>): boolean {
  const who = ASKS_SAID.exec(query)?.groups?.who;
  if (who === undefined || OF_ASSISTANT.test(who)) return false;
  return !episodes.some((turn) => standingOf(turn, true) === 'answer' && turn.speaker.includes(who));
}

/** Whether what an assistant said may answer a question. */
export function asksForAnswers(search: Pick<SearchResult, 'query' | 'episodes'>): boolean {
  return ASKS_FOR_ANSWERS.test(search.query) && !asksForOwnWords(search);
}

/** "Did you suggest", "the hotel you mentioned", "your advice"; with what counts its answers: "the second option". */
const ASKS_ADVISER =
  /(?<!\p{L})(?:(?:did|have|had|that|which) you (?:(?:ever|once|just|first|already) )?(?:recommend|suggest|propose|advise|tell|told|say|said|mention|explain|name|list|give|gave|given|write|written|wrote)(?:d|ed)?|you (?:(?:once|just|first|already) )?(?:recommended|suggested|proposed|advised|told|said|mentioned|explained|named|listed|gave|wrote)|your (?:advice|suggestions?|recommendations?|tips?|proposals?))(?!\p{L})/iu;
/** What else such a question has that no answer says. */
const AGAIN =
  /\bname of (?=the|that)|^\s*(?:(?:can|could|would) you )?(?:please )?(?:remind|tell) me(?: again)?(?!\p{L})/iu;
const COUNTED =
  /(?<!\p{L})(?:(?:first|second|third|fourth|last) )?(?:options?|suggestions?|tips?|ideas?|ones?)(?!\p{L})/iu;

/** Whether a question asks an assistant for what it said, so that nobody whom it names is asked about. */
export function asksAdviser(query: string): boolean {
  return ASKS_ADVISER.test(query);
}

/** The words of such a question that no answer says: "suggest" of "What did you suggest for the rash?" */
export function advisingWords(query: string): string {
  const [asked = ''] = ASKS_ADVISER.exec(query) ?? [];
  if (asked === '') return '';
  return [asked, COUNTED.exec(query)?.[0], AGAIN.exec(query)?.[0]].join(' ');
}

/**
 * A question with "you" in the place of an assistant that it names: "What did you suggest?" for "What did Ada suggest?"
 * The assistants are the speakers of answers among the found turns.
 */
export function toAdviser({ query, episodes }: Pick<SearchResult, 'query' | 'episodes'>): string {
  const answers = episodes.filter((turn) => standingOf(turn, true) === 'answer');
  const names = new Set(answers.map(({ speaker }) => speaker).filter((name) => name !== ''));
  for (const name of names) {
    const word = `(?<![\\p{L}\\p{N}])(?:the )?(?:assistant )?${escaped(name)}`;
    const asked = query
      .replace(new RegExp(`${word}['’]s?(?=\\s)`, 'iu'), 'your')
      .replace(new RegExp(`${word}(?![\\p{L}\\p{N}])`, 'iu'), 'you');
    if (asked === query) continue;
    if (asksAdviser(asked)) return asked;
  }
  return query;
}

/** Whether a quote may answer a question for what an assistant said: no, if somebody else said it. */
export function mayAdvise({ query, episodes }: Pick<SearchResult, 'query' | 'episodes'>) {
  const isAnswer = (item: Quote['item']) => item.kind === 'episode' && standingOf(item, true) === 'answer';
  return asksAdviser(query) && episodes.some(isAnswer) ? isAnswer : () => true;
}

/** The places and the strength that a reply loses against the question that was found. */
const REPLY = { places: 0.5, strength: 0.9 };

/** The statements of facts and the sentences of turns, without questions; replies to found questions among them. */
export function* candidateQuotes(search: SearchResult, neighbours: NeighboursOf): Steps<Quote[]> {
  const { facts, episodes } = search;
  const tellsUser = !asksForAnswers(search);
  const best = episodes[0]?.score ?? 0;
  const places = new Map(
    episodes.map(({ id, score }, at) => [id as string, { rank: rankAt(at), strength: share(score, best) }]),
  );
  const known = new Set(places.keys());
  const turnAt = new Map(episodes.map((episode) => [place(episode), episode]));
  const beforeOf = (turn: RetrievedEpisode) =>
    neighbours.get(turn.id)?.before ?? turnAt.get(place({ ...turn, index: turn.index - 1 }));
  const talkBefore = (turn: RetrievedEpisode) => {
    const before = beforeOf(turn);
    const next = before === undefined ? undefined : beforeOf(before);
    const { earlier = next === undefined ? [] : [next] } = neighbours.get(turn.id) ?? {};
    return before === undefined ? [] : [before, ...earlier];
  };
  const quotes = facts
    .filter(({ statement }) => !isQuestion(statement))
    .map((fact, at) => ofFact(fact, at, places));
  const add = (more: readonly Quote[]) => {
    for (const quote of more) quotes.push(quote);
  };
  for (const [at, turn] of episodes.entries()) {
    const talk = talkBefore(turn);
    const around = { before: talk[0], topic: topicOf(talk) };
    add(yield* ofTurn(turn, { ...places.get(turn.id)!, ...around, isReply: false, tellsUser }));
    const after = neighbours.get(turn.id)?.after;
    if (after === undefined || known.has(after.id)) continue;
    known.add(after.id);
    const standing = { rank: rankAt(at + REPLY.places), strength: REPLY.strength * share(turn.score, best) };
    const reply = { ...standing, before: turn, topic: topicOf([turn, ...talk]), isReply: true, tellsUser };
    add(yield* ofTurn(after, reply));
  }
  return quotes;
}

/** Exchanges further up that the topic of a reply is looked for in. */
const MOST_EXCHANGES = 3;
/** The turns before one that replies, further up than the question, in which its topic may stand. */
export const MOST_EARLIER = 2 * MOST_EXCHANGES + 1;
const POINTS_UP = /(?<!\p{L})(?:it|that|this|there|they|them|these|those|he|him|she|her)(?!\p{L})/iu;
/** "And when?", but not "Does Rolf row?" */
const SHORT_QUESTION = /^\S+(?: (?!\p{Lu}\p{L})\S+){0,2}$/u;

/** Whether the question at the end of a turn does not say what it is about: "Where was that?" */
function asksOpenly({ content }: Pick<RetrievedEpisode, 'content'>): boolean {
  const last = sentencesOf(content).at(-1) ?? '';
  return POINTS_UP.test(last) || SHORT_QUESTION.test(last);
}

/**
 * What a reply is about, of the turns before it, the nearest first. It may stand in the turn before the question ("In
 * Zermatt." after "Where was that?"), and further up as long as the questions say nothing of it.
 */
function topicOf(talk: readonly RetrievedEpisode[]): string {
  if (talk[0] === undefined || !isQuestion(talk[0].content)) return '';
  let end = 2;
  while (end <= MOST_EARLIER && asksOpenly(talk[end - 2]!) && isQuestion(talk[end]?.content ?? '')) end += 2;
  return talk
    .slice(1, end)
    .map(({ content }) => content)
    .join(' ');
}

function rankAt(place: number): number {
  return 1 / (1 + place);
}

function share(score: number, best: number): number {
  return best > 0 ? Math.max(0, score / best) : 0;
}

function place({ session, index }: Pick<RetrievedEpisode, 'session' | 'index'>): string {
  return JSON.stringify([session, index]);
}

interface Standing {
  readonly rank: number;
  readonly strength: number;
}

function ofFact(item: RetrievedFact, at: number, places: ReadonlyMap<string, Standing>): Quote {
  const sources = item.sources.flatMap(({ episode }) => places.get(episode) ?? []);
  return {
    text: ended(item.statement),
    context: item.statement,
    item,
    rank: Math.max(0, ...sources.map(({ rank }) => rank)),
    strength: Math.max(0, ...sources.map(({ strength }) => strength)),
    factRank: rankAt(at),
    validAt: item.validAt,
    clock: clockTimeOfFact(item),
    invalidAt: item.invalidAt,
    turns: item.sources.map((source) => source.episode),
    said: null,
  };
}

function* ofTurn(
  item: RetrievedEpisode,
  {
    before,
    topic,
    isReply,
    tellsUser,
    ...standing
  }: Standing & Pick<Said, 'before' | 'isReply'> & { readonly topic: string; readonly tellsUser: boolean },
): Steps<Quote[]> {
  const thoughts = yield* thoughtSteps(item);
  const isAnswer = tellsUser && standingOf(item, true) === 'answer';
  const seen = new Set<string>();
  // A repeated sentence counts once; punctuation alone does not count.
  const statements: Thought[] = [];
  for (const thought of thoughts) {
    const { text, isStated } = thought;
    const isStatement =
      isStated &&
      !asksIndirectly(text) &&
      !(isAnswer && (ADDRESSES.test(text) || text.includes('\n'))) &&
      ANY_WORD.test(text) &&
      !isQuestion(text);
    if (isStatement && !seen.has(text)) statements.push(thought);
    if (isStatement) seen.add(text);
    yield;
  }
  // Excludes the turn's own questions, since the next turn answers them; those of the turn before belong to the
  // context.
  const contextOf = (parts: readonly Thought[]) =>
    [topic, before?.content ?? '', item.speaker, ...parts.map(({ text }) => text)].join(' ');
  const isInside = insideOf(item);
  const around = contextOf(statements.filter(isInside));
  return statements.map((statement) => ({
    text: statement.text,
    context: isInside(statement) ? around : contextOf([statement]),
    item,
    ...standing,
    factRank: 0,
    validAt: item.validAt,
    clock: clockTime(item),
    invalidAt: null,
    turns: [item.id],
    said: { thoughts, at: statement.at, before, isReply },
  }));
}

/** Whether a part belongs to the passage of a long turn; of other turns all do. */
function insideOf({ passage }: RetrievedEpisode): (thought: Thought) => boolean {
  return ({ middle }) => passage === undefined || (middle >= passage.start && middle < passage.end);
}

function ended(statement: string): string {
  return /[.!?…]$/.test(statement) ? statement : `${statement}.`;
}

/**
 * Finds names of members of the kind that a question asks for in a text: "Lisbon" if System-2 selected the whole
 * category "Cities". Finds none if it selected no whole category.
 *
 * @returns Names by the index terms of a text.
 */
export function namedMembers({
  episodes,
  entities,
}: SearchResult): (words: ReadonlySet<string>) => readonly string[] {
  const paths = episodes.flatMap(({ why }) =>
    why.flatMap(({ list, path }) => (list === MEMBERS && path !== undefined ? [path] : [])),
  );
  const categories = new Set(paths.map(categoryOf));
  // The path of an entity that was reached only through a fact ends with another name.
  const isMember = (name: string, path: readonly string[] = []) =>
    path.length > 1 && path.at(-1) === name && categories.has(categoryOf(path));
  const names = [
    ...paths.flatMap((path) => path.at(-1) ?? []),
    ...entities
      .filter(({ layer, name, why }) => layer === 0 && why.some(({ path }) => isMember(name, path)))
      .flatMap(({ name, aliases }) => [name, ...aliases]),
  ];
  const members = [...new Set(names)].map((name) => ({ name, terms: analyze(name) }));
  const isNamed = (terms: readonly string[], words: ReadonlySet<string>) =>
    terms.length > 0 && terms.every((term) => words.has(term));
  return (words) => members.flatMap(({ name, terms }) => (isNamed(terms, words) ? [name] : []));
}

/** System-2's list of the members of a whole category. */
const MEMBERS = 'members';

function categoryOf(path: readonly string[]): string {
  return JSON.stringify(path.slice(0, -1));
}
