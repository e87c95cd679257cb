import { calibrate } from './calibration.ts';
import { syntheticTurns } from './synthetic-turns.ts';
import { type BenchSize, inTemporaryFolder, openBench, round, SCOPE } from './temporary-memory.ts';

const TURNS_A_DAY = 200;
/** Age of the forgotten turn: its position among all turns. */
const PLACES = { newest: 1, 'of the middle': 0.5, oldest: 0 };
type Memory = ReturnType<Awaited<ReturnType<typeof openBench>>['scope']>;

/**
 * Duration of forgetting one turn, until it is gone and proven to be (the call), and until what remains is derived again,
 * compared with ingesting all turns. Turns before
 * the forgotten one are not processed again, so its age determines the cost (docs/design.md, "Forgetting").
 */
export async function benchForget({ episodes, dimension }: BenchSize) {
  const calibration = await calibrate();
  return inTemporaryFolder(async (path) => {
    const engine = await openBench(path, dimension);
    const [started, busy] = [performance.now(), process.cpuUsage()];
    const memory = engine.scope(SCOPE);
    const turns = await talk(memory, episodes);
    const ingestSeconds = (performance.now() - started) / 1000;
    const ingestProcessorSeconds = processorSeconds(busy);
    const forgetting: Record<string, object> = {};
    for (const [age, place] of Object.entries(PLACES)) {
      const [id] = turns.splice(Math.round(place * (turns.length - 1)), 1);
      const before = process.cpuUsage();
      const began = performance.now();
      const { seconds } = await memory.forget({ episode: id! });
      const untilGone = processorSeconds(before);
      await memory.settle();
      const spent = processorSeconds(before);
      forgetting[age] = {
        gone: { seconds: round(seconds), processorSeconds: round(untilGone) },
        derivedAgain: {
          seconds: round((performance.now() - began) / 1000),
          processorSeconds: round(spent),
          ofIngesting: round(spent / ingestProcessorSeconds),
        },
      };
    }
    await engine.close();
    const ingesting = { seconds: round(ingestSeconds), processorSeconds: round(ingestProcessorSeconds) };
    return { episodes, dimension, ingesting, forgetting, calibration };
  });
}

/**
 * Turns are added and read in small batches, as in normal use; an import would store all of them first. Returns their
 * ids, the oldest first.
 */
async function talk(memory: Memory, episodes: number): Promise<string[]> {
  const turns = [...syntheticTurns(episodes)];
  const ids: string[] = [];
  for (let start = 0; start < turns.length; start += TURNS_A_DAY) {
    const { outcomes } = await memory.add(turns.slice(start, start + TURNS_A_DAY));
    for (const outcome of outcomes) if ('id' in outcome) ids.push(outcome.id);
    await memory.flush();
    process.stderr.write(`${Math.min(start + TURNS_A_DAY, episodes)} of ${episodes} turns\n`);
  }
  return ids;
}

/** Other programs on the machine change it less than they change the time. */
function processorSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}
