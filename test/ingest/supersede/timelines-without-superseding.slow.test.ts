import { expect, it } from 'vitest';
import { failuresOf, timelines } from './timeline.ts';
import { tell } from './timeline-memory.ts';

it.each(timelines().map((timeline) => [timeline.name, timeline] as const))(
  '%s would not be answered by a memory that ends nothing',
  async (_, timeline) => {
    await using told = await tell(timeline, { supersedes: 'never' });
    expect(told.outdated).toBe(0);
    expect(await failuresOf(timeline, told.memory)).not.toEqual([]);
  },
);
