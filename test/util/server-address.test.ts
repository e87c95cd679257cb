import { describe, expect, it } from 'vitest';
import { isServerAddress } from '../../src/util/server-address.ts';

describe('isServerAddress', () => {
  it.each([
    'ftp://h',
    'localhost:1234',
    'http://u@h',
    'https://h/v1?key=1',
    'https://h/v1#x',
    '',
    'javascript:1',
  ])('refuses %j', (text) => expect(isServerAddress(text)).toBe(false));
});
