import { MemoryFiles, type MemoryFilesOptions } from '../tools/memory-files/memory-files.ts';

/** What `anthropic.tools.memory_20250818` of `@ai-sdk/anthropic` takes. */
export interface MemoryFileTool {
  execute(command: object, options?: { readonly abortSignal?: AbortSignal | undefined }): Promise<string>;
}

/**
 * Anthropic's memory tool over one scope: `anthropic.tools.memory_20250818(memoryFiles({ memory }))`. Files that the
 * model writes under `/memories` are turns of memory; `about`, `topics` and `days` are made by memory and read-only. A
 * failure is a reply too; a cancellation is thrown.
 *
 * @throws InvalidInputError for invalid options.
 */
export function memoryFiles(options: MemoryFilesOptions): MemoryFileTool {
  const files = new MemoryFiles(options);
  return { execute: (command, { abortSignal } = {}) => files.run(command, { signal: abortSignal }) };
}
