import { describe, expect, it } from 'vitest';
import {
  ConversationIndex,
  type ConversationWeights,
  type TurnGroups,
} from '../../src/search/conversation-index.ts';
import { decodeSnapshot, encodeSnapshot } from '../../src/search/snapshot.ts';
import { NONE, Timeline } from '../../src/search/timeline.ts';
import { readTurnTerms } from '../../src/search/turn-text.ts';
import { seededRandom } from './random.ts';
import {
  countedTerms,
  naiveScores,
  pick,
  QUESTIONS,
  type RandomTurn,
  randomTurn,
  topicsOf,
} from './random-conversation.ts';

const WEIGHTS: Readonly<Record<string, ConversationWeights>> = {
  alone: {
    k1: 1.2,
    b: 0.4,
    forward: [],
    backward: [],
    ownQuestion: 1,
    nextQuestion: 1,
    session: 0,
    topic: 0,
    sessionB: 0.5,
  },
  'in conversation': {
    k1: 1.2,
    b: 0.4,
    forward: [0.4, 0.2],
    backward: [0.2, 0.1],
    ownQuestion: 0.5,
    nextQuestion: 2,
    session: 0.5,
    topic: 0.3,
    sessionB: 0.5,
  },
  'far away, no lengths': {
    k1: 0.6,
    b: 0,
    forward: [0.9, 0.5, 0.2, 0.1],
    backward: [0.3],
    ownQuestion: 1,
    nextQuestion: 3,
    session: 2,
    topic: 1.5,
    sessionB: 1,
  },
  'with zeros': {
    k1: 2,
    b: 0.9,
    forward: [0, 0.5],
    backward: [0],
    ownQuestion: 0,
    nextQuestion: 0,
    session: 0,
    topic: 0,
    sessionB: 0,
  },
};

/** An index kept in step with a plain list of turns. */
class Pair {
  timeline = new Timeline();
  index = new ConversationIndex(this.timeline);
  readonly live = new Map<number, RandomTurn>();
  #next = 0;

  add(turn: RandomTurn): void {
    this.timeline.add(this.#next, turn);
    this.index.add(this.#next, countedTerms(turn));
    this.live.set(this.#next++, turn);
  }

  remove(ordinal: number): void {
    this.index.remove(ordinal);
    this.timeline.remove(ordinal);
    this.live.delete(ordinal);
  }

  scores(terms: readonly string[], weights: ConversationWeights): Float32Array {
    const out = new Float32Array(this.#next);
    this.index.score(terms, weights, { out, topics: this.#topics() });
    return out;
  }

  #topics(): TurnGroups {
    const topics = [...topicsOf(this.live).values()];
    const of = new Int32Array(this.#next).fill(NONE);
    for (const [topic, turns] of topics.entries()) for (const turn of turns) of[turn] = topic;
    const lengthOf = (turns: readonly number[]) =>
      turns.reduce((sum, turn) => sum + this.index.lengths.at(turn), 0);
    return { of, lengths: Float64Array.from(topics, lengthOf), live: topics.length };
  }

  reopen(): void {
    const pieces = encodeSnapshot('stamp', this.index.toSections());
    const places = encodeSnapshot('stamp', this.timeline.toSections());
    this.timeline = Timeline.fromSections(sections(places))!;
    this.index = ConversationIndex.fromSections(this.timeline, sections(pieces))!;
  }

  expectNaive(weights: ConversationWeights): void {
    for (const terms of QUESTIONS) {
      const scores = this.scores(terms, weights);
      const wanted = naiveScores(this.live, terms, weights);
      scores.forEach((score, ordinal) => {
        expect(Math.abs(score - (wanted.get(ordinal) ?? 0))).toBeLessThan(1e-4);
      });
    }
  }
}

function sections(pieces: readonly Uint8Array[]) {
  return decodeSnapshot(Buffer.concat(pieces), 'stamp').snapshot!.sections;
}

describe('ConversationIndex', () => {
  it.each(Object.keys(WEIGHTS))('scores according to the definition, over adds and removes: %s', (name) => {
    const random = seededRandom(name.length);
    const pair = new Pair();
    for (let round = 0; round < 60; round++) {
      for (let turn = 0; turn < 5; turn++) pair.add(randomTurn(random));
      if (round % 2 === 1)
        for (let gone = 0; gone < 4; gone++) pair.remove(pick([...pair.live.keys()], random));
      if (round % 6 === 5) pair.expectNaive(WEIGHTS[name]!);
    }
    for (const ordinal of pair.live.keys()) pair.remove(ordinal);
    pair.expectNaive(WEIGHTS[name]!);
    expect(pair.index.size).toBe(0);
  });

  it('scores nothing on an empty index', () => {
    const pair = new Pair();
    pair.expectNaive(WEIGHTS['in conversation']!);
    expect(pair.index.averageLength).toBe(0);
  });

  it('gives removed turns no score, not even their session’s', () => {
    const pair = new Pair();
    const turn = {
      ...randomTurn(seededRandom(1)),
      session: 'one',
      statements: ['ant', 'bee'],
      questions: [],
    };
    pair.add({ ...turn, index: 0 });
    pair.add({ ...turn, index: 1 });
    pair.remove(0);
    const scores = pair.scores(['ant'], WEIGHTS['in conversation']!);
    expect(scores[0]).toBe(0);
    expect(scores[1]).toBeGreaterThan(0);
    expect([pair.index.isLive(0), pair.index.isLive(1), pair.index.isLive(2)]).toEqual([false, true, false]);
    expect(pair.index.documentFrequency('ant')).toBe(1);
    pair.index.remove(0);
    expect(pair.index.size).toBe(1);
  });

  it('leaves no trace of one question in the next', () => {
    const random = seededRandom(5);
    const pair = new Pair();
    for (let turn = 0; turn < 60; turn++) pair.add(randomTurn(random));
    for (const weights of Object.values(WEIGHTS)) {
      const first = pair.scores(['ant'], weights);
      for (const terms of QUESTIONS) for (const other of Object.values(WEIGHTS)) pair.scores(terms, other);
      expect(pair.scores(['ant'], weights)).toEqual(first);
    }
  });

  it('rejects sections that lack one or have another type', () => {
    const pair = new Pair();
    pair.add(randomTurn(seededRandom(2)));
    const whole = pair.index.toSections();
    expect(ConversationIndex.fromSections(pair.timeline, whole)).not.toBeNull();
    for (const name of whole.keys()) {
      const less = new Map(whole);
      less.delete(name);
      expect(ConversationIndex.fromSections(pair.timeline, less), name).toBeNull();
      less.set(name, new Float32Array(3));
      expect(ConversationIndex.fromSections(pair.timeline, less), name).toBeNull();
    }
  });
});

describe('readTurnTerms', () => {
  it('distinguishes statements from questions', () => {
    const { statements, questions, asks, temporal } = readTurnTerms(
      'I saw a heron. Did you see the heron? Yes.',
      ['a heron'],
    );
    expect(statements.get('heron')).toBe(2);
    expect(questions.get('heron')).toBe(1);
    expect([asks, temporal]).toEqual([false, false]);
  });

  it.each([
    ['Where are you?', true, false],
    ['Where are you? Here.', false, false],
    ['你好吗？', true, false],
    ['We met yesterday', false, true],
    ['It may rain, so march on', false, false],
    ['In 2019 and 3019', false, true],
  ])('%s', (text, asks, temporal) => {
    expect(readTurnTerms(text, [])).toMatchObject({ asks, temporal });
  });

  it.each([
    ['We went to Porto by train', true],
    ['Then Élise came too', true],
    ['It is called "the long way home"', true],
    ['Thanks! That was fun. See you', false],
    ['I like it', false],
  ])('%s: contains a name or a title: %s', (text, names) => {
    expect(readTurnTerms(text, []).names).toBe(names);
  });
});
