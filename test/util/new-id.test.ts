import { validate, version } from 'uuid';
import { expect, it } from 'vitest';
import { newId } from '../../src/util/new-id.ts';

it('gives ids of version 7 that ascend and never repeat', () => {
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});
