import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import {
  checkHistory,
  checkHistoryInFile,
  checkScopedHistory,
  checkScopedHistoryInFile,
} from '../edit/forget/check-history.ts';
import { histories, scopedHistories } from '../edit/forget/histories.ts';
import { folder } from '../engine/memory-fixture.ts';
import { checkTraffic, traffic } from './traffic.ts';

/**
 * Random traffic until the time is up: `npm run soak -- --minutes 10 --seed 7`. Each history is checked as in
 * forget-equality.test.ts. The first that fails is shrunk for five minutes at most and printed, and ends the run with exit
 * code 1.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes);
/** The histories of one kind and one seed take seconds, unless one hangs; to shrink a failing one can take hours. */
const MOST_MILLISECONDS = 300_000;
const firstSeed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);

interface Kind {
  readonly name: string;
  /** Checks so many histories from a seed on; the failing one in words, or null. */
  readonly run: (seed: number) => Promise<string | null>;
  readonly histories: number;
}

function kind<History>(
  name: string,
  count: number,
  all: fc.Arbitrary<History>,
  difference: (history: History) => Promise<string>,
): Kind {
  const property = fc.asyncProperty(all, async (history) => {
    const found = await difference(history);
    if (found !== '') throw new Error(`differs from a memory that never held what was forgotten:\n${found}`);
  });
  return {
    name,
    histories: count,
    run: async (seed) => {
      const result = await fc.check(property, {
        numRuns: count,
        seed,
        endOnFailure: false,
        interruptAfterTimeLimit: MOST_MILLISECONDS,
        markInterruptAsFailure: true,
      });
      if (!result.failed) return null;
      if (result.counterexample === null)
        return `seed ${seed} did not end in ${MOST_MILLISECONDS / 1000} seconds`;
      const why = result.errorInstance instanceof Error ? result.errorInstance.stack : result.errorInstance;
      return `seed ${seed}, path ${result.counterexamplePath}\n${JSON.stringify(result.counterexample[0], null, 1)}\n${why}`;
    },
  };
}

const inMemory =
  <History>(check: (history: History, store: InMemoryStore) => Promise<string>) =>
  (history: History) =>
    check(history, new InMemoryStore());

const KINDS: readonly Kind[] = [
  kind('two speakers, one scope', 20, histories, inMemory(checkHistory)),
  kind(
    'several speakers, two scopes',
    20,
    scopedHistories({ scopes: 2, steps: 16 }),
    inMemory(checkScopedHistory),
  ),
  kind('20 scopes, 100 steps', 1, scopedHistories({ scopes: 20, steps: 100 }), inMemory(checkScopedHistory)),
  kind('one scope, in a file', 2, histories, checkHistoryInFile),
  kind(
    'several speakers, three scopes, in a file',
    1,
    scopedHistories({ scopes: 3, steps: 20 }),
    checkScopedHistoryInFile,
  ),
  kind('calls at once over 20 scopes, in a file', 1, traffic, checkTraffic),
];

const until = performance.now() + minutes * 60_000;
const counts = new Map<string, number>();
let failed = false;
for (let round = 0; performance.now() < until && !failed; round++)
  for (const each of KINDS) {
    const failure = await each.run(firstSeed * 1_000 + round);
    counts.set(each.name, (counts.get(each.name) ?? 0) + each.histories);
    if (failure === null) continue;
    console.log(`FAILED (${each.name}): ${failure}`);
    failed = true;
    break;
  }
const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
console.log(
  `${total} histories from seed ${firstSeed} on, ${failed ? 1 : 0} failed: ${[...counts].map(([name, count]) => `${count} ${name}`).join('; ')}`,
);
rmSync(folder, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
