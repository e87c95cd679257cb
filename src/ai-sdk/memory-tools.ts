import type { z } from 'zod';
import { type MemoryToolName, type MemoryToolsOptions, memoryToolset } from '../tools/memory-toolset.ts';

/** A tool as `tool()` of the AI SDK makes it (versions 6 and 7). */
export interface MemoryTool {
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  execute(
    // biome-ignore lint/suspicious/noExplicitAny: of the type of its schema, which the AI SDK has checked.
    input: any,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ): Promise<string>;
}

/**
 * Tools over one scope for `generateText`, `streamText` and `ToolLoopAgent`: `search_memory`, `remember`, `forget` (first
 * shows what would be deleted, and requires a confirmation) and `browse_memory` (walks the categories). Each replies with
 * a short text, in which stored text is fenced as data. Failures are replies with fixed messages; a cancellation is
 * thrown.
 *
 * @throws InvalidInputError for invalid options.
 */
export function memoryTools<Name extends MemoryToolName = MemoryToolName>(
  options: MemoryToolsOptions & { readonly only?: readonly Name[] },
): Record<Name, MemoryTool> {
  const { names, tools } = memoryToolset(options);
  const made = names.map((name): readonly [MemoryToolName, MemoryTool] => {
    const { description, input, call } = tools[name];
    const execute: MemoryTool['execute'] = async (given, { toolCallId, abortSignal }) =>
      (await call(given, { signal: abortSignal, key: [null, toolCallId] })).text;
    return [name, { description, inputSchema: input, execute }];
  });
  return Object.fromEntries(made) as Record<Name, MemoryTool>;
}
