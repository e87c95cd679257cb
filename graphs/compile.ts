import {
  type BaseCheckpointSaver,
  type CompiledStateGraph,
  interrupt,
  START,
  StateGraph,
} from '@langchain/langgraph';
import type { UpdateType } from '@langchain/langgraph/zod';
import type { z } from 'zod';
import type { GraphDefinition } from './definition.ts';
import type { RunConfig } from './run-context.ts';

/** Compiles a definition for LangGraph; the graph sets the recursion limit that it needs. */
export function compileGraph<
  State extends z.ZodObject,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Context extends z.ZodObject,
>(
  definition: GraphDefinition<State, Input, Output, Context>,
  options: { readonly checkpointer?: BaseCheckpointSaver | undefined } = {},
) {
  const graph = compiled(definition, (_node, run) => run);
  if (options.checkpointer !== undefined) graph.checkpointer = options.checkpointer;
  return graph;
}

/**
 * LangGraph's breakpoints reach the nodes of the outer graph only. The nodes of a subgraph stop by themselves where the
 * settings in the state name them: an interrupt, which any resume value ends.
 */
const stoppable: Wrapped = (node, run) => (state, config) => {
  const { settings } = state as { readonly settings?: { readonly breakpoints?: readonly string[] } };
  if (settings?.breakpoints?.includes(node)) interrupt({ before: node });
  return run(state, config);
};

type Run = (state: Values, config: RunConfig) => Promise<Values>;
type Wrapped = (node: string, run: Run) => Run;

function compiled<
  State extends z.ZodObject,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Context extends z.ZodObject,
>(definition: GraphDefinition<State, Input, Output, Context>, wrapped: Wrapped) {
  const { name, state, input, output, context, first, nodes, steps, hidden = [] } = definition;
  const shown = Object.keys(state.shape).filter((channel) => !hidden.includes(channel));
  const read = hidden.length === 0 ? {} : { input: omitted(state, hidden) };
  // The nodes are checked against the definition's state; LangGraph's types do not follow a table of nodes.
  const graph = new StateGraph({ state, input, output, context } as never) as unknown as StateGraph<
    Values,
    Values,
    string
  >;
  for (const [node, { next: _, ...options }] of Object.entries(nodes))
    if ('graph' in options) graph.addNode(node, compiled(options.graph, stoppable) as never);
    else
      graph.addNode(node, wrapped(node, options.run as never) as never, {
        ...read,
        ...(options.retryPolicy && { retryPolicy: options.retryPolicy }),
      });
  graph.addEdge(START, first as never);
  for (const [node, { next }] of Object.entries(nodes))
    if (typeof next === 'string') graph.addEdge(node as never, next as never);
    else graph.addConditionalEdges(node as never, next.by as never, { ...next.to } as never);
  const runnable = withRecursionLimit(graph.compile({ name }), steps);
  runnable.streamChannels = shown;
  return runnable as unknown as CompiledStateGraph<z.output<State>, UpdateType<State>, string, Input, Output>;
}

function omitted(state: z.ZodObject, keys: readonly string[]): z.ZodObject {
  return state.omit(Object.fromEntries(keys.map((key) => [key, true])) as never);
}

type Values = Readonly<Record<string, unknown>>;

interface Limited {
  withConfig(config: { recursionLimit: number }): unknown;
  readonly streamEvents: unknown;
}

type StreamEvents = (
  input: unknown,
  options?: { readonly recursionLimit?: number },
  ...rest: readonly unknown[]
) => unknown;

/**
 * The graph with the limit of steps that it needs, where the caller gives none. LangGraph's server calls `streamEvents`
 * with `recursionLimit: undefined`, which would replace the limit of `withConfig` by the default of 25.
 */
function withRecursionLimit<Graph extends Limited>(graph: Graph, limit: number): Graph {
  const limited = graph.withConfig({ recursionLimit: limit }) as Graph;
  const given = (limited.streamEvents as StreamEvents).bind(limited);
  const streamEvents: StreamEvents = (input, options, ...rest) =>
    given(input, { ...options, recursionLimit: options?.recursionLimit ?? limit }, ...rest);
  return Object.assign(limited, { streamEvents });
}
