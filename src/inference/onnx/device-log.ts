import { z } from 'zod';
import { readStateFile, writeStateFile } from '../../util/files.ts';
import type { Device } from './onnx-runtime.ts';

const entrySchema = z.object({
  device: z.enum(['cpu', 'cuda', 'webgpu', 'dml', 'coreml']),
  model: z.string(),
  /** `trying` that another process left behind means that it ended in the attempt. */
  state: z.enum(['trying', 'works', 'failed', 'slow', 'crashed']),
  process: z.string(),
});
const fileSchema = z.object({ version: z.literal(1), runtime: z.string(), attempts: z.array(entrySchema) });

type Attempt = z.infer<typeof entrySchema>;
export type Outcome = 'works' | 'failed' | 'slow';
export type Past = Outcome | 'unknown' | 'crashed' | 'interrupted';

/**
 * What became of devices that were tried, kept in a file, because a driver's crash leaves nobody to remember it. An
 * attempt is written down before it is made and settled after. Another version of the runtime starts afresh.
 */
export class DeviceLog {
  /** Null: nothing outlives the process. */
  readonly path: string | null;
  readonly #runtime: string;

  constructor(path: string | null, runtime: string) {
    this.path = path;
    this.#runtime = runtime;
  }

  /**
   * What is known of a device for a model. A crash speaks against the device, whichever model it was; `interrupted`
   * is one that nobody has taken note of yet (or another process's attempt that goes on right now).
   */
  past(device: Device, model: string): Past {
    const attempts = this.#read().filter((attempt) => attempt.device === device);
    if (attempts.some(({ state }) => state === 'crashed')) return 'crashed';
    if (attempts.some(interrupted)) return 'interrupted';
    if (attempts.some(({ state }) => state === 'slow')) return 'slow';
    const own = attempts.find((attempt) => attempt.model === model);
    return own === undefined || own.state === 'trying' ? 'unknown' : own.state;
  }

  /** Takes note of a crash; a process that was still at it corrects this when it settles. */
  condemn(device: Device): void {
    this.#write((attempts) =>
      attempts.map((attempt) =>
        attempt.device === device && interrupted(attempt) ? { ...attempt, state: 'crashed' } : attempt,
      ),
    );
  }

  begin(device: Device, model: string): void {
    this.#put({ device, model, state: 'trying', process: thisProcess() });
  }

  settle(device: Device, model: string, state: Outcome): void {
    this.#put({ device, model, state, process: thisProcess() });
  }

  /** The attempt told nothing about the device. */
  forget(device: Device, model: string): void {
    this.#write((attempts) => without(attempts, device, model));
  }

  #put(attempt: Attempt): void {
    this.#write((attempts) => [...without(attempts, attempt.device, attempt.model), attempt]);
  }

  #write(change: (attempts: readonly Attempt[]) => readonly Attempt[]): void {
    if (this.path === null) return;
    writeStateFile(this.path, { version: 1, runtime: this.#runtime, attempts: change(this.#read()) });
  }

  #read(): readonly Attempt[] {
    const file = this.path === null ? null : readStateFile(this.path, fileSchema);
    return file?.runtime === this.#runtime ? file.attempts : [];
  }
}

function interrupted({ state, process }: Attempt): boolean {
  return state === 'trying' && process !== thisProcess();
}

function without(attempts: readonly Attempt[], device: Device, model: string): Attempt[] {
  return attempts.filter((attempt) => attempt.device !== device || attempt.model !== model);
}

/** Process numbers come again, in containers at once; together with the time of its start one is unique. */
function thisProcess(): string {
  return `${process.pid}@${Math.round(performance.timeOrigin)}`;
}
