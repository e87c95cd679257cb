import { randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { MnemisError } from '../../src/errors/index.ts';
import { parseJson } from '../../src/util/parse-json.ts';
import { type MemoryClient, PROTOCOL } from '../contract.ts';
import { type Discovery, readDiscovery } from '../server/discovery-file.ts';
import { proofOf } from '../server/gatekeeper.ts';
import { EngineReplyError } from './engine-reply-error.ts';
import { httpClient } from './http-client.ts';
import { post, textOf } from './http-post.ts';

export interface RunningEngine {
  readonly client: MemoryClient;
  readonly discovery: Discovery;
}

export interface FindOptions {
  /** Whether one with another contract counts, for what every version can do. Default false: it is an error. */
  readonly anyProtocol?: boolean;
}

const HELLO_MILLISECONDS = 5_000;
const helloReply = z.object({ result: z.object({ protocol: z.number(), proof: z.string() }) });

/**
 * The engine that has a memory open and serves it. What a file says is not enough, as an engine that was killed leaves
 * its file behind and its port to others: before anything is told, whoever answers must prove that it knows the token.
 *
 * @returns null where none answers. @throws EngineReplyError for one with another contract.
 */
export async function findEngine(
  database: string,
  { anyProtocol = false }: FindOptions = {},
): Promise<RunningEngine | null> {
  const discovery = await readDiscovery(database);
  if (discovery === null) return null;
  const protocol = await greet(discovery);
  if (protocol === null) return null;
  if (protocol !== PROTOCOL && !anyProtocol) throw new EngineReplyError();
  return { client: httpClient(discovery), discovery };
}

/** The contract that the engine speaks; null where it is not the one that wrote the file. */
async function greet({ port, token }: Discovery): Promise<number | null> {
  const nonce = randomBytes(24).toString('base64url');
  try {
    const signal = AbortSignal.timeout(HELLO_MILLISECONDS);
    const response = await post({ port }, { method: 'hello', input: { nonce }, signal });
    const read = parseJson(await textOf(response, signal));
    const reply = helloReply.safeParse(read.ok ? read.value : null).data;
    return reply !== undefined && isEqual(reply.result.proof, proofOf(token, nonce))
      ? reply.result.protocol
      : null;
  } catch (error) {
    if (MnemisError.isInstance(error)) return null;
    throw error;
  }
}

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
