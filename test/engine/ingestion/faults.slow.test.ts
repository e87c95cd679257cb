import { describe, expect, it } from 'vitest';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import type { Fault, FaultKind } from '../../fakes/openai-server/script.ts';
import { seededRandom } from '../../search/random.ts';
import { graphOf } from '../memory-fixture.ts';
import { expectConsistent } from './invariants.ts';
import { memoryOver, watchedStore } from './memory-over.ts';
import { randomConversation } from './random-conversation.ts';
import { ALL_FAULTS, openRehearsedLab } from './rehearsed-lab.ts';

const TIMEOUT = 1_500;

const codeOf = (error: unknown) => (error as { code?: string }).code ?? String(error);

/** Replies that were paid for and never seen whole. */
const UNSEEN: readonly FaultKind[] = ['cut', 'quiet-cut', 'garbled-body', 'no-choices'];

/** What becomes of turns when nothing but this fault comes: `flush` throws this code, or sets aside under it. */
const OUTCOMES: Readonly<Record<FaultKind, { throws: string } | { setsAside: string } | 'reads'>> = {
  'rate-limit': { throws: 'model-unavailable' },
  'server-error': { throws: 'model-unavailable' },
  refuse: { throws: 'model-request-refused' },
  hang: { throws: 'model-unavailable' },
  drip: 'reads',
  reset: { throws: 'model-unavailable' },
  cut: { throws: 'model-unavailable' },
  'quiet-cut': { throws: 'model-unavailable' },
  'garbled-body': { throws: 'model-unavailable' },
  'no-choices': { throws: 'model-unavailable' },
  'malformed-json': { setsAside: 'malformed-reply' },
  'wrong-schema': { setsAside: 'malformed-reply' },
  refusal: { setsAside: 'model-declined' },
  filtered: { setsAside: 'model-declined' },
  truncated: { setsAside: 'malformed-reply' },
  empty: { setsAside: 'malformed-reply' },
  'no-usage': 'reads',
};

describe('a server that does nothing but', () => {
  it.each(ALL_FAULTS.map((fault) => [fault.kind, fault] as const))(
    '%s loses no turn, and the next server reads the remaining ones',
    async (kind, fault) => {
      const { store } = watchedStore();
      const outcome = OUTCOMES[kind];
      await using broken = await openRehearsedLab({
        // Only what never answers is waited for.
        ...(kind === 'hang' ? { timeout: 300 } : {}),
        storm: { probability: 1, seed: 1, faults: [fault] },
      });
      const { memory } = await memoryOver(store, { model: broken.model });
      await memory.add(randomConversation(seededRandom(1), { turns: 10, sessions: 2 }));
      const flushed = await memory.flush().then(() => null, codeOf);
      const { pending, setAside, failures } = (await memory.stats()).enrichment;
      if (outcome === 'reads') expect([flushed, pending, setAside]).toEqual([null, 0, 0]);
      else if ('throws' in outcome) expect([flushed, pending, setAside]).toEqual([outcome.throws, 10, 0]);
      else {
        expect([flushed, pending, setAside]).toEqual([null, 0, 10]);
        for (const failure of failures)
          expect(failure).toMatchObject({ code: outcome.setsAside, attempts: 2 });
        expect(failures.reduce((sum, { turns }) => sum + turns, 0)).toBe(10);
      }
      expectConsistent(await graphOf(memory));

      await using healed = await openRehearsedLab();
      const again = (await memoryOver(store, { model: healed.model })).memory;
      await again.resume({ retry: true });
      expect((await again.stats()).enrichment).toEqual({ pending: 0, setAside: 0, failures: [] });
      const graph = await graphOf(again);
      expectConsistent(graph);
      const failed = graph.nodes.failure.filter(({ expiredAt }) => expiredAt === null);
      expect(failed).toEqual([]);
      if (outcome !== 'reads') expect(graph.nodes.fact.length).toBeGreaterThan(3);
    },
  );
});

describe('with a fault in every third reply', () => {
  it.each([1, 2, 3])(
    'no turn is lost, none is read twice, and every token is counted: storm %i',
    async (seed) => {
      const faults: Fault[] = [...ALL_FAULTS];
      await using lab = await openRehearsedLab({
        timeout: TIMEOUT,
        storm: { probability: 0.3, seed, faults },
      });
      const { memory } = await memoryOver(watchedStore().store, { model: lab.model });
      const turns = randomConversation(seededRandom(seed), { turns: 80, sessions: 12 });
      await memory.add(turns);
      const ends: string[] = [];
      for (let run = 0; run < 40 && ends.at(-1) !== 'done'; run++) {
        const before = lab.meter.total;
        try {
          for await (const event of memory.resume({ budget: new TokenBudget(12_000) })) {
            if (event.type !== 'done') continue;
            // What the report tells is what the run asked for.
            expect(event.usage.promptTokens).toBe(lab.meter.total.promptTokens - before.promptTokens);
            expect(event.usage.calls).toBe(lab.meter.total.calls - before.calls);
          }
          ends.push('done');
        } catch (error) {
          ends.push(codeOf(error));
        }
      }
      expect(ends.at(-1)).toBe('done');
      expect(ends.filter((code) => code !== 'done')).toContain('budget-exhausted');
      const graph = await graphOf(memory);
      expectConsistent(graph);
      const statuses = graph.nodes.episode.map(({ status }) => status);
      expect(statuses).toHaveLength(80);
      expect(statuses.filter((status) => status === 'extracted').length).toBeGreaterThan(60);
      const { enrichment } = await memory.stats();
      expect(enrichment.pending).toBe(0);
      expect(enrichment.failures.reduce((sum, each) => sum + each.turns, 0)).toBe(enrichment.setAside);
      expect(statuses.filter((status) => status === 'set-aside')).toHaveLength(enrichment.setAside);

      const { total } = lab.meter;
      const { requests, charged } = lab.server;
      expect(total.calls + total.failedCalls).toBe(requests.length);
      expect(total.promptTokens).toBe(charged.promptTokens);
      const lost = requests.filter(({ fault }) => fault !== null && UNSEEN.includes(fault));
      const unseen = lost.reduce((sum, each) => sum + (each.charged?.completionTokens ?? 0), 0);
      expect(total.completionTokens).toBe(charged.completionTokens - unseen);
    },
  );
});
