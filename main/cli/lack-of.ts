import { readFileSync } from 'node:fs';

const MEMORY = 'There is too little memory (see "ulimit -v")';
/** What the machine lacks, by the code of an error. */
const LACKS: Readonly<Record<string, string>> = {
  EMFILE: 'Too few files may be open at once (see "ulimit -n"; 256 are enough)',
  ENFILE: 'The machine has too many files open',
  ENOMEM: MEMORY,
  ERR_MEMORY_ALLOCATION_FAILED: MEMORY,
  ERR_WORKER_OUT_OF_MEMORY: MEMORY,
};

/** What the machine lacks, where that is the cause of an error; undefined where it is not. */
export function lackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof RangeError && /memory|allocation failed/i.test(error.message)) return MEMORY;
  return 'code' in error ? LACKS[String(error.code)] : undefined;
}

/** In less, V8 ends the process with its own report while the modules are loaded. */
const LEAST_BYTES = 1.5e9;

/** What the limit of this process's memory is too small for. Linux; elsewhere nothing is known. */
export function lackOfMemory(): string | undefined {
  try {
    const [, bytes] = /^Max address space +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(bytes) < LEAST_BYTES ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}
