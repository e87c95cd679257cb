import { describe, expect, it } from 'vitest';
import { readJson } from '../../../src/inference/language-model/reading/read-json.ts';

const first = (text: string) => readJson(text)[0];

describe('readJson', () => {
  it.each<[what: string, text: string, value: unknown]>([
    ['JSON', '{"a":[1,2]}', { a: [1, 2] }],
    ['a list', ' [1, {"a": null}]\n', [1, { a: null }]],
    ['a code fence', 'Here it is:\n```json\n{"a": 1}\n```\nAnything else?', { a: 1 }],
    ['a fence without a language, not closed', '```\n{"a": "b"}', { a: 'b' }],
    [
      'fences inside a string',
      '```json\n{"a": "use ```js\\ncode``` here"}\n```',
      { a: 'use ```js\ncode``` here' },
    ],
    ['prose around it', 'Sure [see below]! {"a": {"b": "}"}} Hope (this) helps {smile}', { a: { b: '}' } }],
    ['a thought before it', '<think>Maybe {"a": 9}? No.</think>\n{"a": 1}', { a: 1 }],
    ['a thought whose opener was swallowed', 'Maybe {"a": 9}.\n</think>{"a": 1}', { a: 1 }],
    ['a thought that never closes', '<think>So the answer is {"a": 1}', { a: 1 }],
    ['trailing commas', '{"a": [1, 2,], "b": {"c": 3,},}', { a: [1, 2], b: { c: 3 } }],
    ['single quotes', "{'a': 'it\\'s', 'b': ['c', 'd']}", { a: "it's", b: ['c', 'd'] }],
    ['comments', '{"a": 1, // the "first" {\n /* and } */ "b": 2}', { a: 1, b: 2 }],
    ['Python words', '{"a": True, "b": None}', { a: true, b: null }],
    ['keys without quotes', '{a: 1, b: "c"}', { a: 1, b: 'c' }],
    ['a missing comma', '{"a": "b"\n "c": "d"}', { a: 'b', c: 'd' }],
    [
      'quotes in a string that were not escaped',
      '{"a": "he said "yes" to it", "b": 1}',
      { a: 'he said "yes" to it', b: 1 },
    ],
    ['JSON inside a JSON string', JSON.stringify('{"a": 1}'), { a: 1 }],
    ['the longer of two', 'An example is {"a": 0}. The reply: {"a": 1, "b": [2, 3]}', { a: 1, b: [2, 3] }],
    ['a byte order mark', '\uFEFF{"a":1}', { a: 1 }],
    [
      'a bracket of the prose that never closes',
      'I list them [first the people:\n\n{"a": ["b"]}',
      { a: ['b'] },
    ],
  ])('reads %s', (_what, text, value) => {
    expect(readJson(text).filter(({ truncated }) => !truncated)[0]).toEqual({ value, truncated: false });
  });

  it.each([
    ['nothing', ''],
    ['prose', 'I am sorry, there is nothing to say.'],
    ['a number', '42'],
    ['a quoted sentence', '"no JSON here"'],
    ['an open thought without JSON', '<think>hm'],
  ])('finds no JSON in %s', (_what, text) => expect(readJson(text)).toEqual([]));

  it.each<[text: string, value: unknown]>([
    ['{"a": [{"x": 1}, {"x": 2}, {"x": 3', { a: [{ x: 1 }, { x: 2 }] }],
    ['{"a": ["one", "two", "thr', { a: ['one', 'two'] }],
    ['{"a": [1, 23', { a: [1] }],
    ['{"a": {"b": [{"c": [1, 2], "d": [3', { a: { b: [] } }],
    ['{"a": {"b": "done", "c": "not do', { a: { b: 'done' } }],
    ['{"a": "one", "b', { a: 'one' }],
    ['```json\n{"a": ["one", "two"', { a: ['one', 'two'] }],
    ['{"a": ["one", "two"], "b": tru', { a: ['one', 'two'] }],
    ["{'a': ['one', 'tw", { a: ['one'] }],
  ])('keeps the complete items of %s', (text, value) =>
    expect(first(text)).toEqual({ value, truncated: true }),
  );

  it('never invents data, wherever a reply is cut', () => {
    const items = [
      { name: 'Ann "the" [first]', tags: ['a,b', 'c'], n: 12.5, at: { day: '2024-01-01', ok: true } },
      { name: 'Bo\\b', tags: [], n: -3e10, at: { day: null, ok: false } },
      { name: '李{雷}', tags: ['x'], n: 100, at: { day: '', ok: true } },
    ];
    const text = JSON.stringify({ summary: 'two, "three"', items, nested: { list: [1, 22, 333] } }, null, 1);
    for (let end = 1; end < text.length; end++) {
      const reading = first(text.slice(0, end));
      if (reading === undefined) continue;
      expect(reading.truncated).toBe(true);
      const value = reading.value as { summary?: unknown; items?: unknown[]; nested?: { list?: number[] } };
      if ('summary' in value) expect(value.summary).toBe('two, "three"');
      expect(value.items ?? []).toEqual(items.slice(0, value.items?.length ?? 0));
      expect(value.nested?.list ?? []).toEqual([1, 22, 333].slice(0, value.nested?.list?.length ?? 0));
    }
    expect(first(text)).toMatchObject({ truncated: false, value: { items } });
  });

  it.each([
    ['brackets', '['.repeat(200_000)],
    ['braces', '{'.repeat(200_000)],
    ['objects within objects', '{"a":'.repeat(100_000)],
    ['quotes', '{"'.repeat(100_000)],
    ['prose', 'word { [ '.repeat(50_000)],
    ['a long string', `{"a": "${'x'.repeat(1_000_000)}`],
    ['white space', `{"a": "b"${' '.repeat(500_000)}`],
    ['quotes before white space', `{"a": "${`"${' '.repeat(1000)}x`.repeat(300)}`],
    ['openers of thought', '<think>'.repeat(50_000)],
  ])('terminates for a flood of %s', (_what, text) => {
    expect(Array.isArray(readJson(text))).toBe(true);
  });
});
