import { ToolMessage } from '@langchain/core/messages';
import type { ToolRunnableConfig } from '@langchain/core/tools';
import type { Logger } from '../../engine/engine-context.ts';
import { CancelledError, MnemisError } from '../../errors/index.ts';
import { placeOf } from '../../util/describe-issues.ts';

/** What a tool has to say: a text for the model, and the same as plain data for the program around it. */
export interface ToolReply {
  readonly content: string;
  readonly artifact: ToolArtifact;
}

/** A tool's reply as plain data, for programs: `type` says which fields there are; a failure has `type: 'failure'`, a code and a message. */
export interface ToolArtifact {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What a tool knows of the call. */
export interface ToolCallContext {
  readonly signal: AbortSignal | undefined;
  /** Of the model's tool call, null where a program calls the tool. */
  readonly callId: string | null;
  /** LangGraph's thread, null outside one. */
  readonly thread: string | null;
}

export interface GuardOptions {
  readonly name: string;
  readonly logger?: Logger | undefined;
}

/**
 * The function of a tool whose failures are told to the model in words of our own, as a tool message with the status
 * `error` where there is a tool call: it can do better, or tell the user. A cancel goes through.
 */
export function guarded<Input>(
  { name, logger }: GuardOptions,
  work: (input: Input, context: ToolCallContext) => Promise<ToolReply>,
) {
  return async (input: Input, config: ToolRunnableConfig): Promise<[ToolMessage | string, ToolArtifact]> => {
    const context = contextOf(config);
    try {
      const { content, artifact } = await work(input, context);
      return [content, artifact];
    } catch (error) {
      if (context.signal?.aborted || CancelledError.isInstance(error)) throw error;
      if (!MnemisError.isInstance(error)) logger?.warn(`The tool ${name} failed: ${placeOf(error)}`);
      const { content, artifact } = failureReply(error);
      if (context.callId === null) return [content, artifact];
      const answered = { tool_call_id: context.callId, name };
      return [new ToolMessage({ ...answered, status: 'error', content, artifact }), artifact];
    }
  };
}

function contextOf({ signal, toolCall, configurable }: ToolRunnableConfig): ToolCallContext {
  const { thread_id: thread } = configurable ?? {};
  return { signal, callId: toolCall?.id ?? null, thread: typeof thread === 'string' ? thread : null };
}

function failureReply(error: unknown): ToolReply {
  const { code, message } = MnemisError.isInstance(error)
    ? error
    : { code: 'internal', message: 'Memory cannot be used right now. Go on without it, and say so.' };
  return { content: `Failed (${code}): ${message}`, artifact: { type: 'failure', code, message } };
}
