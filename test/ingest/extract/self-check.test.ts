import { describe, expect, it } from 'vitest';
import type { ExtractedFact, TurnToRead } from '../../../src/ingest/extract/extractor.ts';
import { selfCheck } from '../../../src/ingest/extract/self-check.ts';
import { readTimes } from '../../../src/time/read-times.ts';
import { dialogue, SAID_AT } from '../turns.ts';

/** Said on Monday, 10 June 2024. */
const TALK = dialogue(
  'Ann: I adopted two puppies in Oslo last Friday.',
  'Bob: Great news. A new dog!',
  'Ann: She dug up the garden on the 3rd and cost 1,500 kroner!',
);
const ENTITIES = [
  { name: 'Ann Berg', kind: 'person' as const, aliases: ['Ann'], turns: [0, 2] },
  { name: 'Bob', kind: 'person' as const, aliases: [], turns: [1] },
  { name: 'Luna', kind: 'thing' as const, aliases: [], turns: [2] },
  { name: 'New York', kind: 'place' as const, aliases: [], turns: [1] },
];

function fact(statement: string, turns: readonly number[], rest: Partial<ExtractedFact> = {}): ExtractedFact {
  return {
    kind: 'proposition',
    statement,
    subject: null,
    relation: '',
    object: null,
    participants: ENTITIES.map(({ name }) => name).filter((name) => statement.includes(name.split(' ')[0]!)),
    validAt: SAID_AT,
    event: null,
    confidence: 0.9,
    turns,
    ...rest,
  };
}

const check = (facts: readonly ExtractedFact[], turns: readonly TurnToRead[] = TALK) =>
  selfCheck(turns, { entities: ENTITIES, facts });
const passes = (statement: string, turn: number, rest: Partial<ExtractedFact> = {}) =>
  check([fact(statement, [turn], rest)])[turn];

describe('selfCheck', () => {
  it.each([
    ['the words of the turn', 'Ann adopted two puppies in Oslo.', 0],
    ['another name of who speaks', 'Ann Berg adopted puppies in Oslo.', 0],
    ['a number as a figure', 'Ann adopted 2 puppies.', 0],
    ['the day that the turn speaks of', 'Ann adopted puppies on Friday, 7 June 2024.', 0],
    ['the same day in figures', 'Ann adopted puppies (2024-06-07).', 0],
    ['a name for a pronoun', 'Luna dug up the garden.', 2],
    ['an ordinal, and thousands', 'Luna dug on 3 June and cost 1,500 kroner.', 2],
    ['a word that only opens the sentence', 'Joyful news came to Bob.', 1],
  ])('accepts %s', (_, statement, turn) => expect(passes(statement, turn)).toBe(true));

  it.each([
    ['another number', 'Ann adopted 3 puppies.', 0],
    ['another number in words', 'Ann adopted three puppies.', 0],
    ['another place', 'Ann adopted two puppies in Bergen.', 0],
    ['another day', 'Ann adopted puppies on 8 June 2024.', 0],
    ['another month', 'Ann adopted puppies in July.', 0],
    ['another person, where no pronoun may mean one', 'Bob heard of Luna.', 1],
    ['one who opens the sentence', 'Luna sent great news to Bob.', 1],
    ['a name of which the turn says one word', 'Bob has new friends in New York.', 1],
    ['the other one who talks', 'Bob adopted two puppies in Oslo.', 0],
    ['the other one for "she"', 'Bob dug up the garden.', 2],
    ['a name that the unit does not know', 'The garden was dug up by Rex.', 2],
  ])('rejects %s', (_, statement, turn) => expect(passes(statement, turn)).toBe(false));

  it('resolves "you" to the other speaker, and "he" if there are more than two', () => {
    const bob = fact('Bob has a dog.', [0]);
    const verified = (...lines: string[]) => check([bob], dialogue(...lines))[0];
    expect(verified('Ann: A dog!', 'Bob: Yes.')).toBe(false);
    expect(verified('Ann: He has a dog!', 'Bob: Yes.')).toBe(false);
    expect(verified('Ann: You have a dog!', 'Bob: Yes.')).toBe(true);
    expect(verified('Ann: He has a dog!', 'Bob: Yes.', 'Cem: Oh.')).toBe(true);
  });

  it('accepts a name from any of the cited turns', () => {
    expect(check([fact('Bob heard of Oslo.', [1])])[1]).toBe(false);
    expect(check([fact('Bob heard of Oslo.', [0, 1])])).toEqual([true, true, false]);
  });

  it('accepts the days of the time that the fact mentions', () => {
    const event = readTimes('in May 2019', { reference: SAID_AT })[0]!.interval;
    expect(passes('Bob had great news in May 2019.', 1)).toBe(false);
    expect(passes('Bob had great news in May 2019.', 1, { event })).toBe(true);
  });

  it('requires a confidence of 0.5', () => {
    expect(passes('Ann adopted puppies.', 0, { confidence: 0.5 })).toBe(true);
    expect(passes('Ann adopted puppies.', 0, { confidence: 0.49 })).toBe(false);
  });

  it('verifies a turn that has a passing fact and no failing one', () => {
    const [good, bad] = [fact('Ann adopted puppies.', [0]), fact('Ann adopted 9 puppies.', [0])];
    expect(check([good])).toEqual([true, false, false]);
    expect(check([good, bad])).toEqual([false, false, false]);
    expect(check([])).toEqual([false, false, false]);
  });
});
