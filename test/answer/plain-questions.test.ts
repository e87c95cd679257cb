import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis } from '../../src/engine.ts';
import data from '../fixtures/plain-questions.json' with { type: 'json' };

interface Case {
  readonly question: string;
  readonly asker?: string;
  readonly earlier?: readonly string[];
  /** A regular expression; null if memory does not hold it. */
  readonly answer: string | null;
  readonly not?: string;
}

const engine = await Mnemis.open({
  path: ':memory:',
  automatic: false,
  clock: () => Date.UTC(2026, 5, 1),
});
afterAll(() => engine.close());

describe.each(data.talks.map((talk, at) => ({ ...talk, name: `talk-${at}` })))('$name', (talk) => {
  let memory: MemoryScope;
  beforeAll(async () => {
    memory = engine.scope(talk.name);
    for (const [session, turns] of Object.entries(talk.sessions))
      for (const [minute, [speaker, content]] of turns.entries())
        await memory.add({
          speaker: speaker!,
          content: content!,
          session,
          at: `${session}T10:${String(minute).padStart(2, '0')}Z`,
        });
    await memory.flush();
  });

  it.each(talk.cases as readonly Case[])(
    '$asker: $question',
    async ({ question, asker, earlier, answer, not }) => {
      const { answered, text } = await memory.ask(question, { asker, earlier });
      expect(answered, text).toBe(answer !== null);
      if (answer !== null) expect(text).toMatch(new RegExp(answer));
      if (not !== undefined) expect(text).not.toMatch(new RegExp(not));
    },
  );
});
