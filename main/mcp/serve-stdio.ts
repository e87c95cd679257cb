import { once } from 'node:events';
import { type Readable, Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Terminal } from '../cli/console.ts';
import { DEFAULT_LIMITS } from '../http/server-limits.ts';

export interface StdioOptions {
  readonly terminal: Pick<Terminal, 'stdin' | 'stdout' | 'stderr'>;
  readonly signal: AbortSignal;
}

/** Serves the client on standard input and output, until it disconnects or the signal is aborted. */
export async function serveStdio(server: McpServer, { terminal, signal }: StdioOptions): Promise<void> {
  const { stdin = process.stdin } = terminal;
  const output = protocolOutput(terminal);
  const stop = new AbortController();
  const end = () => stop.abort();
  // A disconnected client is no failure.
  output.stream.once('error', end);
  stdin.once('end', end);
  stdin.once('close', end);
  server.server.onclose = end;
  const transport = new StdioServerTransport(stdin as Readable, output.stream, {
    maxBufferSize: DEFAULT_LIMITS.bodyBytes,
  });
  try {
    await server.connect(transport);
    const ended = AbortSignal.any([signal, stop.signal]);
    if (!ended.aborted) await once(ended, 'abort');
  } finally {
    stdin.removeListener('end', end);
    stdin.removeListener('close', end);
    await server.close();
    output.release();
  }
}

interface ProtocolOutput {
  readonly stream: Writable;
  release(): void;
}

/**
 * Reserves standard output for a protocol. Other output, such as a library's `console.log`, goes to standard error,
 * because one stray line would break the connection.
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
