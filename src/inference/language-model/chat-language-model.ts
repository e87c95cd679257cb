import { setMaxListeners } from 'node:events';
import {
  ContextTooLongError,
  InvalidInputError,
  MalformedReplyError,
  ModelDeclinedError,
  ModelRequestRefusedError,
} from '../../errors/index.ts';
import type { Objection, Prompt, RenderedPrompt, TextPrompt } from '../../model/prompt.ts';
import {
  type LanguageModel,
  type ModelCallOptions,
  STRATEGIES,
  type Strategy,
  type StructuredReply,
  type TextCallOptions,
  type TextReply,
} from '../language-model.ts';
import type { ChatBackend, ChatReply, ChatTurn } from './backends/chat-backend.ts';
import { openConversation, repairConversation } from './calling/conversation.ts';
import { ModelCaller } from './calling/model-caller.ts';
import { type RateLimits, REAL_TIMING, type Timing } from './calling/pacing.ts';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from './calling/retry-policy.ts';
import { type ReplyReading, readReply } from './reading/read-reply.ts';
import { opensUnseen } from './reading/reasoning.ts';
import { type ReplyShape, replyShape } from './reading/reply-shape.ts';
import { GrowingReplyText, readReplyText } from './reading/reply-text.ts';
import { withShownNumbers } from './reading/shown-numbers.ts';
import { countPrompt, countUsage, type Prompted, roughPrompt, TokenCounter } from './tokens/count-tokens.ts';
import { type ModelUsage, NO_MODEL_USAGE, UsageMeter } from './tokens/usage-meter.ts';

export interface ChatLanguageModelOptions extends RateLimits {
  /** Maximum of concurrent requests, from 1; 4 by default. It falls when the server throttles. */
  readonly concurrency?: number | undefined;
  /** How long one request may take in all, in milliseconds; 120,000 by default. */
  readonly timeout?: number | undefined;
  /** Tokens that prompt and reply may have together; longer prompts are refused instead of cut. */
  readonly contextTokens?: number | null | undefined;
  /** Ways to ask for a schema, the first tried first; all by default. */
  readonly strategies?: readonly Strategy[] | undefined;
  /** Of the sampling, at temperature 0. Default 42. */
  readonly seed?: number | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  readonly timing?: Timing | undefined;
  /** Models that share one share its vocabulary, which takes a second and some memory to load. */
  readonly counter?: TokenCounter | undefined;
}

const DEFAULT_SEED = 42;
/** Tokens of a reply that a budget sets aside where the prompt does not say. */
const EXPECTED_TOKENS = 256;
/** Replies in prose after which only the last form is asked for. */
const MOST_IGNORED = 2;

interface CallContext {
  readonly prompt: TextPrompt<never>;
  readonly options: TextCallOptions;
  readonly signal: AbortSignal;
  readonly meter: UsageMeter;
  readonly started: number;
}

/** A language model on any chat backend: asks in a schema, reads leniently, repairs once, and counts tokens. */
export class ChatLanguageModel implements LanguageModel {
  readonly name: string;
  readonly #contextTokens: number | null;
  readonly #backend: ChatBackend;
  readonly #caller: ModelCaller;
  readonly #ladder: StrategyLadder;
  readonly #counter: TokenCounter;
  readonly #shapes = new WeakMap<object, ReplyShape>();
  /** Null once the model refused to have it set. */
  #seed: number | null;
  /** Forms in which it has replied as they ask for. */
  readonly #heeded = new Set<Strategy>();
  /** Names of prompts whose form was once answered in prose. */
  readonly #wasIgnored = new Set<string>();
  /** The server's template opens reasoning, so that replies only close it. */
  #opensUnseen = false;

  constructor(backend: ChatBackend, options: ChatLanguageModelOptions = {}) {
    const { concurrency = 4, timeout = 120_000, contextTokens = null, timing = REAL_TIMING } = options;
    this.#seed = options.seed ?? DEFAULT_SEED;
    this.name = backend.name;
    this.#contextTokens = contextTokens;
    this.#backend = backend;
    this.#counter = options.counter ?? new TokenCounter();
    this.#ladder = new StrategyLadder(options.strategies);
    this.#caller = new ModelCaller({
      model: this.name,
      address: backend.address,
      contextTokens,
      concurrency,
      timeout,
      retry: { ...DEFAULT_RETRY_POLICY, ...options.retry },
      timing,
      requestsPerMinute: options.requestsPerMinute,
      tokensPerMinute: options.tokensPerMinute,
    });
  }

  get contextTokens(): number | null {
    return this.#backend.contextTokens?.() ?? this.#contextTokens;
  }

  async structured<Input, Output>(
    prompt: Prompt<Input, Output>,
    input: Input,
    options: ModelCallOptions = {},
  ): Promise<StructuredReply<Output>> {
    const call = this.#begin(prompt, options);
    const shape = withShownNumbers(this.#shapeOf(prompt), prompt.shown?.(input), this.#backend.cachesSchemas);
    const rendered = this.#rendered(prompt, input);
    const first = await this.#askWithFallback(call, {
      requestFor: (strategy) => ({
        turns: openConversation(rendered, { shape, strategy }),
        form: { shape, strategy },
      }),
      heeds: (reply) => isHeeded(readReply(prompt, reply, shape), reply),
    });
    const reading = await this.#read(prompt, input, { reply: first.reply, shape });
    const { strategy } = first;
    if (reading.fits && reading.objection === null) {
      const { value, truncated } = reading;
      return { value, truncated, strategy, repaired: false, ...costOf(call) };
    }
    if (!reading.fits && first.reply.truncated) throw this.#malformed(call, reading.issues, true);
    const fault = reading.fits
      ? { issues: [reading.objection!.issue], fault: 'content' as const }
      : { issues: reading.issues, fault: reading.fault };
    const form = { shape, strategy };
    const turns = repairConversation(first.turns, { reply: first.reply, ...fault }, shape);
    const reply = this.#checked(await this.#ask(call, { turns, form }));
    const second = await this.#read(prompt, input, { reply, shape });
    const best = [second, reading].find((each) => each.fits && isUsed(each.objection, [reading, second]));
    if (best?.fits === true)
      return { value: best.value, truncated: best.truncated, strategy, repaired: true, ...costOf(call) };
    const issues = second.fits ? [second.objection!.issue] : second.issues;
    throw this.#malformed(call, issues, second.truncated);
  }

  async #read<Input, Output>(
    prompt: Prompt<Input, Output>,
    input: Input,
    { reply, shape }: { readonly reply: ChatReply; readonly shape: ReplyShape },
  ) {
    const reading = readReply(prompt, reply, shape);
    if (!reading.fits) return { ...reading, objection: null };
    // A caller gives less input where a reply was cut.
    const objection = reading.truncated ? null : await prompt.objectTo?.(reading.value, input);
    return { ...reading, objection: objection ?? null };
  }

  async text<Input>(
    prompt: TextPrompt<Input>,
    input: Input,
    options: TextCallOptions = {},
  ): Promise<TextReply> {
    const call = this.#begin(prompt, options);
    const turns = openConversation(this.#rendered(prompt, input), null);
    const reply = this.#checked(await this.#askWithTools(call, { turns, form: null }));
    this.#opensUnseen ||= opensUnseen(reply.text);
    const { truncated, requests = [] } = reply;
    return { ...readReplyText(reply.text), truncated, requests, ...costOf(call) };
  }

  get callsTools(): boolean {
    return this.#backend.callsTools === true;
  }

  /** Where tools are refused, or leave no room, the prompt is sent alone. */
  async #askWithTools(call: CallContext, request: Prompted): Promise<ChatReply> {
    const { tools } = call.options;
    if (tools === undefined || !this.callsTools) return this.#ask(call, request);
    try {
      return await this.#ask(call, { ...request, tools });
    } catch (error) {
      const isRefused = ModelRequestRefusedError.isInstance(error) || ContextTooLongError.isInstance(error);
      if (!isRefused || tools.rounds.length > 0) throw error;
      return this.#ask(call, request);
    }
  }

  countTokens(text: string): Promise<number> {
    return this.#backend.countTokens?.(text) ?? this.#counter.count(text);
  }

  #rendered<Input>(prompt: TextPrompt<Input>, input: Input): RenderedPrompt {
    const rendered = prompt.render(input);
    const brief = this.#backend.isSmall === true ? prompt.brief?.(input) : undefined;
    return brief === undefined ? rendered : { ...rendered, system: brief };
  }

  #begin(prompt: TextPrompt<never>, options: TextCallOptions): CallContext {
    const signal = options.signal ?? new AbortController().signal;
    // Hundreds of calls may share one signal; each removes its own listeners.
    setMaxListeners(0, signal);
    return { prompt, options, signal, meter: new UsageMeter(), started: performance.now() };
  }

  /**
   * Asks with the most reliable strategy that the model accepts. Some servers accept what they do not know and answer in
   * prose, as Anthropic's does with `response_format`.
   */
  async #askWithFallback(
    call: CallContext,
    { requestFor, heeds }: StrategyRequests,
  ): Promise<{ reply: ChatReply; strategy: Strategy; turns: readonly ChatTurn[] }> {
    let refusal: ModelRequestRefusedError | undefined;
    const ignored: { reply: ChatReply; strategy: Strategy; turns: readonly ChatTurn[] }[] = [];
    const strategies = this.#ladder.for(call.prompt.name);
    for (const strategy of strategies) {
      // Two forms in vain: the last one asks in words.
      if (ignored.length === MOST_IGNORED && strategy !== strategies.at(-1)) continue;
      const request = requestFor(strategy);
      try {
        const reply = this.#checked(await this.#ask(call, request));
        if (refusal !== undefined) this.#ladder.learn(call.prompt.name, strategy, refusal.about !== 'schema');
        const answered = { reply, strategy, turns: request.turns };
        // Prose in a form that it heeds is what the model says.
        if (this.#heeded.has(strategy)) return answered;
        const isHeeded = heeds(reply);
        if (isHeeded === true) this.#heeded.add(strategy);
        if (isHeeded !== false) {
          // Once may be a refusal of what was asked.
          if (ignored.length > 0 && this.#wasIgnored.has(call.prompt.name))
            this.#ladder.learn(call.prompt.name, strategy, false);
          if (ignored.length > 0) this.#wasIgnored.add(call.prompt.name);
          return answered;
        }
        ignored.push(answered);
      } catch (error) {
        if (!ModelRequestRefusedError.isInstance(error)) throw error;
        refusal ??= error;
      }
    }
    const last = ignored.at(-1);
    if (last !== undefined) return last;
    throw refusal;
  }

  /** Sends one request; a model that refuses a temperature or a seed is asked again without them. */
  async #ask(call: CallContext, request: Prompted): Promise<ChatReply> {
    try {
      return await this.#send(call, request, this.#seed);
    } catch (error) {
      if (!ModelRequestRefusedError.isInstance(error) || error.about !== 'sampling') throw error;
      this.#seed = null;
      return this.#send(call, request, null);
    }
  }

  async #send(
    { prompt, options, signal, meter }: CallContext,
    request: Prompted,
    seed: number | null,
  ): Promise<ChatReply> {
    const rough = roughPrompt(request);
    const expected = prompt.expectedTokens ?? EXPECTED_TOKENS;
    await this.#refuseTooLong(request, rough, expected);
    let passedOn = false;
    let callersOwn: { readonly error: unknown } | undefined;
    const passOn = (piece: string) => {
      if (piece === '' || signal.aborted) return;
      passedOn = true;
      try {
        options.onText?.(piece);
      } catch (error) {
        callersOwn = { error };
        throw error;
      }
    };
    const reply = this.#caller.run({
      signal,
      budget: options.budget,
      estimate: rough + expected,
      send: async (deadline) => {
        const full = { ...request, seed, signal: deadline };
        // Requests for tools are read as they are streamed.
        if (options.onText === undefined && request.tools === undefined) return this.#backend.ask(full);
        const text = new GrowingReplyText(this.#opensUnseen);
        const whole = await this.#backend.stream(full, (piece) => passOn(text.add(piece)));
        if (whole.declined === null) passOn(text.end());
        return whole;
      },
      usageOf: (reply) => countUsage(this.#counter, request, reply),
      roughUsage: () => ({ ...NO_MODEL_USAGE, calls: 1, promptTokens: rough, estimated: true }),
      record: (usage) => {
        meter.record(prompt.name, usage);
        options.meter?.record(prompt.name, usage);
      },
      repeatable: () => !passedOn,
    });
    return reply.catch((error: unknown) => {
      throw callersOwn === undefined ? error : callersOwn.error;
    });
  }

  /** Counts exactly only near the limit. Some servers would cut the prompt silently. */
  async #refuseTooLong(request: Prompted, rough: number, expected: number): Promise<void> {
    if (this.contextTokens === null || rough + expected <= this.contextTokens / 2) return;
    if ((await countPrompt(this.#counter, request)) + expected > this.contextTokens)
      throw new ContextTooLongError(this.name, this.contextTokens);
  }

  #checked(reply: ChatReply): ChatReply {
    if (reply.declined !== null) throw new ModelDeclinedError(this.name, reply.declined);
    return reply;
  }

  #malformed({ prompt }: CallContext, issues: readonly string[], truncated: boolean): MalformedReplyError {
    return new MalformedReplyError({ model: this.name, prompt: prompt.name, issues, truncated });
  }

  #shapeOf(prompt: Prompt<never, unknown>): ReplyShape {
    const known = this.#shapes.get(prompt.schema);
    if (known !== undefined && known.name === prompt.name) return known;
    const shape = replyShape(prompt);
    this.#shapes.set(prompt.schema, shape);
    return shape;
  }
}

interface StrategyRequests {
  readonly requestFor: (strategy: Strategy) => Prompted;
  /** Whether the server heeded the strategy; null: the reply does not tell. */
  readonly heeds: (reply: ChatReply) => boolean | null;
}

/** A server that heeds a strategy sends JSON, an empty reply, or one that was cut. */
function isHeeded(reading: ReplyReading<unknown>, { text }: ChatReply): boolean | null {
  if (reading.fits || reading.fault !== 'nothing') return true;
  return reading.truncated || text.trim() === '' ? null : false;
}

function isUsed(
  objection: Objection | null,
  replies: readonly { readonly objection: Objection | null }[],
): boolean {
  if (objection?.use !== 'if-repeated') return objection?.use !== 'never';
  return replies.every((each) => each.objection?.issue === objection.issue);
}

function costOf({ meter, started }: CallContext): { usage: ModelUsage; milliseconds: number } {
  return { usage: meter.total, milliseconds: performance.now() - started };
}

/**
 * Which strategies a model accepts. A refused strategy is not tried again: for any prompt, or for this prompt
 * only if the refusal was about its schema.
 */
class StrategyLadder {
  readonly #strategies: readonly Strategy[];
  #first = 0;
  readonly #firstOf = new Map<string, number>();

  constructor(strategies: readonly Strategy[] = STRATEGIES) {
    if (strategies.length === 0)
      throw new InvalidInputError('A language model needs one way at least to ask for a schema');
    this.#strategies = strategies;
  }

  /** The strategies that are worth asking for, the most reliable first. */
  for(prompt: string): readonly Strategy[] {
    return this.#strategies.slice(Math.max(this.#first, this.#firstOf.get(prompt) ?? 0));
  }

  /** The same request with a later strategy was answered, so that the strategy was the reason. */
  learn(prompt: string, worked: Strategy, isForAll: boolean): void {
    const first = this.#strategies.indexOf(worked);
    if (isForAll) this.#first = Math.max(this.#first, first);
    else this.#firstOf.set(prompt, first);
  }
}
