import { Mnemis, postgres } from '../src/index.ts';
import { syntheticQuestions, syntheticTurns } from './synthetic-turns.ts';

/** What a process of `bench -- cluster` is started with. */
export interface ClusterProcess {
  readonly url: string;
  readonly scopes: number;
  /** Its place among the processes, and how many there are. */
  readonly place: number;
  readonly processes: number;
  /** Whether each scope is used by one process, as behind a balancer that sends a user to the same process. */
  readonly isSticky: boolean;
}

export type Phase = 'add' | 'search';

/** Operations that one process does at once. */
const AT_ONCE = 8;

const { url, scopes, place, processes, isSticky } = JSON.parse(process.argv[2]!) as ClusterProcess;
const engine = await Mnemis.open({
  store: postgres({ url, connections: AT_ONCE + 2 }),
  automatic: false,
  scopeMemoryMb: 2_048,
});
const turns = syntheticTurns(10_000_000, 100 + place);
const questions = syntheticQuestions(200, 200 + place);
const own = Array.from({ length: scopes }, (_, at) => at).filter(
  (at) => !isSticky || at % processes === place,
);

let count = 0;
const scopeOf = () => {
  // Visits the scopes in another order than the other processes.
  const at = (count * 7_919 + place * 104_729) % own.length;
  count += 1;
  return engine.scope(`user ${own[at]}`);
};

async function add(): Promise<void> {
  const { content } = turns.next().value!;
  await scopeOf().add({ content: `${content} (${place}/${count})`, session: `of ${place}` });
}

async function search(): Promise<void> {
  await scopeOf().search(questions[count % questions.length]!);
}

/** Does operations until the time is over; how long each took, in milliseconds. */
async function run(phase: Phase, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const work = async () => {
    while (performance.now() < end) {
      const started = performance.now();
      await (phase === 'add' ? add() : search());
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return times;
}

process.on('message', async ({ phase, seconds }: { phase: Phase | 'warm' | 'end'; seconds: number }) => {
  if (phase === 'end') {
    await engine.close();
    process.disconnect();
    return;
  }
  if (phase === 'warm') for (const at of own) await engine.scope(`user ${at}`).search('anything');
  process.send!({ times: phase === 'warm' ? [] : await run(phase, seconds) });
});
process.send!({ times: [] });
