import { describe, expect, it } from 'vitest';
import { LlmSuperseder } from '../../../src/ingest/llm/llm-superseder.ts';
import { LocalSuperseder } from '../../../src/ingest/supersede/local-superseder.ts';
import type { Superseder } from '../../../src/ingest/supersede/superseder.ts';
import { scriptedModel } from './scripted-model.ts';
import { failuresOf, timelines } from './timeline.ts';
import { tell } from './timeline-memory.ts';

const all = timelines();

describe('ten timelines', () => {
  it('are ten, and ask for now, then, and as known then', () => {
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
    }
  });

  it('are answered by the local tier, all of them', async () => {
    const failures = new Map<string, readonly string[]>();
    for (const timeline of all) {
      const failed = failuresOf(timeline, await tell(timeline, { superseder: new LocalSuperseder() }));
      if (failed.length > 0) failures.set(timeline.name, failed);
    }
    expect([...failures].flat(), 'what is not as expected').toHaveLength(0);
  });

  it('come out the same when all sessions are told at once', async () => {
    const failures: string[] = [];
    for (const timeline of all) {
      const questions = timeline.questions.filter(({ knownAt }) => knownAt === undefined);
      const rows = await tell(timeline, { superseder: new LocalSuperseder(), atOnce: true });
      failures.push(
        ...failuresOf({ ...timeline, questions }, rows).map((each) => `${timeline.name} ${each}`),
      );
    }
    expect(failures).toEqual([]);
  });

  it.each(all.map((timeline) => [timeline.name, timeline] as const))(
    '%s is answered by a scripted model',
    async (_, timeline) => {
      const model = scriptedModel(timeline);
      const rows = await tell(timeline, { superseder: new LlmSuperseder(model), model });
      expect(failuresOf(timeline, rows)).toEqual([]);
    },
  );

  it.each(all.map((timeline) => [timeline.name, timeline] as const))(
    '%s would not be answered by a memory that ends nothing',
    async (_, timeline) => {
      const blind: Superseder = { concerns: () => true, supersede: async () => [] };
      expect(failuresOf(timeline, await tell(timeline, { superseder: blind }))).not.toEqual([]);
    },
  );
});
