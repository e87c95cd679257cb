import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Terminal } from '../cli/console.ts';
import { DEFAULT_LIMITS } from '../server/limits.ts';
import { protocolOutput } from './protocol-output.ts';

export interface StdioOptions {
  readonly terminal: Pick<Terminal, 'stdin' | 'stdout' | 'stderr'>;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Serves the client at the other end of standard input and output, until it goes or the signal fires. */
export async function serveStdio(server: McpServer, { terminal, signal }: StdioOptions): Promise<void> {
  const { stdin = process.stdin } = terminal;
  const output = protocolOutput(terminal);
  const stop = new AbortController();
  const end = () => stop.abort();
  // A client that has gone is no failure.
  output.stream.once('error', end);
  stdin.once('end', end);
  stdin.once('close', end);
  server.server.onclose = end;
  const transport = new StdioServerTransport(stdin as Readable, output.stream, {
    maxBufferSize: DEFAULT_LIMITS.bodyBytes,
  });
  try {
    await server.connect(transport);
    await fired(AbortSignal.any([signal, stop.signal]));
  } finally {
    stdin.removeListener('end', end);
    stdin.removeListener('close', end);
    await server.close();
    output.release();
  }
}

async function fired(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
