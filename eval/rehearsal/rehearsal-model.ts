import { LRUCache } from 'lru-cache';
import type {
  ChatBackend,
  ChatReply,
  ChatRequest,
} from '../../src/inference/language-model/backends/chat-backend.ts';
import { ChatLanguageModel } from '../../src/inference/language-model/chat-language-model.ts';
import { countPrompt, TokenCounter } from '../../src/inference/language-model/tokens/count-tokens.ts';
import type {
  LanguageModel,
  ModelCallOptions,
  StructuredReply,
  TextCallOptions,
  TextReply,
} from '../../src/inference/language-model.ts';
import type { Prompt, TextPrompt } from '../../src/model/prompt.ts';
import { categoryRehearsals, memoryRehearsals } from './memory-rehearsals.ts';
import {
  type Rehearsal,
  type RehearsedReply,
  readingRehearsals,
  rehearsalTable,
  stepRehearsals,
} from './reading-rehearsals.ts';

export interface RehearsalModelOptions {
  /** Models that share one share its vocabulary, which takes a second to load. */
  readonly counter?: TokenCounter | undefined;
  /** Context size of the simulated model, for prompt and reply together; null: unlimited. */
  readonly contextTokens?: number | null | undefined;
  /** What stands between the model and its replies, such as a record of them. */
  readonly through?: ((backend: ChatBackend) => ChatBackend) | undefined;
  /** Rehearsals for prompts of other stages, or to replace the default ones of ingestion. */
  readonly rehearsals?: readonly Rehearsal[] | undefined;
}

/** Reply tokens for a prompt without a rehearsal and without `expectedTokens`. */
const EXPECTED_TOKENS = 256;

/**
 * A simulated language model, without a network. It replies to prompts of ingestion with the results of the local
 * stages, and to those of the hierarchy from tags and a taxonomy of nouns, and counts the cost. Prompts pass through
 * the same code as for a real model with JSON schema (rendering, counting, budget, meter), so calls and prompt tokens
 * equal those of a model with the same replies; the length of real replies is an estimate. For other prompts it replies
 * with an empty object or filler text, and counts the prompt's `expectedTokens`. Deterministic.
 */
export class RehearsalModel implements LanguageModel {
  readonly name = 'rehearsal:local-stages';
  readonly contextTokens: number | null;
  readonly #counter: TokenCounter;
  readonly #through: (backend: ChatBackend) => ChatBackend;
  readonly #replies: ReadonlyMap<string, RehearsedReply>;

  constructor({
    counter,
    contextTokens = null,
    rehearsals = [],
    through = (backend) => backend,
  }: RehearsalModelOptions = {}) {
    this.#through = through;
    this.contextTokens = contextTokens;
    this.#counter = new RememberingCounter(counter ?? new TokenCounter());
    this.#replies = rehearsalTable([
      ...readingRehearsals(),
      ...stepRehearsals(),
      ...memoryRehearsals(),
      ...categoryRehearsals(),
      ...rehearsals,
    ]);
  }

  /** @throws MalformedReplyError for a prompt without a rehearsal whose schema rejects an empty object. */
  structured<Input, Output>(
    prompt: Prompt<Input, Output>,
    input: Input,
    options: ModelCallOptions = {},
  ): Promise<StructuredReply<Output>> {
    return this.#player(prompt, input).structured(prompt, input, options);
  }

  text<Input>(prompt: TextPrompt<Input>, input: Input, options: TextCallOptions = {}): Promise<TextReply> {
    return this.#player(prompt, input).text(prompt, input, options);
  }

  countTokens(text: string): Promise<number> {
    return this.#counter.count(text);
  }

  /** A client per call: its backend sees the prompt only as text, and the reply needs the prompt's input. */
  #player<Input>(prompt: TextPrompt<Input>, input: Input): ChatLanguageModel {
    const ask = (request: ChatRequest) => this.#reply(prompt, input, request);
    const backend: ChatBackend = {
      name: this.name,
      cachesSchemas: true, // as the provider whose charge it estimates
      ask,
      stream: async (request, onText) => {
        const reply = await ask(request);
        for (const piece of reply.text.match(/\S+\s*|\s+/g) ?? []) onText(piece);
        return reply;
      },
    };
    return new ChatLanguageModel(this.#through(backend), {
      counter: this.#counter,
      contextTokens: this.contextTokens,
      strategies: ['schema'],
    });
  }

  async #reply<Input>(prompt: TextPrompt<Input>, input: Input, request: ChatRequest): Promise<ChatReply> {
    const rehearsed = this.#replies.get(prompt.name);
    if (rehearsed === undefined) return this.#unrehearsed(prompt, request);
    const said = await rehearsed(input as never, request.signal);
    return { ...WHOLE, text: typeof said === 'string' ? said : JSON.stringify(said), usage: null };
  }

  async #unrehearsed(prompt: TextPrompt<never>, request: ChatRequest): Promise<ChatReply> {
    const completionTokens = prompt.expectedTokens ?? EXPECTED_TOKENS;
    const promptTokens = await countPrompt(this.#counter, request);
    const text = request.form === null ? Array(completionTokens).fill('word').join(' ') : '{}';
    return { ...WHOLE, text, usage: { promptTokens, completionTokens, cachedPromptTokens: 0 } };
  }
}

const WHOLE = { toolArguments: undefined, declined: null, truncated: false };

/** Size for all instructions and schemas of ingestion, and some texts. */
const MOST_TEXTS = 200;

/** Caches token counts: instructions and schemas repeat in every call and dominate short prompts. */
export class RememberingCounter extends TokenCounter {
  readonly #counter: TokenCounter;
  readonly #counts = new LRUCache<string, number>({ max: MOST_TEXTS });

  constructor(counter: TokenCounter) {
    super();
    this.#counter = counter;
  }

  override async count(text: string): Promise<number> {
    const known = this.#counts.get(text);
    if (known !== undefined) return known;
    const tokens = await this.#counter.count(text);
    this.#counts.set(text, tokens);
    return tokens;
  }
}
