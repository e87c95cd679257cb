import { ROLES, type Role } from '../../src/model/codes.ts';
import type { ConversationWeights } from '../../src/search/conversation-index.ts';
import type { TurnTerms } from '../../src/search/turn-text.ts';

export interface RandomTurn extends Pick<TurnTerms, 'asks' | 'temporal' | 'names'> {
  /** Terms in order, with repetitions. */
  readonly statements: readonly string[];
  readonly questions: readonly string[];
  readonly session: string;
  readonly index: number;
  readonly speaker: string;
  readonly role: Role;
  readonly source: string;
  readonly validAt: number;
}

const WORDS = ['ant', 'bee', 'cat', 'dog', 'eel', 'fox', 'gnu', 'hen', 'ibis', 'jay'];
export const QUESTIONS: readonly (readonly string[])[] = [
  ['ant'],
  ['jay', 'bee'],
  ['cat', 'dog', 'cat', 'unheard'],
  WORDS,
  [],
];

export const pick = <T>(values: readonly T[], random: () => number): T =>
  values[Math.floor(random() * values.length)]!;

/** The terms of a turn as the index takes them. */
export function countedTerms({ statements, questions, ...turn }: RandomTurn): TurnTerms {
  const counted = (terms: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    return counts;
  };
  return { ...turn, statements: counted(statements), questions: counted(questions) };
}

/** A turn of a few words, some of them in a question, anywhere in one of four sessions. */
export function randomTurn(random: () => number): RandomTurn {
  const said = { statements: [] as string[], questions: [] as string[] };
  const length = Math.floor(random() * 12);
  for (let word = 0; word < length; word++) {
    const term = WORDS[Math.floor(random() ** 2 * WORDS.length)]!;
    said[random() < 0.3 ? 'questions' : 'statements'].push(term);
  }
  return {
    ...said,
    asks: random() < 0.3,
    temporal: random() < 0.3,
    names: random() < 0.3,
    session: pick(['one', 'two', 'three', 'four'], random),
    index: Math.floor(random() * 40),
    speaker: pick(['Ann', 'Bob'], random),
    role: ROLES[Math.floor(random() * ROLES.length)]!,
    source: pick(['chat', 'mail'], random),
    validAt: Math.floor(random() * 1e12),
  };
}

/** The turns of each session in the order of their indices; of equal ones the first that came stands first. */
export function sessionsOf(live: ReadonlyMap<number, RandomTurn>): ReadonlyMap<string, readonly number[]> {
  const sessions = new Map<string, number[]>();
  for (const [ordinal, { session }] of [...live].sort(([a], [b]) => a - b))
    sessions.set(session, [...(sessions.get(session) ?? []), ordinal]);
  for (const ordinals of sessions.values())
    ordinals.sort((a, b) => live.get(a)!.index - live.get(b)!.index || a - b);
  return sessions;
}

/** A topic for each turn: ten places of a session are one. By topic, its turns. */
export function topicsOf(live: ReadonlyMap<number, RandomTurn>): ReadonlyMap<string, readonly number[]> {
  const topics = new Map<string, number[]>();
  for (const [ordinal, { session, index }] of live) {
    const topic = `${session} ${Math.floor(index / 10)}`;
    topics.set(topic, [...(topics.get(topic) ?? []), ordinal]);
  }
  return topics;
}

/** BM25 of turns in their conversation, straight from its definition, term by term and turn by turn. */
export function naiveScores(
  live: ReadonlyMap<number, RandomTurn>,
  terms: readonly string[],
  weights: ConversationWeights,
): ReadonlyMap<number, number> {
  const { k1, b, forward, backward, ownQuestion, nextQuestion, sessionB } = weights;
  const sessions = [...sessionsOf(live).values()];
  const groupings = [
    { groups: sessions, weight: weights.session },
    { groups: [...topicsOf(live).values()], weight: weights.topic },
  ];
  const lengthOf = (ordinal: number) => {
    const { statements, questions } = live.get(ordinal)!;
    return statements.length + questions.length;
  };
  const totalLength = [...live.keys()].reduce((sum, ordinal) => sum + lengthOf(ordinal), 0);
  const average = totalLength / live.size || 1;
  const idf = (frequency: number, total: number) =>
    Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5));
  const scores = new Map([...live.keys()].map((ordinal) => [ordinal, 0]));
  for (const term of new Set(terms)) {
    const countOf = (ordinal: number) => {
      const { statements, questions } = live.get(ordinal)!;
      const among = (terms: readonly string[]) => terms.filter((each) => each === term).length;
      return { statements: among(statements), questions: among(questions) };
    };
    const said = (ordinal: number | undefined, questions: number) => {
      if (ordinal === undefined) return 0;
      const count = countOf(ordinal);
      const norm = 1 - b + (b * lengthOf(ordinal)) / average;
      return (count.statements + questions * count.questions) / norm;
    };
    const saying = (ordinal: number) => countOf(ordinal).statements + countOf(ordinal).questions;
    const turns = [...live.keys()].filter((ordinal) => saying(ordinal) > 0).length;
    for (const { groups, weight } of groupings) {
      const groupAverage = totalLength / (groups.length || 1) || 1;
      const speaking = groups.filter((group) => group.some((ordinal) => saying(ordinal) > 0)).length;
      for (const group of groups) {
        const count = group.reduce((sum, ordinal) => sum + saying(ordinal), 0);
        const length = group.reduce((sum, ordinal) => sum + lengthOf(ordinal), 0);
        const norm = 1 - sessionB + (sessionB * length) / groupAverage;
        const ofGroup =
          count === 0 ? 0 : (idf(speaking, groups.length) * (k1 + 1) * count) / (count + k1 * norm);
        for (const ordinal of group) scores.set(ordinal, scores.get(ordinal)! + weight * ofGroup);
      }
    }
    for (const session of sessions) {
      for (const [place, ordinal] of session.entries()) {
        let pooled = said(ordinal, ownQuestion);
        // Words go forward from the turns before, the answer to a question first of all, and backward.
        for (const [step, weight] of forward.entries())
          pooled += weight * said(session[place - step - 1], step === 0 ? nextQuestion : ownQuestion);
        for (const [step, weight] of backward.entries())
          pooled += weight * said(session[place + step + 1], ownQuestion);
        const ofTurn = pooled === 0 ? 0 : (idf(turns, live.size) * (k1 + 1) * pooled) / (pooled + k1);
        scores.set(ordinal, scores.get(ordinal)! + ofTurn);
      }
    }
  }
  return scores;
}
