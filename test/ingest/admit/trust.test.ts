import { describe, expect, it } from 'vitest';
import { capConfidence, highestTrust, trustOf } from '../../../src/ingest/admit/trust.ts';
import { ROLES } from '../../../src/model/nodes.ts';

describe('trust', () => {
  it('trusts tools less than people', () => {
    expect(ROLES.map((role) => [role, trustOf(role)])).toEqual([
      ['user', 'normal'],
      ['assistant', 'normal'],
      ['system', 'normal'],
      ['tool', 'low'],
      ['other', 'normal'],
    ]);
  });

  it('caps facts from low-trust turns alone at 0.4, and raises nothing', () => {
    expect([0.9, 0.4, 0.2].map((confidence) => capConfidence(confidence, 'low'))).toEqual([0.4, 0.4, 0.2]);
    for (const trust of ['normal', 'high'] as const) expect(capConfidence(0.9, trust)).toBe(0.9);
  });

  it('uses the most trusted turn of a fact', () => {
    expect(highestTrust(['low', 'high', 'normal'])).toBe('high');
    expect(highestTrust(['low', 'normal'])).toBe('normal');
    expect(highestTrust(['low', 'low'])).toBe('low');
    expect(highestTrust([])).toBe('low');
  });
});
