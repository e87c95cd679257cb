import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../src/errors/index.ts';
import {
  compileNeverRemember,
  describeRule,
  neverRememberSchema,
} from '../../../src/ingest/admit/never-remember.ts';

const breaks = (rule: string | RegExp, ...texts: string[]): boolean =>
  compileNeverRemember([rule])(texts) === 0;

describe('compileNeverRemember', () => {
  it.each([
    ['my divorce', 'About My  DIVORCE, well.'],
    ['my divorce', 'my\n\tdivorce'],
    ['café', 'the cafe\u0301 on the corner'],
    ['straße', 'in der STRASSE'],
    ['ΟΔΟΣ', 'μια οδός'.normalize('NFD').replace(/\u0301/g, '')],
    ['project x', 'Ｐｒｏｊｅｃｔ Ｘ'],
    ["mother's", 'my mother’s house'],
    ['secret', 'a se\u00adcr\u200bet thing'],
    ['#health', 'see #health today'],
    ['c++', 'I write C++.'],
    ['密码', '我的密码是'],
    ['ﬁnance', 'FINANCE'],
  ])('finds “%s” in “%s”', (rule, text) => expect(breaks(rule, text)).toBe(true));

  it.each([
    ['art', 'the party started'],
    ['art', 'art_work and artést'],
    ['cafe', 'the cafe\u0301 on the corner'],
    ['my divorce', 'my, divorce'],
    ['health', 'healthy'],
    ['क', 'कि'],
  ])('does not find “%s” in “%s”', (rule, text) => expect(breaks(rule, text)).toBe(false));

  it('finds a whole word after one that only contains it', () => {
    expect(breaks('art', 'party, then art')).toBe(true);
  });

  it('returns the first rule that matches, in any of the texts', () => {
    const never = compileNeverRemember(['alpha', 'beta', /gam+a/i]);
    expect(never(['nothing here'])).toBeNull();
    expect(never([])).toBeNull();
    expect(never(['x', 'GAMMA and beta'])).toBe(1);
    expect(never(['x GAMMA'])).toBe(2);
    expect(compileNeverRemember([])(['x'])).toBeNull();
  });

  it('does not join two texts', () => {
    expect(breaks('my divorce', 'my', 'divorce')).toBe(false);
  });

  it('evaluates expressions from the start each time, with any flags and state', () => {
    for (const flags of ['g', 'y', 'gy', 'giu']) {
      const rule = new RegExp('^secret', flags);
      rule.lastIndex = 3;
      const never = compileNeverRemember([rule]);
      expect([1, 2, 3].map(() => never(['secret plan']))).toEqual([0, 0, 0]);
      expect(rule.lastIndex).toBe(3);
    }
  });

  it('matches expressions against the first 20,000 characters, unchanged', () => {
    expect(breaks(/Plan B$/, `${'x'.repeat(19_994)}Plan B`)).toBe(true);
    expect(breaks(/Plan B/, `${'x'.repeat(19_995)}Plan B`)).toBe(false);
    expect(breaks('plan b', `${'x '.repeat(100_000)}Plan B`)).toBe(true);
  });

  it('rejects rules that match everything, without repeating them', () => {
    for (const rule of ['', '  ', '\u200b', 'x'.repeat(201), /x*/, /(?:)/]) {
      const compile = () => compileNeverRemember(['fine', rule]);
      expect(compile).toThrow(InvalidInputError);
      expect(compile).toThrow(/^rule 2 of neverRemember /);
    }
    expect(() => compileNeverRemember(Array.from({ length: 201 }, (_, at) => `rule ${at}`))).toThrow(
      InvalidInputError,
    );
  });

  it('gives a reason that contains neither text nor rule', () =>
    expect(describeRule(1)).toBe('rule 2 of neverRemember'));
});

describe('neverRememberSchema', () => {
  it('accepts 1 to 200 phrases of 1 to 200 characters', () => {
    expect(neverRememberSchema.parse([' my divorce '])).toEqual(['my divorce']);
    expect(neverRememberSchema.safeParse(Array(200).fill('x'.repeat(200))).success).toBe(true);
    for (const bad of [[], Array(201).fill('x'), [''], ['\u200b'], ['x'.repeat(201)], [1], 'x'])
      expect(neverRememberSchema.safeParse(bad).success, JSON.stringify(bad).slice(0, 40)).toBe(false);
  });

  it('does not repeat a phrase in its messages', () => {
    const { error } = neverRememberSchema.safeParse([`divorce${'x'.repeat(300)}`]);
    expect(error?.issues[0]?.message).toBe('must have at most 200 characters');
  });
});
