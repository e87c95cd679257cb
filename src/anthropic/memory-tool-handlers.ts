import { MemoryFiles, type MemoryFilesOptions } from '../tools/memory-files/memory-files.ts';

/** The six commands of Anthropic's memory tool, as `betaMemoryTool` of `@anthropic-ai/sdk` takes them. */
export type MemoryToolHandlers = {
  readonly [Name in 'view' | 'create' | 'str_replace' | 'insert' | 'delete' | 'rename']: (
    command: object,
  ) => Promise<string>;
};

/**
 * Handlers for `betaMemoryTool(...)` of `@anthropic-ai/sdk/helpers/beta/memory` over one scope. Files that the model
 * writes under `/memories` are turns of memory; `about`, `topics` and `days` are made by memory and read-only. Each
 * returns the text that Anthropic documents for the command, for a failure too.
 *
 * @throws InvalidInputError for invalid options.
 */
export function memoryToolHandlers(options: MemoryFilesOptions): MemoryToolHandlers {
  const files = new MemoryFiles(options);
  const run = (command: object) => files.run(command);
  return { view: run, create: run, str_replace: run, insert: run, delete: run, rename: run };
}
