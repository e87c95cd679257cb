import type { ToolMemory } from '../../src/tools/agent-tool.ts';
import { EngineReplyError } from '../client/errors.ts';
import type { MemoryClient } from '../contract.ts';
import type { ServerSettings } from './server-options.ts';

/** One scope of a client, as the memory that the tools use. */
export function clientMemory(client: MemoryClient, settings: ServerSettings): ToolMemory {
  const { scope, recipe, tokenBudget } = settings;
  return {
    scope,
    search: (query, { signal, ...options }) =>
      client.search({ scope, query, recipe, tokenBudget, ...options }, { signal }),
    ask: async (question, { signal, onEvent, earlier, ...options }) => {
      const input = { scope, question, recipe, tokenBudget, ...options, earlier: earlier && [...earlier] };
      const events = client.ask(input, { signal });
      return (await lastOf(events, 'answer', onEvent)).answer;
    },
    add: async (turn, { signal }) => {
      const added = await client.add({ scope, turns: [turn] }, { signal });
      if (added.outcomes.length === 0) throw new EngineReplyError();
      return added;
    },
    resume: ({ signal, onEvent }) =>
      lastOf(client.resume({ scope, tokenBudget }, { signal }), 'done', onEvent),
    tree: (part, { signal }) => client.tree({ scope, ...part, summaries: true }, { signal }),
    stats: ({ signal }) => client.stats({ scope }, { signal }),
    previewForget: (target, { signal, quotations }) =>
      client.previewForget({ scope, target, quotations }, { signal }),
    forget: (target, { signal, onEvent, ...options }) =>
      lastOf(client.forget({ scope, target, ...options }, { signal }), 'done', onEvent),
  };
}

/**
 * Returns the last event; passes earlier ones to the listener. @throws EngineReplyError if the last event is missing.
 */
async function lastOf<Event extends { readonly type: string }, Type extends Event['type']>(
  events: AsyncIterable<Event>,
  type: Type,
  onEvent: (event: Event) => void,
): Promise<Extract<Event, { readonly type: Type }>> {
  for await (const event of events)
    if (event.type === type) return event as Extract<Event, { readonly type: Type }>;
    else onEvent(event);
  throw new EngineReplyError();
}
