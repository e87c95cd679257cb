import { describe, expect, it } from 'vitest';
import { aggregateSummary, MAX_CATEGORY_SUMMARY } from '../../../src/hierarchy/describe/aggregate-summary.ts';

const TRIP = 'Ann went to Lisbon, Porto and Oslo with Bob.';
const told = (summary: string, ...names: readonly string[]) => names.map((name) => ({ name, summary }));

describe('aggregateSummary', () => {
  it('writes a sentence shared by several children once', () => {
    const children = [
      ...told(TRIP, 'Lisbon', 'Porto'),
      ...told('Rome is old. Ann likes it.', 'Rome'),
      ...told(TRIP, 'Oslo'),
      ...told('Ghent (place), mentioned once.', 'Ghent'),
    ];
    expect(aggregateSummary(children)).toBe(`Lisbon, Porto, Oslo: ${TRIP} Rome is old. Also Ghent.`);
  });

  it('does not repeat the subject of a sentence before it', () => {
    expect(aggregateSummary(told('Ann met Bob.', 'Ann', 'Bob'))).toBe('Bob: Ann met Bob.');
    expect(aggregateSummary(told('Ann sings.', 'Ann', 'ANN'))).toBe('Ann sings.');
  });

  it('respects its length, and counts children without room for a name', () => {
    const many = told(TRIP, ...Array.from({ length: 500 }, (_, at) => `Town number ${at}`));
    const text = aggregateSummary(many);
    expect(text.length).toBeLessThanOrEqual(MAX_CATEGORY_SUMMARY);
    expect(text.match(/Ann went/g)).toHaveLength(1);
    const named = text.match(/Town number \d+/g)!;
    expect(new Set(named).size).toBe(named.length);
    expect(text).toContain(`and ${500 - named.length} more.`);
  });
});
