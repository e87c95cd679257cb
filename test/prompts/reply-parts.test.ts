import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readSegments } from '../../src/ingest/extract/llm/read-segments-prompt.ts';
import {
  replyConfidence,
  replyList,
  replyNumber,
  replyNumbers,
  replyText,
  replyTexts,
  replyWord,
} from '../../src/prompts/reply-parts.ts';

describe('parts of replies', () => {
  it.each([
    ['a', 'a'],
    [3, '3'],
    [null, ''],
    [undefined, ''],
    [['a'], ''],
  ])('text from %j', (raw, text) => expect(replyText.parse(raw)).toBe(text));

  it.each([
    [3, 3],
    ['3', 3],
    ['turn 12', 12],
    ['[4]', 4],
    ['none', 0],
    [null, 0],
    [1.5, 1.5],
  ])('a number from %j', (raw, number) => expect(replyNumber.parse(raw)).toBe(number));

  it.each([
    [
      [1, '2', 'turn 3', null],
      [1, 2, 3, 0],
    ],
    [5, [5]],
    ['1, 2 and 7', [1, 2, 7]],
    [{ a: 1 }, []],
    [undefined, []],
  ])('numbers from %j', (raw, numbers) => expect(replyNumbers.parse(raw)).toEqual(numbers));

  it.each([
    [
      ['a', 2],
      ['a', '2'],
    ],
    ['a, b; c', ['a', 'b', 'c']],
    [null, []],
  ])('texts from %j', (raw, texts) => expect(replyTexts.parse(raw)).toEqual(texts));

  it.each([
    [0.9, 0.9],
    ['0.9', 0.9],
    ['90%', 0.9],
    ['high', 0.5],
    [undefined, 0.5],
  ])('a confidence from %j', (raw, confidence) => expect(replyConfidence.parse(raw)).toBe(confidence));

  it('a word in any capitals, else the one for others', () => {
    const word = replyWord(['same', 'different', 'uncertain'], 'uncertain');
    expect([' Same ', 'DIFFERENT', 'maybe', null].map((raw) => word.parse(raw))).toEqual([
      'same',
      'different',
      'uncertain',
      'uncertain',
    ]);
  });

  it('a list keeps its good entries, and does not fit when it has none', () => {
    const list = replyList(z.object({ name: replyText }));
    expect(list.parse([{ name: 'Ann' }, 'Bob', 7])).toEqual([{ name: 'Ann' }, null, null]);
    expect(list.parse('nothing')).toEqual([]);
    expect(list.parse([])).toEqual([]);
    expect(list.safeParse(['Ann', 'Bob']).success).toBe(false);
  });

  it('a whole reply of odd values', () => {
    const { facts, entities } = readSegments.schema.parse({
      entities: [{ name: 'Luna', kind: 'Dog', turns: '1' }],
      facts: [{ statement: 'Luna is a puppy.', participants: 'Luna, Ann', turns: ['1'], said: null }],
    });
    expect(entities[0]).toEqual({
      name: 'Luna',
      kind: 'thing',
      aliases: [],
      tags: [],
      description: '',
      turns: [1],
      segment: 0,
    });
    expect(facts[0]).toMatchObject({ participants: ['Luna', 'Ann'], turns: [1], said: '', confidence: 0.5 });
  });
});
