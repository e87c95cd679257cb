import { createInterface } from 'node:readline/promises';
import type { Terminal } from './console.ts';

/** Whether somebody is there to be asked. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin?.isTTY === true && stderr.isTTY === true;
}

/** Asks on standard error, so that the output stays clean. Anything but "yes" or "y" is a no. */
export async function confirm(terminal: Terminal, question: string, signal: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: terminal.stdin!, output: terminal.stderr });
  try {
    const answer = await lines.question(`${question} [yes/no] `, { signal });
    return /^\s*y(es)?\s*$/i.test(answer);
  } finally {
    lines.close();
  }
}
