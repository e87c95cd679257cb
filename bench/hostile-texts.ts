import { spawn } from 'node:child_process';
import { calibrate } from './calibration.ts';
import { measureWarm, type TurnCost } from './hostile-texts/measure.ts';
import { HOSTILE_SHAPES } from './hostile-texts/shapes.ts';
import { round } from './temporary-memory.ts';

export interface HostileTextsOptions {
  /** Of the longest turn; a half and a quarter of it are measured as well. */
  readonly characters: number;
  readonly timeoutSeconds: number;
  /** Part of the names of the shapes to measure; all of them without. */
  readonly only: string | undefined;
  /** Whether all shapes are measured in this process, at the whole length alone. */
  readonly warm: boolean;
}

interface ShapeReport {
  readonly shape: string;
  /** Milliseconds that the thread computed. */
  readonly addMs?: number;
  readonly flushMs?: number;
  /** Milliseconds that passed; on a busy machine more. */
  readonly passedMs?: number;
  /** The longest time that the event loop served nobody. */
  readonly heldInAddMs?: number;
  readonly heldInFlushMs?: number;
  /** By which power of its length a turn's time grows, from the quarter to the whole. */
  readonly exponent?: number;
  /** The characters of the turn that did not end in time. */
  readonly unfinished?: number;
}

const MEASURE = new URL('./hostile-texts/measure.ts', import.meta.url).pathname;

/** Time and longest hold of the thread for turns of one shape each, one process a shape, in the local tier. */
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

/** A turn that never ends holds the thread, so only another process can stop it. */
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
