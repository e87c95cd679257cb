import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fitShape } from '../../../src/inference/language-model/reading/fit-shape.ts';
import { withoutLoops } from '../../../src/inference/language-model/reading/loops.ts';
import { replyShape } from '../../../src/inference/language-model/reading/reply-shape.ts';
import { replySentence } from '../../../src/prompts/reply-parts.ts';

const schema = z.object({
  title: z.string(),
  rows: z.array(z.object({ key: z.string().meta({ aliases: ['id'], isMain: true }), size: z.number() })),
  names: z.array(z.object({ name: z.string(), age: z.number() })),
});
const { original } = replyShape({ name: 'test', schema });
const rows = [{ key: 'a', size: 1 }];

describe('fitShape leaves what has two readings, and never changes a value', () => {
  it.each<[string, unknown, unknown]>([
    [
      'the property itself before one of another case',
      { Title: 'x', title: 'y' },
      { Title: 'x', title: 'y' },
    ],
    ['two lists that may be the rows', { a: rows, names: rows }, { rows, names: rows }],
    ['a list whose entries are of neither', { other: [{ x: 1 }] }, { other: [{ x: 1 }] }],
    ['numbers as texts', { rows: [{ id: 7, size: '1' }] }, { rows: [{ key: 7, size: '1' }] }],
    ['a text with brackets', { title: '[draft] x' }, { title: '[draft] x' }],
    ['an object without the properties', { rows: { a: 1, b: 2 } }, { rows: { a: 1, b: 2 } }],
  ])('%s', (_, value, expected) => expect(fitShape(value, original)[0]).toEqual(expected));

  it('prefers the object with the most properties, else the outermost', () => {
    expect(fitShape({ title: 'x', inner: { title: 'y', rows } }, original)[0]).toEqual({ title: 'y', rows });
    expect(fitShape({ title: 'x', inner: { title: 'y' } }, original)[0]).toMatchObject({ title: 'x' });
  });
});

describe('withoutLoops', () => {
  it.each<unknown>([
    'Ha ha ha ha ha ha ha ha.',
    `${'-'.repeat(80)} a heading`,
    'She sang it again. She sang it again. She sang it again.',
    [1, 1, 1, 1, 1, 1, 1],
    Array.from({ length: 20 }, (_, at) => ({ statement: `Ann bought a boat number ${at}.` })),
  ])('keeps %j', (value) => expect(withoutLoops(value)).toEqual({ value, loops: false }));

  it('keeps the first of what is repeated to the end', () => {
    expect(withoutLoops({ a: `So: ${'Ann went home. '.repeat(40)}Ann we` })).toEqual({
      value: { a: 'So: Ann went home.' },
      loops: true,
    });
  });
});

describe('a sentence of a reply', () => {
  it.each([
    'Alice uses ```json {"a":1} ``` in docs.',
    'The config {"a": 1, "b": 2} of Ann broke.',
    '"Dune" is Ann\'s favourite book: "great".',
    '- Ann: "hello"',
    '[1, 2] is the answer',
    '{name} is a placeholder',
  ])('is kept: %s', (text) => expect(replySentence.parse(text)).toBe(text));

  it.each([
    '```json [{"fact_kind": "world", "what": "Alice moved"}] ```',
    '**fact_kind**: world { "fact_kind" : "x" }',
    '{"statement": "Alice moved."}',
    '"statement": "Alice moved."',
    '[{"statement":"Alice',
  ])('is none: %s', (text) => expect(replySentence.parse(text)).toBe(''));
});
