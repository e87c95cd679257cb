import type { IncomingMessage } from 'node:http';
import { parseJson } from '../../src/util/parse-json.ts';
import { refusals } from './refusals.ts';

/** Reads a request's JSON of limited size. @throws RefusalError */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<unknown> {
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw refusals.size(mostBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > mostBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw refusals.brokenOff();
  }
  if (size > mostBytes) throw refusals.size(mostBytes);
  return toValue(Buffer.concat(chunks));
}

function toValue(body: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw refusals.json('it is not UTF-8');
  }
  const read = parseJson(text);
  if (!read.ok) throw refusals.json(read.reason);
  return read.value;
}
