import { expect, test } from 'vitest';
import { z } from 'zod';
import { replyShape } from '../../../src/inference/language-model/reading/reply-shape.ts';
import { withShownNumbers } from '../../../src/inference/language-model/reading/shown-numbers.ts';
import { grammarOf } from '../../../src/inference/llama/process/grammar-of.ts';

const shapeOf = (schema: z.ZodType) => replyShape({ name: 'test', schema });

test('members stand in the order of the schema, with one space at most', () => {
  const schema = z.object({ name: z.string(), isNew: z.boolean(), 'a "b"': z.null() });
  expect(grammarOf(shapeOf(schema).schema).split('\n').at(-1)).toBe(
    String.raw`root ::= "{" "\"name\"" ":" " "? string "," " "? "\"isNew\"" ":" " "? boolean "," " "? "\"a \\\"b\\\"\"" ":" " "? null "}"`,
  );
});

test('a list has a bound: its own, that of the numbers in it, or a common one', () => {
  const lists = (schema: object) =>
    grammarOf(schema)
      .match(/\{0,\d+\}/g)!
      .filter((bound) => bound !== '{0,15}');
  const list = (more: object, items: object = { type: 'boolean' }) =>
    lists({ type: 'object', properties: { list: { type: 'array', items, ...more } } });
  expect(list({ maxItems: 4 })).toEqual(['{0,3}']);
  expect(list({}, { type: 'integer', enum: [1, 2, 3] })).toEqual(['{0,2}']);
  expect(list({})).toEqual(['{0,63}']);
});

test('a text has a bound: its own, or a common one', () => {
  const grammar = grammarOf({
    type: 'object',
    properties: { name: { type: 'string', maxLength: 60 }, note: { type: ['string', 'null'] } },
  });
  expect(grammar).toContain(String.raw`string-60 ::= "\"" char{0,60} "\""`);
  expect(grammar).toContain(String.raw`string ::= "\"" char{0,1000} "\""`);
  expect(grammar).toContain(String.raw`"\"name\"" ":" " "? string-60 ","`);
  expect(grammar.match(/^char ::= /gm)).toHaveLength(1);
});

test('alternatives, references to themselves and null are rules', () => {
  interface Tree {
    readonly kids: readonly Tree[];
  }
  const tree: z.ZodType<Tree> = z.lazy(() => z.object({ kids: z.array(tree) }));
  const grammar = grammarOf(
    shapeOf(z.object({ tree, either: z.union([z.string(), z.number()]).nullable() })).schema,
  );
  for (const [, reference] of grammar.matchAll(/[\s(](r\d+|def-[a-z0-9-]+|string|number|null)(?=[\s)]|$)/g))
    expect(grammar).toMatch(new RegExp(`^${reference} ::= `, 'm'));
  expect(grammar).toMatch(/^def-\S+ ::= "\{" "\\"kids\\""/m);
});

test('a reply can name only numbers that the prompt shows', () => {
  const schema = z.object({
    picks: z.array(z.object({ turn: z.number(), turns: z.array(z.number()) })),
    names: z.array(z.string()),
  });
  const shape = withShownNumbers(shapeOf(schema), { turn: 2, turns: 3, names: 2 });
  const grammar = grammarOf(shape.schema);
  expect(grammar).toContain('"1" | "2"\n');
  expect(grammar).toContain('"1" | "2" | "3"');
  expect(grammar).toContain(String.raw`"\"1\"" | "\"2\""`);
  expect(grammar).not.toMatch(/^(?:number|string) ::=/m);
  expect(withShownNumbers(shapeOf(schema), { turn: 501 }).schema).toEqual(shapeOf(schema).schema);
});

test('a server that caches schemas gets few of them', () => {
  const schema = z.object({ turns: z.array(z.number()) });
  const numbers = (turns: number, isCached: boolean) =>
    withShownNumbers(shapeOf(schema), { turns }, isCached).schema;
  const most = (turns: number) => JSON.stringify(numbers(turns, true)).match(/(\d+)\]/)![1];
  expect([1, 8, 9, 31, 33, 256, 257, 400].map(most)).toEqual('8 8 16 32 64 256 257 400'.split(' '));
  expect(numbers(3, true)).toEqual(numbers(7, true));
  expect(numbers(3, false)).not.toEqual(numbers(7, false));
});

test('a part of any kind is any JSON; an unknown type has no grammar', () => {
  const grammar = grammarOf({ type: 'object', properties: { all: {}, record: { type: 'object' } } });
  for (const rule of ['value', 'object', 'array', 'string', 'char', 'number', 'boolean', 'null'])
    expect(grammar).toMatch(new RegExp(`^${rule} ::= `, 'm'));
  expect(() => grammarOf({ type: 'tuple' })).toThrow(RangeError);
});
