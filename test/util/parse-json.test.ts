import { describe, expect, it } from 'vitest';
import { findJsonError, parseJson } from '../../src/util/parse-json.ts';

const VALID = [
  'null',
  ' [ ] ',
  '{}',
  '[1,-0.5e+3,"a\\u00e9\\n"]',
  '{"a":{"b":[true,false,{}]},"c":""}',
  '"\u007f\u2028"',
  '0',
];
const BROKEN: [text: string, offset: number][] = [
  ['', 0],
  ['[1,]', 3],
  ['[1 2]', 3],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['{a:1}', 1],
  ['{"a":tru}', 5],
  ['[01]', 2],
  ['["a\nb"]', 3],
  ['["\\x"]', 2],
  ['{"a":[1}', 7],
  ['[1]]', 3],
  ['[1] 2', 4],
  ['[1', 2],
  ['{"a', 3],
  ['"a\\', 2],
];

describe('findJsonError', () => {
  it('finds nothing wrong with JSON', () => {
    for (const text of VALID) expect([text, findJsonError(text)]).toEqual([text, null]);
  });

  it('finds where a text stops being JSON', () => {
    for (const [text, offset] of BROKEN) expect([text, findJsonError(text)]).toEqual([text, offset]);
  });

  it('agrees with JSON.parse on damaged texts', () => {
    const whole = '{"a":[1.5e-2,"x\\"\\u0041",{"b":null}],"c":false}';
    for (let at = 0; at < whole.length; at++) {
      for (const put of ['', '"', ',', ']', '7', '\\', '\t']) {
        const text = whole.slice(0, at) + put + whole.slice(at + 1);
        expect([text, findJsonError(text) === null]).toEqual([text, parseJson(text).ok]);
      }
    }
  });

  it('reads a million open brackets', () => {
    expect(findJsonError('['.repeat(1_000_000))).toBe(1_000_000);
    expect(findJsonError(`"${'a\\n'.repeat(500_000)}`)).toBe(1_500_001);
  });
});

it('parseJson says line and column', () => {
  expect(parseJson('{\n "a": 1,\n secret\n}')).toEqual({
    ok: false,
    reason: 'it is not JSON from line 3, column 2 on',
  });
  expect(parseJson('[\n1,')).toEqual({ ok: false, reason: 'it ends too early, at line 2, column 3' });
  expect(parseJson(' \n')).toEqual({ ok: false, reason: 'it is empty' });
});
