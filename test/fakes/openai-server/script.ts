/** What a fake server is told to do: replies and faults as data. */

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

/** A chat request, whichever protocol it came by. */
export interface ChatAsked {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly strategy: 'schema' | 'tool' | 'json' | 'plain';
  /** The JSON Schema that came with it, if any. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  /** Name of that schema, or of the tool. */
  readonly schemaName: string | null;
  /** Names of the tools that the model may call besides. */
  readonly offered: readonly string[];
  readonly stream: boolean;
  readonly maxTokens: number | null;
  /** From 0, counting chat requests of this server. */
  readonly number: number;
}

/** The model asks for tools. Arguments that are a text are sent as they are. */
export class ToolCalls {
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly before: string;

  /** @param before - What it says before that. */
  constructor(calls: ToolCalls['calls'], before = '') {
    this.calls = calls;
    this.before = before;
  }
}

/** What the model says: text as it is, anything else as JSON. */
export type Said = string | Readonly<Record<string, unknown>> | readonly unknown[] | ToolCalls;
export type ComputedReply = (asked: ChatAsked) => Said | Promise<Said>;

export type Fault =
  /** 429; `retryAfter` goes into the header as it is: seconds or a date. */
  | { readonly kind: 'rate-limit'; readonly retryAfter?: string; readonly retryAfterMs?: string }
  | { readonly kind: 'server-error'; readonly status?: number }
  /** Any status with any error body. */
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly error?: Readonly<Record<string, unknown>>;
      /** The whole body in place of the error's usual one: a text, or JSON. */
      readonly body?: unknown;
    }
  /** Takes the request and never answers. */
  | { readonly kind: 'hang' }
  /** Answers a few bytes at a time. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly everyMs: number }
  /** Takes the request and closes the connection. */
  | { readonly kind: 'reset' }
  /** Closes the connection in mid-reply. */
  | { readonly kind: 'cut' }
  /** Ends in mid-reply as if that were its end. */
  | { readonly kind: 'quiet-cut' }
  /** The HTTP body itself is no JSON. */
  | { readonly kind: 'garbled-body' }
  | { readonly kind: 'no-choices' }
  /** What the model says is broken JSON. */
  | { readonly kind: 'malformed-json' }
  /** What the model says is JSON of another shape. */
  | { readonly kind: 'wrong-schema' }
  | { readonly kind: 'refusal' }
  | { readonly kind: 'filtered' }
  /** The limit of tokens ends the reply after this part of its characters, from 0 to 1. */
  | { readonly kind: 'truncated'; readonly part: number }
  | { readonly kind: 'empty' }
  /** The reply does not tell what it cost. */
  | { readonly kind: 'no-usage' };

export type FaultKind = Fault['kind'];

/** One entry of the queue: the next request gets this reply, this fault, or a reply with a fault. */
export interface ScriptedTurn {
  readonly says?: Said;
  readonly fault?: Fault;
}

/** Faults by chance: each chat request draws from a seeded sequence, so that a run can be repeated. */
export interface Storm {
  /** From 0 to 1. */
  readonly probability: number;
  readonly seed: number;
  readonly faults: readonly Fault[];
}

export interface TokensCharged {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly fault: FaultKind | null;
  /** What it cost: null where it was refused, or is no chat. */
  readonly charged: TokensCharged | null;
  /** Performance-clock times of arrival; the most requests at once are those that overlap. */
  readonly arrived: number;
  /** When it was answered or given up, by the same clock; null until then. */
  readonly ended: number | null;
}

export interface ScriptedServerOptions {
  /** Answers what the queue does not. By default the server says `{}`. */
  readonly reply?: ComputedReply;
  /** Spoils those replies; the queue goes before it, and it before the storm. */
  readonly faultOf?: (asked: ChatAsked) => Fault | null;
  readonly storm?: Storm;
  /** Other keys get 401. */
  readonly apiKey?: string;
  /** Other models get 404; any by default. */
  readonly models?: readonly string[];
  /** Longer prompts get 400. */
  readonly contextTokens?: number;
  /** Ways to ask for a schema that get 400, as from a server that does not know them. */
  readonly refuses?: readonly ('schema' | 'tool' | 'json' | 'offers' | 'sampling')[];
  /** Numbers per embedding; 8 by default. */
  readonly embeddingDimension?: number;
  /** Tokens are guessed from lengths, for tests of other things: loading the vocabulary takes a second. */
  readonly guessesTokens?: boolean;
  /** Milliseconds before every reply, so that requests overlap. */
  readonly latency?: number;
}
