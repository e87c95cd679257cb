import { describe, expect, it } from 'vitest';
import { forgetTargetSchema, oneForgetTarget } from '../../src/model/forget-target.ts';
import { describeIssues } from '../../src/util/describe-issues.ts';

describe('a forget target', () => {
  it.each<[object]>([
    [{ episode: 'a' }],
    [{ episodes: ['a', 'b'] }],
    [{ session: 's1' }],
    [{ before: '2024-01-01' }],
    [{ after: new Date(0), before: 1_000 }],
    [{ entity: 'Rex', episodes: true }],
    [{ query: 'owls', limit: 3 }],
    [{ all: true }],
  ])('can be %o', (target) => {
    expect(forgetTargetSchema.parse(target)).toEqual(target);
    expect(oneForgetTarget({ ...target, unset: undefined })).toEqual(target);
  });

  it.each<[object]>([
    [{}],
    [{ before: undefined }],
    [{ episodes: [] }],
    [{ session: 's1', entity: 'Rex' }],
    [{ session: 's1', episodes: true }],
    [{ session: 's1', limit: 3 }],
    [{ query: 'owls', limit: 101 }],
    [{ all: false }],
    [{ everything: true }],
  ])('cannot be %o', (target) => {
    expect(forgetTargetSchema.safeParse(target).success).toBe(false);
    expect(oneForgetTarget({ ...target })).toBeNull();
  });

  it('says what it takes if it names nothing', () => {
    const { error } = forgetTargetSchema.safeParse({});
    expect(describeIssues(error!)).toMatch(
      /^must have exactly one of episode, episodes, session, before and after/,
    );
  });
});
