import { z } from 'zod';
import { CancelledError, InvalidInputError, ModelKeyError } from '../../../src/errors/index.ts';
import { defineError, MnemisError } from '../../../src/errors/mnemis-error.ts';
import { parseJson } from '../../../src/util/parse-json.ts';
import { isServerAddress, SERVER_ADDRESS_RULE } from '../../../src/util/server-address.ts';
import { endpointAddress } from '../../language-model.ts';

type Provider = 'openai' | 'openai-compatible' | 'ollama';

interface Endpoint {
  readonly provider: Provider;
  readonly baseUrl?: string | undefined;
  /** Goes into a header; never into an error. */
  readonly key?: string | undefined;
}

interface Limits {
  readonly signal?: AbortSignal | undefined;
  readonly milliseconds?: number;
  readonly bytes?: number;
}

const WAIT = 10_000;
const MOST_BYTES = 4 * 2 ** 20;
const MOST_MODELS = 2_000;

/** Entries that are not of this form are skipped: servers add models of other kinds. */
const openAiList = z.object({ data: z.array(z.unknown()) });
const ollamaList = z.object({ models: z.array(z.unknown()) });
const openAiModel = z.object({ id: z.string().min(1).max(200) });
const ollamaModel = z.object({ name: z.string().min(1).max(200) });

/** The checked address of an endpoint, without a slash at its end. @throws InvalidInputError */
export function addressOf({ provider, baseUrl }: Pick<Endpoint, 'provider' | 'baseUrl'>): string {
  const address = endpointAddress(provider, baseUrl?.trim() || undefined);
  if (address === undefined)
    throw new InvalidInputError(
      'An OpenAI-compatible server needs its address, such as http://localhost:1234/v1',
    );
  if (!isServerAddress(address))
    throw new InvalidInputError(`The address of the server is not valid: ${SERVER_ADDRESS_RULE}`);
  return address.replace(/\/+$/, '');
}

/**
 * The names of the models that an endpoint offers, sorted.
 *
 * @throws InvalidInputError for an address that is none; EndpointError, ModelKeyError, CancelledError.
 */
export async function endpointModels(endpoint: Endpoint, limits: Limits = {}): Promise<string[]> {
  const { provider } = endpoint;
  const address = addressOf(endpoint);
  const text = await request(
    `${address}${provider === 'ollama' ? '/api/tags' : '/models'}`,
    endpoint,
    limits,
  );
  const read = parseJson(text);
  const names = read.ok ? namesIn(provider, read.value) : null;
  if (names === null) throw new EndpointError(address, 'protocol', wordsFor(provider));
  return [...new Set(names)].sort((a, b) => (a < b ? -1 : 1)).slice(0, MOST_MODELS);
}

function namesIn(provider: Provider, value: unknown): string[] | null {
  if (provider === 'ollama') {
    const list = ollamaList.safeParse(value);
    if (!list.success) return null;
    return list.data.models.flatMap((each) => ollamaModel.safeParse(each).data?.name ?? []);
  }
  const list = openAiList.safeParse(value);
  if (!list.success) return null;
  return list.data.data.flatMap((each) => openAiModel.safeParse(each).data?.id ?? []);
}

const wordsFor = (provider: Provider) =>
  provider === 'ollama' ? 'Ollama' : 'the OpenAI protocol (such an address often ends in /v1)';

async function request(
  url: string,
  { provider, key, baseUrl }: Endpoint,
  { signal, milliseconds = WAIT, bytes = MOST_BYTES }: Limits,
): Promise<string> {
  const address = addressOf({ provider, baseUrl });
  const late = AbortSignal.timeout(milliseconds);
  try {
    const response = await fetch(url, {
      headers: {
        accept: 'application/json',
        ...keyHeaders(url, key),
      },
      redirect: 'error', // the key is for this address only
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    if (response.ok) return await bodyOf(response, bytes);
    await response.body?.cancel();
    if (response.status === 401 || response.status === 403)
      throw new ModelKeyError(`${provider}:*`, key === undefined ? 'missing' : 'refused', response.status);
    throw new EndpointError(
      address,
      response.status >= 500 || response.status === 429 ? 'fault' : 'protocol',
      response.status >= 500 || response.status === 429 ? `status ${response.status}` : wordsFor(provider),
    );
  } catch (error) {
    if (MnemisError.isInstance(error)) throw error;
    if (signal?.aborted) throw new CancelledError('nothing was changed', error);
    if (late.aborted) throw new EndpointError(address, 'late', `${milliseconds / 1000} seconds`, error);
    throw new EndpointError(address, 'unreachable', systemCode(error), error);
  }
}

/** Anthropic lists its models by its own protocol only, where a key is no bearer token. */
export function keyHeaders(url: string, key: string | undefined): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  if (new URL(url).hostname === 'api.anthropic.com')
    return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  return { authorization: `Bearer ${key}` };
}

async function bodyOf(response: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > most) throw new EndpointError(new URL(response.url).origin, 'long', `${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function systemCode(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined;
  return cause?.code ?? cause?.message.slice(0, 100) ?? 'no connection';
}

const PROBLEMS = {
  unreachable: ['cannot be reached', 'Start it, or check the address.'],
  late: ['did not answer within', 'Check that it runs, and the address.'],
  protocol: ['does not speak', 'Check the address and the provider.'],
  fault: ['reports a failure:', 'Wait, or look into its log.'],
  long: ['sends a list of models that is longer than', 'Check the address; type the model’s name instead.'],
} as const;

export class EndpointError extends defineError(
  'endpoint',
  (address: string, problem: keyof typeof PROBLEMS, detail: string, cause?: unknown) => {
    const [what, advice] = PROBLEMS[problem];
    const said = problem === 'unreachable' ? `${what} (${detail})` : `${what} ${detail}`;
    return {
      message: `The server at ${address} ${said}. Nothing was changed. ${advice}`,
      cause,
      reason: problem,
    };
  },
) {}
