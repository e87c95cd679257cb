import { type IncomingMessage, request } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { CancelledError, InvalidInputError } from '../../src/errors/index.ts';
import { EngineUnreachableError } from './engine-unreachable-error.ts';

/** Where an engine listens on this machine, and what lets one in. */
export interface EngineAddress {
  readonly port: number;
  readonly token: string;
}

export interface Post {
  readonly method: string;
  readonly input: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends one request over a connection of its own: on loopback that costs next to nothing, and a reused connection that
 * is closed meanwhile would leave in doubt whether the engine got the request.
 *
 * @param address - without a token nothing secret is sent.
 * @returns the response, whose body is still to come.
 * @throws CancelledError, EngineUnreachableError, InvalidInputError for what is not JSON.
 */
export function post(
  { port, token }: Pick<EngineAddress, 'port'> & Partial<EngineAddress>,
  { method, input, signal }: Post,
): Promise<IncomingMessage> {
  const body = toJson(input);
  const headers = {
    'content-type': 'application/json',
    'content-length': body.byteLength,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const options = { host: '127.0.0.1', port, path: `/v1/${method}`, method: 'POST', headers, agent: false };
  return new Promise((resolve, reject) => {
    let isSent = false;
    const sending = request({ ...options, ...(signal ? { signal } : {}) });
    sending.once('socket', (socket) =>
      socket.once('connect', () => {
        isSent = true;
      }),
    );
    sending.once('response', resolve);
    sending.once('error', (error) => reject(failureOf(error, { isSent, signal })));
    sending.end(body);
  });
}

/** The whole body. @throws as `post`. */
export async function textOf(response: IncomingMessage, signal?: AbortSignal): Promise<string> {
  let text = '';
  for await (const piece of decoded(response, signal)) text += piece;
  return text;
}

/** The body line by line, as it comes. @throws as `post`. */
export async function* linesOf(
  response: IncomingMessage,
  signal?: AbortSignal,
): AsyncGenerator<string, void> {
  let rest: string[] = [];
  for await (const piece of decoded(response, signal)) {
    const [first = '', ...more] = piece.split('\n');
    rest.push(first);
    for (const next of more) {
      yield rest.join('');
      rest = [next];
    }
  }
}

async function* decoded(response: IncomingMessage, signal?: AbortSignal): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  try {
    for await (const chunk of response) yield decoder.write(chunk as Buffer);
  } catch (error) {
    throw failureOf(error, { isSent: true, signal });
  }
}

function failureOf(
  error: unknown,
  { isSent, signal }: { readonly isSent: boolean; readonly signal: AbortSignal | undefined },
): Error {
  return signal?.aborted
    ? new CancelledError('what the engine acknowledged is stored', signal.reason)
    : new EngineUnreachableError(isSent, error);
}

function toJson(input: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(input));
  } catch (error) {
    throw new InvalidInputError('The request holds something that JSON cannot', error);
  }
}
