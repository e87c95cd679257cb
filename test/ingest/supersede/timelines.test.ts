import { describe, expect, it } from 'vitest';
import { scriptedModel } from './scripted-model.ts';
import { failuresOf, timelines } from './timeline.ts';
import { type TimelineOptions, tell } from './timeline-memory.ts';

const all = timelines();

const rows = all.map((timeline) => [timeline.name, timeline] as const);

type Told = (typeof all)[number];

async function failuresAfter(timeline: Told, options: TimelineOptions = {}): Promise<string[]> {
  await using told = await tell(timeline, options);
  return await failuresOf(timeline, told.memory);
}

describe('ten timelines', () => {
  it('are ten, and ask about now, then, and as known then', () => {
    expect(all).toHaveLength(10);
    for (const { sessions, questions } of all) {
      const end = Math.max(...sessions.map(({ at }) => Date.parse(at)));
      expect(questions.some(({ asOf, knownAt }) => Date.parse(asOf) > end && knownAt === undefined)).toBe(
        true,
      );
      expect(questions.some(({ asOf, knownAt }) => Date.parse(asOf) < end && knownAt === undefined)).toBe(
        true,
      );
      expect(questions.some(({ knownAt }) => knownAt !== undefined)).toBe(true);
      expect(questions.filter(({ ask }) => ask !== undefined).length).toBeGreaterThan(1);
    }
  });

  it.each(rows)('%s is answered by the local tier', async (_, timeline) => {
    expect(await failuresAfter(timeline)).toEqual([]);
  });

  it.each(rows)('%s comes out the same when all sessions are told at once', async (_, timeline) => {
    const questions = timeline.questions.filter(({ knownAt }) => knownAt === undefined);
    expect(await failuresAfter({ ...timeline, questions }, { atOnce: true })).toEqual([]);
  });

  it.each(rows)('%s is answered by a scripted model', async (_, timeline) => {
    expect(await failuresAfter(timeline, { model: scriptedModel(timeline) })).toEqual([]);
  });

  // The other nine: timelines-without-superseding.slow.test.ts.
  it('the shortest would not be answered by a memory that ends nothing', async () => {
    const timeline = all.find(({ name }) => name === 'trip-that-happened')!;
    await using told = await tell(timeline, { supersedes: 'never' });
    expect(told.outdated).toBe(0);
    expect(await failuresOf(timeline, told.memory)).not.toEqual([]);
  });
});
