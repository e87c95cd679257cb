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
  /** Tokens that prompt and reply may have together, as the model has them that is rehearsed; null: any number. */
  readonly contextTokens?: number | null | undefined;
  /** Replies to prompts of other stages, and to those of ingestion in place of the usual ones. */
  readonly rehearsals?: readonly Rehearsal[] | undefined;
}

/** Tokens of a reply to a prompt that neither has a rehearsal nor says how long its replies are. */
const EXPECTED_TOKENS = 256;

/**
 * A language model without a model: it replies to the prompts of ingestion what the local stages find in their input,
 * to those of the hierarchy what tags and a taxonomy of nouns say, and counts what that would cost, without a
 * network. Prompts are put, counted, budgeted and metered by the very code that asks a real model by JSON schema, so
 * that calls and prompt tokens are those of a model that replies alike; how much a real one says is a guess. To other
 * prompts it has no reply: in schema an empty object, in prose filling, at the price of the prompt's
 * `expectedTokens`. Deterministic.
 */
export class RehearsalModel implements LanguageModel {
  readonly name = 'rehearsal:local-stages';
  readonly contextTokens: number | null;
  readonly #counter: TokenCounter;
  readonly #replies: ReadonlyMap<string, RehearsedReply>;

  constructor({ counter, contextTokens = null, rehearsals = [] }: RehearsalModelOptions = {}) {
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

  /** @throws MalformedReplyError for a prompt without a rehearsal whose schema takes no empty object. */
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

  /** A client for this call alone: the backend behind it sees the prompt as text, and the reply needs its input. */
  #player<Input>(prompt: TextPrompt<Input>, input: Input): ChatLanguageModel {
    const ask = (request: ChatRequest) => this.#reply(prompt, input, request);
    const backend: ChatBackend = {
      name: this.name,
      ask,
      stream: async (request, onText) => {
        const reply = await ask(request);
        for (const piece of reply.text.match(/\S+\s*|\s+/g) ?? []) onText(piece);
        return reply;
      },
    };
    return new ChatLanguageModel(backend, {
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

/** All instructions and schemas of ingestion, and some of the texts between them. */
const MOST_TEXTS = 200;

/** Counts a text once: instructions and schemas are most of a short prompt, and the same in every call. */
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
