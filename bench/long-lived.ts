import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { percentile } from '../eval/metrics/numbers.ts';
import { Mnemis } from '../src/engine.ts';
import { MnemisError } from '../src/errors/index.ts';
import { calibrate } from './calibration.ts';
import { Conversation, filled, pick, QUESTIONS, sessionName } from './chat-turns.ts';
import { randomNumbers } from './synthetic-turns.ts';
import { inTemporaryFolder, megabytesOf, round } from './temporary-memory.ts';

/** Concurrent callers; each waits for its call before the next one. */
const CALLERS = 4;
const REPORT_EVERY_MS = 30_000;
/** Weights of the operations; 4,400 operations give about 4,100 turns and 210 forgettings. */
const SHARES = { add: 46.5, search: 32, ask: 11, flush: 5, forgetTurn: 4, forgetSession: 0.8, export: 0.7 };

type Operation = keyof typeof SHARES;

export interface LongLivedOptions {
  readonly operations: number;
  /** Null: until all operations are done. */
  readonly minutes: number | null;
  readonly scopes: number;
  readonly seed: number;
}

interface Traffic {
  readonly engine: Mnemis;
  readonly path: string;
  readonly scopes: readonly {
    readonly name: string;
    readonly conversation: Conversation;
    readonly turns: string[];
  }[];
  readonly random: () => number;
  readonly times: Map<Operation, number[]>;
  /** By operation and code. */
  readonly failures: Map<string, number>;
  turns: number;
}

/**
 * A long-lived process: several callers add, search, ask, flush, forget and export in many scopes of one file, with the
 * default engine. Reports memory use and blocking of the thread, during the run and at its end.
 */
export async function benchLongLived({ operations, minutes, scopes, seed }: LongLivedOptions) {
  return inTemporaryFolder(async (path) => {
    const before = memory();
    const engine = await Mnemis.open({ path, logger: { warn: () => undefined } });
    const random = randomNumbers(seed);
    const traffic: Traffic = {
      engine,
      path,
      random,
      turns: 0,
      scopes: Array.from({ length: scopes }, (_, number) => ({
        name: `user ${number}`,
        conversation: new Conversation(randomNumbers(seed * 1_000 + number)),
        turns: [],
      })),
      times: new Map(),
      failures: new Map(),
    };
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const started = performance.now();
    const samples: ReturnType<typeof sample>[] = [];
    const sample = () => ({
      minute: round((performance.now() - started) / 60_000),
      operations: done,
      turns: traffic.turns,
      failed: [...traffic.failures.values()].reduce((sum, count) => sum + count, 0),
      ...memory(),
      ...loopDelay(delay),
    });
    const report = () => {
      samples.push(sample());
      process.stderr.write(`${JSON.stringify(samples.at(-1))}\n`);
      delay.reset();
    };
    const timer = setInterval(report, REPORT_EVERY_MS);
    let done = 0;
    const isOver = () =>
      minutes === null ? done >= operations : performance.now() - started >= minutes * 60_000;
    const caller = async () => {
      while (!isOver()) {
        done += 1;
        await operate(traffic);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    clearInterval(timer);
    report();
    const seconds = (performance.now() - started) / 1000;
    const { gc } = await collectGarbage();
    const after = memory();
    await engine.close();
    gc();
    return {
      operations: done,
      scopes,
      seed,
      turns: traffic.turns,
      seconds: round(seconds),
      before,
      end: samples.at(-1),
      mostRssMb: Math.max(...samples.map(({ rssMb }) => rssMb)),
      afterGarbageCollection: after,
      afterClose: memory(),
      operationMs: Object.fromEntries(
        [...traffic.times].map(([operation, times]) => [
          operation,
          { count: times.length, p50: round(percentile(times, 50)!), p95: round(percentile(times, 95)!) },
        ]),
      ),
      failures: Object.fromEntries(traffic.failures),
      fileMb: await megabytesOf(path),
      samples,
      calibration: await calibrate(), // last: it takes memory itself
    };
  });
}

async function operate(traffic: Traffic): Promise<void> {
  const { random, times, failures } = traffic;
  const operation = draw(random);
  const started = performance.now();
  try {
    await run(traffic, operation);
  } catch (error) {
    const name = `${operation}: ${MnemisError.isInstance(error) ? error.code : String(error)}`;
    if (!failures.has(name)) process.stderr.write(`${name}: ${String(error).slice(0, 300)}\n`);
    failures.set(name, (failures.get(name) ?? 0) + 1);
  }
  const known = times.get(operation) ?? [];
  times.set(operation, known);
  known.push(performance.now() - started);
}

async function run(traffic: Traffic, operation: Operation): Promise<void> {
  const { engine, path, random, scopes } = traffic;
  const { name, conversation, turns } = pick(scopes, random);
  const scope = engine.scope(name);
  if (operation === 'search') await scope.search(filled(pick(QUESTIONS, random), random));
  else if (operation === 'ask') await scope.ask(filled(pick(QUESTIONS, random), random));
  else if (operation === 'flush') await scope.flush();
  else if (operation === 'forgetTurn') {
    const [episode] = turns.splice(Math.floor(random() * turns.length), 1);
    if (episode !== undefined) await scope.forget({ episode });
  } else if (operation === 'forgetSession') {
    const session = sessionName(Math.floor(random() * conversation.sessions));
    if (conversation.sessions > 1) await scope.forget({ session });
  } else if (operation === 'export') {
    const file = `${path}.${name.replace(' ', '-')}.jsonl`;
    await scope.exportTo(file);
    await rm(file);
  } else {
    const added = Array.from({ length: 1 + Math.floor(random() * 3) }, () => conversation.next());
    const { outcomes } = await scope.add(added);
    traffic.turns += added.length;
    for (const outcome of outcomes) if ('id' in outcome) turns.push(outcome.id);
  }
}

function draw(random: () => number): Operation {
  let left = random() * Object.values(SHARES).reduce((sum, share) => sum + share, 0);
  for (const [operation, share] of Object.entries(SHARES)) {
    left -= share;
    if (left < 0) return operation as Operation;
  }
  return 'add';
}

/**
 * Memory of the process, in MB. `poolMb` is the database's buffer pool, if the system reports it; `otherMb` is the rest
 * of `rssMb`: code, threads, and allocations of native libraries.
 */
function memory() {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const pool = poolBytes();
  return {
    rssMb: megabytes(rss),
    heapUsedMb: megabytes(heapUsed),
    heapTotalMb: megabytes(heapTotal),
    externalMb: megabytes(external),
    arrayBuffersMb: megabytes(arrayBuffers),
    poolMb: pool === null ? null : megabytes(pool),
    otherMb: megabytes(rss - heapTotal - external - (pool ?? 0)),
  };
}

/** The pool's mappings are as large as the database may become, which distinguishes them from all others. */
function poolBytes(): number | null {
  try {
    let [isPool, bytes] = [false, 0];
    for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
      const [range, from, to] = /^([0-9a-f]+)-([0-9a-f]+) /.exec(line) ?? [];
      if (range !== undefined) isPool = Number.parseInt(to!, 16) - Number.parseInt(from!, 16) >= 2 ** 35;
      else if (isPool && line.startsWith('Rss:')) bytes += 1024 * Number(/\d+/.exec(line)![0]);
    }
    return bytes;
  } catch {
    return null; // not Linux
  }
}

function loopDelay(delay: ReturnType<typeof monitorEventLoopDelay>) {
  const milliseconds = (nanoseconds: number) => round(nanoseconds / 1e6);
  return {
    loopP50Ms: milliseconds(delay.percentile(50)),
    loopP99Ms: milliseconds(delay.percentile(99)),
    loopMaxMs: milliseconds(delay.max),
  };
}

/** First frees memory that V8 and the allocator keep in reserve. */
async function collectGarbage() {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let round = 0; round < 3; round++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { gc };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
