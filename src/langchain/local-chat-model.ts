import { randomUUID } from 'node:crypto';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import type {
  BaseLanguageModelInput,
  StructuredOutputMethodOptions,
} from '@langchain/core/language_models/base';
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk, type BaseMessage, type UsageMetadata } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { type Runnable, RunnableLambda } from '@langchain/core/runnables';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { toJsonSchema } from '@langchain/core/utils/json_schema';
import { isSerializableSchema, type SerializableSchema } from '@langchain/core/utils/standard_schema';
import { type InteropZodType, isInteropZodSchema } from '@langchain/core/utils/types';
import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import type { ModelHost } from '../inference/llama/model-host.ts';
import { sharedModel } from '../inference/llama/model-hosts.ts';
import type { GeneratedReply } from '../inference/llama/process/messages.ts';
import { checkOptions, modelsFolderSchema } from '../inference/models/open-models.ts';
import { parseJson } from '../util/parse-json.ts';

const optionsSchema = z.strictObject({
  model: z.string().trim().min(1).max(4096),
  modelsFolder: modelsFolderSchema,
  contextTokens: z.int().min(256).max(10_000_000).default(8_192),
  temperature: z.number().min(0).max(2).default(0),
  seed: z.int().default(42),
  maxTokens: z.int().min(1).max(1_000_000).default(2_048),
  runtime: z.string().min(1).optional(),
});

/**
 * A chat model of this computer for LangChain. Only `model` is required: a name of `mnemis models list`, or the path of
 * a `.gguf` file.
 */
export type LocalChatModelOptions = z.input<typeof optionsSchema>;

interface LocalCallOptions extends BaseChatModelCallOptions {
  readonly tools?: ReturnType<typeof convertToOpenAITool>[];
}

type StructuredSchema<Output extends Record<string, unknown>> =
  | InteropZodType<Output>
  | SerializableSchema<Output>
  | Record<string, unknown>;

/**
 * A chat model that runs on this computer, in a process of its own: no key and no server. Models of the same file and
 * context share that process, also with memory's own use of them. Needs the package `node-llama-cpp`.
 *
 * @throws InvalidInputError, UnknownNameError; ModelMissingError for a model that was not fetched.
 */
export class LocalChatModel extends BaseChatModel<LocalCallOptions> {
  readonly #options: z.output<typeof optionsSchema>;
  readonly #host: ModelHost;

  constructor(options: LocalChatModelOptions) {
    super({});
    this.#options = checkOptions(optionsSchema, options);
    this.#host = sharedModel(this.#options.model, this.#options).host;
  }

  override _llmType(): string {
    return 'mnemis-local';
  }

  override async _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const hasTools = (options.tools?.length ?? 0) > 0;
    const onPiece = (piece: string) => void (hasTools || run?.handleLLMNewToken(piece));
    const { usage_metadata, ...fields } = messageOf(await this.#reply(messages, options, onPiece), hasTools);
    const message = new AIMessage(fields);
    Object.assign(message, { usage_metadata });
    return { generations: [{ text: message.text, message }] };
  }

  /** With tools the whole reply in one piece: until its end it is no answer. */
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const hasTools = (options.tools?.length ?? 0) > 0;
    const pieces = new ReadableStream<string>({
      start: (controller) =>
        void this.#reply(messages, options, (piece) => controller.enqueue(piece))
          .then((reply) => {
            last = reply;
            controller.close();
          })
          .catch((error: unknown) => controller.error(error)),
    });
    let last: GeneratedReply | undefined;
    for await (const text of pieces) {
      if (hasTools) continue;
      await run?.handleLLMNewToken(text);
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
    }
    const { usage_metadata, content, ...fields } = messageOf(last!, hasTools);
    const text = hasTools ? content : '';
    const message = new AIMessageChunk({ ...fields, content: text });
    Object.assign(message, { usage_metadata });
    yield new ChatGenerationChunk({ text, message });
  }

  /**
   * Lets the model call tools: it writes either an answer or one call, decoded under the schemas of the tools.
   *
   * @param kwargs - `tool_choice`: `any`, `required` or a tool's name for a call in any case.
   */
  override bindTools(
    tools: BindToolsInput[],
    kwargs: Partial<LocalCallOptions> = {},
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, LocalCallOptions> {
    return this.withConfig({ ...kwargs, tools: tools.map((tool) => convertToOpenAITool(tool)) });
  }

  /** The reply as the value of a schema: decoding allows nothing else. */
  override withStructuredOutput<Output extends Record<string, unknown>>(
    schema: StructuredSchema<Output>,
    config?: StructuredOutputMethodOptions<false>,
  ): Runnable<BaseLanguageModelInput, Output>;
  override withStructuredOutput<Output extends Record<string, unknown>>(
    schema: StructuredSchema<Output>,
    config?: StructuredOutputMethodOptions<true>,
  ): Runnable<BaseLanguageModelInput, { raw: BaseMessage; parsed: Output }>;
  override withStructuredOutput(
    schema: StructuredSchema<Record<string, unknown>>,
    { name = 'reply', includeRaw = false }: StructuredOutputMethodOptions<boolean> = {},
  ): Runnable<BaseLanguageModelInput, never> {
    const parameters = (
      isInteropZodSchema(schema) || isSerializableSchema(schema) ? toJsonSchema(schema) : schema
    ) as Record<string, unknown>;
    const tool = { type: 'function' as const, function: { name, parameters } };
    const bound = this.bindTools([tool], { tool_choice: 'any' });
    return RunnableLambda.from(async (input: BaseLanguageModelInput, config) => {
      const raw = await bound.invoke(input, config);
      const parsed = raw.tool_calls?.[0]?.args;
      return (includeRaw ? { raw, parsed } : parsed) as never;
    });
  }

  #reply(
    messages: readonly BaseMessage[],
    { tools, tool_choice: choice, stop = [], signal }: this['ParsedCallOptions'],
    onPiece: (piece: string) => void,
  ): Promise<GeneratedReply> {
    const { temperature, seed, maxTokens } = this.#options;
    const turns = messages.map(turnOf);
    const schema = tools === undefined || tools.length === 0 ? null : schemaOfCalls(tools, choice);
    const request = { turns, schema, temperature, seed, mostTokens: maxTokens, stops: stop };
    return this.#host.generate(request, signal ?? new AbortController().signal, onPiece);
  }
}

const ROLES = { system: 'system', human: 'user', ai: 'assistant', tool: 'user' } as const;

function turnOf(message: BaseMessage) {
  const type = message.getType();
  if (!Object.hasOwn(ROLES, type))
    throw new InvalidInputError(
      `A local model reads messages of ${Object.keys(ROLES).join(', ')}, not of ${type}`,
    );
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const called = calls.map(({ name, args }) => JSON.stringify({ tool: name, arguments: args }));
  const told = type === 'tool' ? `Result of the tool: ${message.text}` : message.text;
  return { role: ROLES[type as keyof typeof ROLES], content: [told, ...called].filter(Boolean).join('\n') };
}

type Tools = NonNullable<LocalCallOptions['tools']>;

/** An answer, or the call of one of the tools; only a call where the choice asks for one. */
function schemaOfCalls(tools: Tools, choice: LocalCallOptions['tool_choice']): Record<string, unknown> {
  const named = tools.filter(({ function: { name } }) => name === choice);
  const calls = (named.length > 0 ? named : tools).map(({ function: { name, parameters } }) => ({
    type: 'object',
    properties: { tool: { const: name }, arguments: parameters ?? { type: 'object', properties: {} } },
  }));
  const mustCall = choice === 'any' || choice === 'required' || named.length > 0;
  const answer = { type: 'object', properties: { answer: { type: 'string' } } };
  return { anyOf: mustCall ? calls : [answer, ...calls] };
}

const decisionSchema = z.union([
  z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }),
  z.object({ answer: z.string() }),
]);

/** What was decided under `schemaOfCalls`: an answer, or a call; a reply that was cut is its own text. */
function decided(text: string) {
  const json = parseJson(text);
  const decision = json.ok ? decisionSchema.safeParse(json.value).data : undefined;
  if (decision === undefined) return { content: text, tool_calls: [] };
  if ('answer' in decision) return { content: decision.answer, tool_calls: [] };
  const call = { name: decision.tool, args: decision.arguments, id: `call-${randomUUID()}` };
  return { content: '', tool_calls: [{ ...call, type: 'tool_call' as const }] };
}

function messageOf({ text, reasoning, end, ...tokens }: GeneratedReply, hasTools: boolean) {
  const { promptTokens, cachedPromptTokens, completionTokens } = tokens;
  return {
    ...(hasTools ? decided(text) : { content: text }),
    additional_kwargs: reasoning === '' ? {} : { reasoning_content: reasoning },
    response_metadata: { finish_reason: end === 'stop' ? 'stop' : 'length' },
    usage_metadata: {
      input_tokens: promptTokens,
      output_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      input_token_details: { cache_read: cachedPromptTokens },
    } satisfies UsageMetadata,
  };
}
