import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { currentTier, inTier, TIERS } from './tier.ts';

describe('the tier of a run', () => {
  it.each(TIERS)('is what TEST_TIER says: %s', (tier) => {
    vi.stubEnv('TEST_TIER', tier);
    expect(currentTier()).toBe(tier);
    expect(inTier({ fast: 'fast', slow: 'slow', long: 'long' })).toBe(tier);
  });

  it('is fast unless something else is asked for, and no other name will do', () => {
    vi.stubEnv('TEST_TIER', undefined);
    expect(currentTier()).toBe('fast');
    vi.stubEnv('TEST_TIER', 'quick');
    expect(() => inTier({ fast: 1, slow: 2 })).toThrow(
      'TEST_TIER must be one of fast, slow, long, not quick',
    );
  });

  it('counts as in the slow one where the long one has no count', () => {
    vi.stubEnv('TEST_TIER', 'long');
    expect(inTier({ fast: 1, slow: 2 })).toBe(2);
  });
});

it('no test replaces the environment, which stubs of later files of the worker would miss', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const replaces = (name: string) =>
    name.endsWith('.ts') &&
    /process\.env = (?!=)/.test(readFileSync(join(import.meta.dirname, name), 'utf8'));
  expect(files.filter(replaces)).toEqual([]);
});
