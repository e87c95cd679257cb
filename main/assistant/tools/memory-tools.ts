import { z } from 'zod';
import { SEARCH_MEMORY, searchMemoryTool } from '../../../graphs/assistant/assistant-tools.ts';
import type { Mnemis } from '../../../src/engine.ts';
import { AGENT_TOKENS } from '../../../src/model/options.ts';
import { toolContext } from '../../../src/tools/agent-tool.ts';
import { browseMemory } from '../../../src/tools/browse-memory.ts';
import type { ServerTool } from './server-connection.ts';

/** The person sees these as tools of "Memory". They only read, and what they do stays the same within a version. */
export const MEMORY_TOOLS: readonly ServerTool[] = [
  { ...searchMemoryTool, title: 'Search memory', digest: SEARCH_MEMORY },
  {
    name: browseMemory.name,
    title: browseMemory.title,
    description: browseMemory.description,
    input: z.toJSONSchema(browseMemory.input) as ServerTool['input'],
    digest: browseMemory.name,
  },
];

/** The text that the model reads of a category. @throws MnemisError */
export async function browse(
  engine: Mnemis,
  scope: string,
  { args, signal }: { readonly args: unknown; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const { hierarchy } = engine.scope(scope);
  const memory = {
    scope,
    tree: async (part: Parameters<typeof hierarchy.tree>[0]) => ({ nodes: await hierarchy.tree(part) }),
  };
  // It only reads: what it would write as stays unused.
  const context = toolContext<'tree'>(memory, {
    ...{ contextTokens: AGENT_TOKENS, session: '', role: 'assistant', trust: 'low', source: '' },
    ...{ author: '', confirmationMinutes: 1, clock: Date.now },
  });
  const input = browseMemory.input.catch({}).parse(args);
  return (await browseMemory.run(input, context, { signal, key: null, progress: () => undefined })).text;
}
