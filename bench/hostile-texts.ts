import { spawn } from 'node:child_process';
import { calibrate } from './calibration.ts';
import { measureWarm, type TurnCost } from './hostile-texts/measure.ts';
import { HOSTILE_SHAPES } from './hostile-texts/shapes.ts';
import { round } from './temporary-memory.ts';

export interface HostileTextsOptions {
  /** Length of the longest turn; half and a quarter of it are also measured. */
  readonly characters: number;
  readonly timeoutSeconds: number;
  /** Filter on the names of the shapes. Default: all shapes. */
  readonly only: string | undefined;
  /** Whether to measure all shapes in this process, only at the full length. */
  readonly warm: boolean;
}

interface ShapeReport {
  readonly shape: string;
  /** CPU milliseconds of the thread. */
  readonly addMs?: number;
  readonly flushMs?: number;
  /** Wall-clock milliseconds, more on a busy machine. */
  readonly passedMs?: number;
  /** The longest time for which the event loop was blocked. */
  readonly heldInAddMs?: number;
  readonly heldInFlushMs?: number;
  /** Exponent of the growth of time with length, from a quarter to the full length. */
  readonly exponent?: number;
  /** Length of the turn that exceeded the time limit. */
  readonly unfinished?: number;
}

const MEASURE = new URL('./hostile-texts/measure-in-process.ts', import.meta.url).pathname;

/** Time and longest block of the thread for turns of one shape each, one process per shape, in the local tier. */
export async function benchHostileTexts({
  characters,
  timeoutSeconds,
  only = '',
  warm,
}: HostileTextsOptions) {
  const lengths = warm ? [characters] : [characters / 4, characters / 2, characters].map(Math.round);
  const shapes: (string | null)[] = [null, ...HOSTILE_SHAPES].filter(
    (shape) => shape === null || shape.includes(only),
  );
  const reports: ShapeReport[] = [];
  const note = (shape: string | null, costs: readonly TurnCost[]) => {
    const report = reportOf(shape ?? 'ordinary prose', lengths, costs);
    reports.push(report);
    process.stderr.write(`${JSON.stringify(report)}\n`);
  };
  if (warm) await measureWarm(shapes, characters, (shape, cost) => note(shape, [cost]));
  else for (const shape of shapes) note(shape, await measureInProcess(shape, lengths, timeoutSeconds));
  const ended = reports.filter(({ unfinished }) => unfinished === undefined);
  const most = (value: (report: ShapeReport) => number | undefined) =>
    Math.max(0, ...ended.map((report) => value(report) ?? 0));
  return {
    characters,
    shapes: reports.length,
    unfinished: reports.length - ended.length,
    slowestMs: most(({ addMs = 0, flushMs = 0 }) => addMs + flushMs),
    longestHoldMs: most(({ heldInAddMs = 0, heldInFlushMs = 0 }) => Math.max(heldInAddMs, heldInFlushMs)),
    largestExponent: most(({ exponent }) => exponent),
    reports,
    calibration: await calibrate(),
  };
}

function reportOf(shape: string, lengths: readonly number[], costs: readonly TurnCost[]): ShapeReport {
  const [first, last] = [costs[0], costs.at(-1)];
  if (first === undefined || last === undefined || costs.length < lengths.length)
    return { shape, unfinished: lengths[costs.length]! };
  const total = ({ add, flush }: TurnCost) => add + flush;
  return {
    shape,
    addMs: Math.round(last.add),
    flushMs: Math.round(last.flush),
    passedMs: Math.round(last.passed),
    heldInAddMs: Math.round(Math.max(...costs.map(({ addHold }) => addHold))),
    heldInFlushMs: Math.round(Math.max(...costs.map(({ flushHold }) => flushHold))),
    ...(costs.length < 2
      ? {}
      : {
          exponent: round(
            Math.log(total(last) / total(first)) / Math.log(last.characters / first.characters),
          ),
        }),
  };
}

/** A turn that never completes blocks the thread, so only another process can stop it. */
async function measureInProcess(
  shape: string | null,
  lengths: readonly number[],
  timeoutSeconds: number,
): Promise<TurnCost[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', MEASURE, shape ?? '', ...lengths.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: timeoutSeconds * 1000,
    killSignal: 'SIGKILL',
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed += chunk;
  });
  await new Promise((resolve) => child.on('close', resolve));
  const lines = printed.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as TurnCost);
}
