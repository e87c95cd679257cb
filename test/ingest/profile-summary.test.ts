import { describe, expect, it } from 'vitest';
import { summarizeEntity } from '../../src/ingest/describe/profile-summary.ts';

const fact = (statement: string, validAt: number) => ({ statement, validAt });

describe('summarizeEntity', () => {
  it('puts the newest first and repeats nothing', () => {
    const facts = [
      fact('Ida plays the harp', 1),
      fact('Ida plays the harp', 2),
      fact('Ida moved to Bergen', 3),
    ];
    const { summary } = summarizeEntity({ name: 'Ida', kind: 'person', facts, mentions: 3 });
    expect(summary).toBe('Ida moved to Bergen. Ida plays the harp.');
  });

  it('stays within its bounds and does not depend on the order of the facts', () => {
    const facts = Array.from({ length: 90 }, (_, at) =>
      fact(`Ida repaired harp number ${at} in workshop ${at % 7}`, at),
    );
    const entity = { name: 'Ida', kind: 'person' as const, mentions: 90 };
    const profile = summarizeEntity({ ...entity, facts });
    expect(profile.summary.length).toBeLessThanOrEqual(400);
    expect(profile.tags).toEqual(['person']);
    expect(summarizeEntity({ ...entity, facts: facts.toReversed() })).toEqual(profile);
  });

  it('states how often an entity without facts was mentioned', () => {
    const profile = summarizeEntity({ name: 'Bergen', kind: 'place', facts: [], mentions: 1 });
    expect(profile).toEqual({ summary: 'Bergen (place), mentioned once.', tags: ['place'] });
  });
});
