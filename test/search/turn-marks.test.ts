import { expect, it } from 'vitest';
import { TurnMarks } from '../../src/search/episode-index.ts';

it('keeps the marks of single turns through a snapshot', () => {
  const marks = new TurnMarks();
  marks.set(3, { gate: 'dropped', verified: true });
  marks.set(1, { gate: 'kept', verified: false });
  marks.set(3, { gate: 'kept' });
  marks.set(1, { verified: true });
  marks.set(5, { gate: 'dropped' });
  for (const each of [marks, TurnMarks.fromSections(marks.toSections())!]) {
    const turns = [0, 1, 2, 3, 4, 5, 99];
    expect(turns.filter((turn) => each.isVerified(turn))).toEqual([1, 3]);
    expect(turns.filter((turn) => each.isDropped(turn))).toEqual([5]);
  }
  expect(TurnMarks.fromSections(new Map())).toBeNull();
});
