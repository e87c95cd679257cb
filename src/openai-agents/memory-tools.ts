import { z } from 'zod';
import {
  type MemoryToolName,
  type MemoryToolsOptions,
  memoryToolset,
  refusedArguments,
} from '../tools/memory-toolset.ts';
import { parseJson } from '../util/parse-json.ts';

/** A tool as `tool()` of the OpenAI Agents SDK makes it. */
export interface MemoryTool {
  readonly type: 'function';
  readonly name: MemoryToolName;
  readonly description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's type of a JSON schema.
  readonly parameters: any;
  /** False: some parameters are optional. */
  readonly strict: boolean;
  /** @param input - The arguments as JSON. */
  invoke(
    context: unknown,
    input: string,
    details?: {
      readonly toolCall?: { readonly callId: string } | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<string>;
  /** None: `forget` itself requires a confirmation. */
  needsApproval(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

/**
 * Tools over one scope for `new Agent({ tools })`: `search_memory`, `remember`, `forget` (first shows what would be
 * deleted, and requires a confirmation) and `browse_memory` (walks the categories). Each replies with a short text, in
 * which stored text is fenced as data. Failures are replies with fixed messages; a cancellation is thrown.
 *
 * @throws InvalidInputError for invalid options.
 */
export function memoryTools(options: MemoryToolsOptions): MemoryTool[] {
  const { names, tools } = memoryToolset(options);
  return names.map((name): MemoryTool => {
    const { description, input, call } = tools[name];
    return {
      type: 'function',
      name,
      description,
      parameters: z.toJSONSchema(input, { io: 'input' }),
      strict: false,
      invoke: async (_context, given, { toolCall, signal } = {}) => {
        const reading = parseJson(given);
        const read = input.safeParse(reading.ok ? reading.value : undefined);
        if (!read.success) return refusedArguments({ name, input }, read.error).text;
        return (
          await call(read.data as never, {
            signal,
            key: toolCall === undefined ? null : [null, toolCall.callId],
          })
        ).text;
      },
      needsApproval: async () => false,
      isEnabled: async () => true,
    };
  });
}
