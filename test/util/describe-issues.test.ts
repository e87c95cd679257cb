import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeIssues } from '../../src/util/describe-issues.ts';

const schemas: readonly (readonly [z.ZodType, unknown, string])[] = [
  [z.string(), 7, 'is not a text'],
  [z.object({ content: z.string() }), {}, 'content: is missing or not a text'],
  [z.object({ at: z.union([z.date(), z.number()]) }), {}, 'at: is missing or of the wrong kind'],
  [z.object({ k: z.number().int().min(1) }), { k: 0 }, 'k: must be at least 1'],
  [z.object({ k: z.number().int().max(100) }), { k: 101 }, 'k: must be at most 100'],
  [z.object({ k: z.number().positive() }), { k: 0 }, 'k: must be more than 0'],
  [z.object({ k: z.number().lt(5) }), { k: 5 }, 'k: must be less than 5'],
  [z.object({ k: z.number().int() }), { k: 1.5 }, 'k: is missing or not a whole number'],
  [z.object({ k: z.number() }), { k: Number.NaN }, 'k: is missing or not a number'],
  [z.object({ name: z.string().min(1) }), { name: '' }, 'name: is empty'],
  [z.object({ name: z.string().max(2) }), { name: 'secret' }, 'name: must have at most 2 characters'],
  [z.object({ list: z.array(z.string()).min(2) }), { list: [] }, 'list: must have at least 2 entries'],
  [z.object({ role: z.enum(['user', 'tool']) }), { role: 'secret' }, 'role: is none of user, tool'],
  [z.object({ id: z.uuid() }), { id: 'secret' }, 'id: is not valid'],
  [
    z.object({ own: z.string().max(2, 'is longer than 2; split it') }),
    { own: 'secret' },
    'own: is longer than 2; split it',
  ],
  [z.strictObject({ a: z.string() }), { a: '', secret: 1 }, 'has an unknown field'],
];

describe('describeIssues', () => {
  it.each(schemas)('%#: in words of our own, without the value', (schema, value, says) => {
    const { error } = schema.safeParse(value);
    expect(describeIssues(error!)).toBe(says);
    expect(says).not.toContain('secret');
  });

  it('names the known fields where they are given', () => {
    const { error } = z.strictObject({ a: z.string() }).safeParse({ a: '', secret: 1 });
    expect(describeIssues(error!, ['a'])).toBe('has a field that is none of a');
  });
});
