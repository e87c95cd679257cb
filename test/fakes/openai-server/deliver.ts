import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Fault } from './script.ts';

/** A reply as bytes, in the pieces that a stream sends one by one. */
export interface Payload {
  readonly type: 'application/json' | 'text/event-stream' | 'application/x-ndjson';
  readonly parts: readonly string[];
}

/** Sends a reply, with the fault if that is one of the connection's. */
export async function deliver(
  response: ServerResponse,
  { type, parts }: Payload,
  fault: Fault | null,
): Promise<void> {
  const body = Buffer.from(parts.join(''));
  // Only a reply whose length is told can be seen to be cut.
  const tells = type === 'application/json' && fault?.kind !== 'quiet-cut' && fault?.kind !== 'garbled-body';
  response.writeHead(200, { 'content-type': type, ...(tells ? { 'content-length': body.length } : {}) });
  if (fault?.kind === 'cut') {
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
  } else if (fault?.kind === 'quiet-cut') {
    response.end(
      parts.length === 1 ? body.subarray(0, body.length / 2) : parts.slice(0, parts.length / 2).join(''),
    );
  } else if (fault?.kind === 'garbled-body') {
    response.end(
      `<html>${'bad gateway '.repeat(Math.ceil(body.length / 12))}`.slice(0, Math.max(1, body.length)),
    );
  } else if (fault?.kind === 'drip') {
    await drip(response, body, fault);
  } else {
    for (const part of parts) response.write(part);
    response.end();
  }
}

async function drip(
  response: ServerResponse,
  body: Buffer,
  { bytes, everyMs }: { readonly bytes: number; readonly everyMs: number },
): Promise<void> {
  for (let start = 0; start < body.length && !response.destroyed; start += bytes) {
    response.write(body.subarray(start, start + bytes));
    await setTimeout(everyMs);
  }
  response.end();
}
