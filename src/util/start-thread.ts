import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** In a checkout the sources are TypeScript, for which a thread needs the loader that the process has. */
const FROM_SOURCE =
  "import('tsx/esm/api').then(({ register }) => (register(), import(require('node:worker_threads').workerData.entry)))";

/**
 * Starts a worker thread whose program lies beside the file that calls, also in the bundles that `scripts/build.ts`
 * makes; it is listed there.
 *
 * @param caller `import.meta.url` of the file beside which the program lies.
 * @throws whatever the system does where no thread can be started.
 */
export function startThread(program: string, caller: string, settings: object): Worker {
  const ending = extname(caller);
  const entry = new URL(`./${program}${ending}`, caller);
  const workerData = { ...settings, entry: entry.href };
  return ending === '.ts'
    ? new Worker(FROM_SOURCE, { workerData, eval: true })
    : new Worker(entry, { workerData });
}
