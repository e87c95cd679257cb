import { expect, it } from 'vitest';
import { isServerAddress } from '../../src/util/server-address.ts';

it.each([
  'ftp://h',
  'localhost:1234',
  'http://u@h',
  'https://h/v1?key=1',
  'https://h/v1#x',
  '',
  'javascript:1',
])('isServerAddress refuses %j', (text) => expect(isServerAddress(text)).toBe(false));
