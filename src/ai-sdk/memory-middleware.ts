import { AgentMemory, userOf } from '../agent-memory/agent-memory.ts';
import type { MemoryMiddlewareOptions, MiddlewareMemory } from '../agent-memory/agent-memory-options.ts';
import { type RunOptions, readRunOptions } from '../agent-memory/run-options.ts';
import { type PromptMessage, questionOf, SOURCE, textOf, turnsOf } from './prompt-messages.ts';
import { recallInto } from './recall-into.ts';

/** `providerOptions: { mnemis: … }` of a call. Default session: `ai-sdk`. */
export type MnemisCallOptions = RunOptions;

/** The parts of a call's parameters that the middleware reads (`LanguageModelV3CallOptions` and of version 4). */
interface CallParameters {
  readonly prompt: readonly PromptMessage[];
  readonly providerOptions?: Readonly<Record<string, unknown>> | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** What a call leaves for its end. */
interface Call {
  readonly prompt: readonly PromptMessage[];
  readonly memory: MiddlewareMemory;
  readonly session: string;
  readonly speaker: string | undefined;
}

/** A middleware for `wrapLanguageModel` of version 6 and 7 of the AI SDK (specifications v3 and v4). */
export interface MemoryMiddleware {
  // biome-ignore lint/suspicious/noExplicitAny: 'v3' in version 6 and 'v4' in version 7, which do not compare it.
  readonly specificationVersion: any;
  transformParams<Parameters extends CallParameters>(options: {
    readonly params: Parameters;
  }): Promise<Parameters>;
  wrapGenerate<Result extends { readonly content: readonly unknown[] }>(options: {
    doGenerate(): PromiseLike<Result>;
    readonly params: CallParameters;
  }): Promise<Result>;
  wrapStream<
    Part extends { readonly type: string },
    Result extends { readonly stream: ReadableStream<Part> },
  >(options: {
    doStream(): PromiseLike<Result & { readonly stream: ReadableStream<Part> }>;
    readonly params: CallParameters;
  }): Promise<Result>;
  /** Resolves when all pending turns are stored, or their failures reported to `onError`. */
  settled(): Promise<void>;
}

/**
 * Memory for a model of the AI SDK: `wrapLanguageModel({ model, middleware: memoryMiddleware({ engine }) })`. Before a
 * call it inserts relevant memories for the user's message: within a token budget, fenced as data, without what the
 * prompt contains. When the reply is complete, streamed or not, it stores the user's message and the reply in the
 * background: await `settled()` before you close the engine. Of a call with tools, each step's text is stored, and the
 * message once. A failure of memory goes to `onError` and does not break the call.
 *
 * @throws InvalidInputError for invalid options, of the call too; in a call, MissingUserError if a required `userId` is
 * missing.
 */
export function memoryMiddleware(options: MemoryMiddlewareOptions): MemoryMiddleware {
  const agent = new AgentMemory(options);
  const calls = new WeakMap<object, Call>();
  const remember = async (params: object, reply: string) => {
    const call = calls.get(params);
    if (call === undefined) return;
    if (agent.settings.remember) await agent.remember(call.memory, turnsOf(call.prompt, reply, call));
  };
  return {
    specificationVersion: 'v4',
    transformParams: async ({ params }) => {
      const { prompt, providerOptions, abortSignal: signal } = params;
      const { mnemis, ...others } = providerOptions ?? {};
      const of = readRunOptions(mnemis, 'providerOptions.mnemis of the call');
      const { userId, session = SOURCE, private: isPrivate } = of;
      const user = userOf(userId);
      const memory = agent.memoryOf(user);
      const own = { ...params, ...(mnemis === undefined ? {} : { providerOptions: others }) };
      if (isPrivate || questionOf(prompt).trim() === '') return own;
      const given = { ...own, prompt: await recallInto(prompt, agent, { memory, session, signal }) };
      calls.set(given, { prompt, memory, session, speaker: agent.settings.speakerOf(user) });
      return given;
    },
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      await remember(params, textOf(result.content));
      return result;
    },
    wrapStream: async ({ doStream, params }) => {
      const result = await doStream();
      return { ...result, stream: result.stream.pipeThrough(listening((reply) => remember(params, reply))) };
    },
    settled: () => agent.settled(),
  };
}

/** Passes the parts of a reply on, and tells its text when it has ended well. */
function listening<Part extends { readonly type: string }>(onReply: (text: string) => Promise<void>) {
  let text = '';
  return new TransformStream<Part, Part>({
    transform: async (part, controller) => {
      controller.enqueue(part);
      if (part.type === 'text-delta') text += (part as unknown as { readonly delta: string }).delta;
      if (part.type === 'finish') await onReply(text);
    },
  });
}
