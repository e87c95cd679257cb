import { z } from 'zod';
import { type MemoryToolName, type MemoryToolsOptions, memoryToolset } from '../tools/memory-toolset.ts';

/** What Mastra, or the AI SDK, says of the call of a tool. */
const callSchema = z.looseObject({
  abortSignal: z.instanceof(AbortSignal).optional().catch(undefined),
  toolCallId: z.string().optional().catch(undefined),
  agent: z
    .looseObject({ toolCallId: z.string(), threadId: z.string().optional() })
    .optional()
    .catch(undefined),
});

/** A tool as `createTool` of Mastra takes it. */
export interface MemoryTool {
  readonly id: MemoryToolName;
  readonly description: string;
  /** As a Standard Schema: beside another version of Zod, the compiler would compare the whole of its types. */
  readonly inputSchema: Pick<z.ZodObject, '~standard'>;
  execute(
    // biome-ignore lint/suspicious/noExplicitAny: of the type of its schema, which Mastra has checked.
    input: any,
    context?: unknown,
  ): Promise<string>;
}

/**
 * Tools over one scope for `tools` of an agent of Mastra: `search_memory`, `remember`, `forget` (first shows what would be
 * deleted, and requires a confirmation) and `browse_memory` (walks the categories). Each replies with a short text, in
 * which stored text is fenced as data. Failures are replies with fixed messages; a cancellation is thrown.
 *
 * @throws InvalidInputError for invalid options.
 */
export function memoryTools<Name extends MemoryToolName = MemoryToolName>(
  options: MemoryToolsOptions & { readonly only?: readonly Name[] },
): Record<Name, MemoryTool> {
  const { names, tools } = memoryToolset(options);
  const made = names.map((id): readonly [MemoryToolName, MemoryTool] => {
    const { description, input, call } = tools[id];
    const execute: MemoryTool['execute'] = async (given, context) => {
      const { abortSignal, toolCallId, agent } = callSchema.parse(context ?? {});
      const callId = toolCallId ?? agent?.toolCallId;
      const key = callId === undefined ? null : [agent?.threadId ?? null, callId];
      return (await call(given, { signal: abortSignal, key })).text;
    };
    return [id, { id, description, inputSchema: input, execute }];
  });
  return Object.fromEntries(made) as Record<Name, MemoryTool>;
}
