import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { seededRandom } from '../../search/random.ts';
import { deliver, type Payload } from './deliver.ts';
import { ollamaLines } from './ollama-protocol.ts';
import { completionBody, completionEvents, embeddingsBody } from './openai-protocol.ts';
import { readOllamaRequest, readOpenAiRequest } from './read-request.ts';
import { answer, type ChatAnswer } from './reply.ts';
import type {
  ChatAsked,
  Fault,
  RecordedRequest,
  ScriptedServerOptions,
  ScriptedTurn,
  TokensCharged,
} from './script.ts';
import { countPrompt, countTokens } from './tokens.ts';

type Json = Readonly<Record<string, unknown>>;
type Protocol = 'openai' | 'ollama';
type MutableRecord = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] };

/**
 * A model server on loopback that does what it is told: a real HTTP server that speaks OpenAI's chat completions
 * (plain, JSON schema, tools; in one piece and streamed), embeddings and list of models, and Ollama's `/api/chat`
 * and `/api/tags`.
 *
 *     await using server = await ScriptedOpenAiServer.start({ reply: (asked) => ({ names: ['Ann'] }) });
 *     server.enqueue({ fault: { kind: 'rate-limit', retryAfter: '2' } }, { says: { names: [] } });
 *     … a client of `${server.url}/v1` …
 *     server.requests; server.charged;
 *
 * A chat request gets the next turn of the queue; when that is empty, the computed reply, spoiled by `faultOf` or
 * by the storm. Tokens are counted with OpenAI's o200k vocabulary and reported in `usage`; `charged` adds up what a
 * provider would charge, also for replies that never arrived whole.
 */
export class ScriptedOpenAiServer implements AsyncDisposable {
  readonly requests: RecordedRequest[] = [];
  readonly #options: ScriptedServerOptions;
  readonly #server: Server;
  readonly #queue: ScriptedTurn[] = [];
  readonly #random: () => number;
  #chats = 0;
  #underWay = 0;
  #mostUnderWay = 0;

  private constructor(options: ScriptedServerOptions) {
    this.#options = options;
    this.#random = seededRandom(options.storm?.seed ?? 0);
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(options: ScriptedServerOptions = {}): Promise<ScriptedOpenAiServer> {
    const server = new ScriptedOpenAiServer(options);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** Without `/v1`, as Ollama's clients want it. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Tokens of all chats that were answered, or that were taken and then lost. */
  get charged(): TokensCharged {
    const all = this.requests.flatMap(({ charged }) => (charged === null ? [] : [charged]));
    return {
      promptTokens: all.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
      completionTokens: all.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
    };
  }

  /** Requests that are neither answered nor given up by their clients. */
  get underWay(): number {
    return this.#underWay;
  }

  /** The most requests that were under way at once. */
  get mostUnderWay(): number {
    return this.#mostUnderWay;
  }

  /** Forgets what was asked until now; the queue and the storm go on. */
  clear(): void {
    this.requests.length = 0;
    this.#mostUnderWay = this.#underWay;
  }

  enqueue(...turns: readonly ScriptedTurn[]): void {
    this.#queue.push(...turns);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#mostUnderWay = Math.max(this.#mostUnderWay, ++this.#underWay);
    const record: MutableRecord = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers as RecordedRequest['headers'],
      body: {},
      fault: null,
      charged: null,
      arrived: performance.now(),
      ended: null,
    };
    response.once('close', () => {
      this.#underWay--;
      record.ended = performance.now();
    });
    this.requests.push(record);
    try {
      const body = await text(request);
      if (body !== '') record.body = JSON.parse(body) as Json;
      await this.#route(record, response);
    } catch {
      // The client went away, or sent what is no JSON.
      response.destroy();
    }
  }

  async #route(record: MutableRecord, response: ServerResponse): Promise<void> {
    const { apiKey, models = ['test-model'] } = this.#options;
    if (apiKey !== undefined && record.headers.authorization !== `Bearer ${apiKey}`)
      return refuse(response, 401, { message: 'Incorrect API key provided.', code: 'invalid_api_key' });
    switch (`${record.method} ${record.path}`) {
      case 'GET /v1/models':
        return send(response, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) });
      case 'GET /api/tags':
        return send(response, { models: models.map((name) => ({ name, model: name })) });
      case 'POST /v1/embeddings':
        return this.#embed(record, response);
      case 'POST /v1/chat/completions':
        return this.#chat(record, response, 'openai');
      case 'POST /api/chat':
        return this.#chat(record, response, 'ollama');
      default:
        return refuse(response, 404, { message: `Nothing is at ${record.path}` });
    }
  }

  async #embed({ body }: MutableRecord, response: ServerResponse): Promise<void> {
    const tokens = await countTokens([body.input].flat().join('\n'));
    const parts = [embeddingsBody(body, this.#options.embeddingDimension ?? 8, tokens)];
    await deliver(response, { type: 'application/json', parts }, null);
  }

  async #chat(record: MutableRecord, response: ServerResponse, protocol: Protocol): Promise<void> {
    const number = this.#chats++;
    const asked = (protocol === 'openai' ? readOpenAiRequest : readOllamaRequest)(record.body, number);
    const turn = this.#queue.shift();
    const fault =
      turn === undefined ? (this.#options.faultOf?.(asked) ?? this.#drawFault()) : (turn.fault ?? null);
    record.fault = fault?.kind ?? null;
    if (this.#options.latency !== undefined) await setTimeout(this.#options.latency);
    if (fault?.kind === 'refuse' && fault.body !== undefined)
      return sendBody(response, { status: fault.status, body: fault.body });
    const error = refusalOf(fault) ?? (await this.#objection(asked, record.body));
    if (error !== null) return refuse(response, error.status, error.error, error.headers);
    const says = turn?.says ?? (await this.#options.reply?.(asked)) ?? {};
    const answered = await answer(asked, says, { fault, guesses: this.#options.guessesTokens ?? false });
    if (fault?.kind === 'hang' || fault?.kind === 'reset') {
      record.charged = { ...answered.charged, completionTokens: 0 };
      if (fault.kind === 'reset') response.destroy();
      return;
    }
    record.charged = answered.charged;
    await deliver(response, payload(asked, answered, { protocol, body: record.body }), fault);
  }

  #drawFault(): Fault | null {
    const { storm } = this.#options;
    if (storm === undefined || this.#random() >= storm.probability) return null;
    return storm.faults[Math.floor(this.#random() * storm.faults.length)] ?? null;
  }

  /** What a server has against a request on its own account. */
  async #objection(asked: ChatAsked, body: Json): Promise<Refusal | null> {
    const { models, contextTokens, refuses = [] } = this.#options;
    if (models !== undefined && !models.includes(asked.model))
      return refusal(404, `The model \`${asked.model}\` does not exist`, 'model_not_found');
    if (asked.strategy === 'schema' && refuses.includes('schema'))
      return refusal(400, "Unknown parameter: 'response_format'", null, 'response_format');
    if (asked.strategy === 'tool' && refuses.includes('tool'))
      return refusal(400, `${asked.model} does not support tools`, null);
    if (asked.strategy === 'json' && refuses.includes('json'))
      return refusal(400, "Unknown parameter: 'response_format'", null, 'response_format');
    if (asked.offered.length > 0 && refuses.includes('offers'))
      return refusal(400, `${asked.model} does not support tools`, null);
    const sampling =
      body.temperature !== undefined || (body.options as Json | undefined)?.temperature !== undefined;
    if (sampling && refuses.includes('sampling'))
      return refusal(
        400,
        "Unsupported value: 'temperature' does not support 0",
        'unsupported_value',
        'temperature',
      );
    if (contextTokens !== undefined && (await countPrompt(asked)) > contextTokens)
      return refusal(
        400,
        `This model's maximum context length is ${contextTokens} tokens`,
        'context_length_exceeded',
      );
    return null;
  }
}

interface Refusal {
  readonly status: number;
  readonly error: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

function refusal(status: number, message: string, code: string | null, param: string | null = null): Refusal {
  return { status, error: { message, type: 'invalid_request_error', param, code } };
}

function refusalOf(fault: Fault | null): Refusal | null {
  if (fault?.kind === 'refuse') return { status: fault.status, error: fault.error ?? { message: 'No.' } };
  if (fault?.kind === 'server-error')
    return {
      status: fault.status ?? 500,
      error: { message: 'The server had an error', type: 'server_error' },
    };
  if (fault?.kind !== 'rate-limit') return null;
  const headers = {
    ...(fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }),
    ...(fault.retryAfterMs === undefined ? {} : { 'retry-after-ms': fault.retryAfterMs }),
  };
  return { status: 429, error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' }, headers };
}

function payload(
  asked: ChatAsked,
  answered: ChatAnswer,
  { protocol, body }: { readonly protocol: Protocol; readonly body: Json },
): Payload {
  if (protocol === 'ollama') return { type: 'application/x-ndjson', parts: ollamaLines(asked, answered) };
  if (!asked.stream) return { type: 'application/json', parts: [completionBody(asked, answered)] };
  const includeUsage = (body.stream_options as Json | undefined)?.include_usage === true;
  return { type: 'text/event-stream', parts: completionEvents(asked, answered, includeUsage) };
}

function sendBody(
  response: ServerResponse,
  { status, body }: { readonly status: number; readonly body: unknown },
): void {
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  response
    .writeHead(status, { 'content-type': type })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
}

function send(response: ServerResponse, value: Json): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function refuse(
  response: ServerResponse,
  status: number,
  error: Json,
  headers: Refusal['headers'] = {},
): void {
  // Ollama's errors are a sentence, OpenAI's an object.
  const body = response.req.url?.startsWith('/api/') ? { error: error.message } : { error };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
