import { Writable } from 'node:stream';
import type { Terminal } from '../cli/console.ts';

/** Standard output for a protocol alone. */
export interface ProtocolOutput {
  readonly stream: Writable;
  /** Gives standard output back. */
  release(): void;
}

/**
 * Takes standard output for a protocol: what anything else writes there, a library's `console.log` among it, goes to
 * standard error, since one stray line would end the conversation.
 */
export function protocolOutput({ stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>): ProtocolOutput {
  const original = stdout.write;
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void original.call(stdout, chunk, 'utf8', done),
  });
  const others = ((...written: Parameters<typeof stdout.write>) =>
    stderr.write(...written)) as typeof stdout.write;
  stdout.write = others;
  return {
    stream,
    release: () => {
      if (stdout.write === others) stdout.write = original;
    },
  };
}
