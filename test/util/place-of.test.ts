import { expect, it } from 'vitest';
import { placeOf } from '../../src/util/describe-issues.ts';

it('tells of an error what it is and where it came from, never what it says', () => {
  const place = placeOf(new TypeError('my PIN\n    at home'));
  expect(place).toMatch(/^TypeError at .*place-of\.test/);
  expect(place).not.toMatch(/PIN|home/);
});

it('tells of what is no error its type alone', () => {
  expect(placeOf('my PIN')).toBe('something of the type string was thrown');
  expect(placeOf(Object.assign(new Error('my PIN'), { stack: undefined }))).toBe('Error');
});

it('tells no place where the message was changed since', () => {
  const error = new Error('my PIN\n    at home');
  expect(error.stack).toContain('at home'); // from now on it stays as it is
  error.message = 'another';
  expect(placeOf(error)).toBe('Error');
});
