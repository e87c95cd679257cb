import {
  type BaseCheckpointSaver,
  type CompiledStateGraph,
  END,
  interrupt,
  type RetryPolicy,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { schemaMetaRegistry, type UpdateType } from '@langchain/langgraph/zod';
import type { z } from 'zod';
import { CancelledError } from '../src/errors/index.ts';
import { withRecursionLimit } from './recursion-limit.ts';
import type { RunConfig } from './run-context.ts';

/** Where a run goes after a node: to one node, or along labelled edges. */
export type Next<State> =
  | string
  | {
      /** One label, or several whose nodes run side by side. */
      readonly by: (state: State) => string | readonly string[];
      /** The node of each label, or END. */
      readonly to: Readonly<Record<string, string>>;
    };

export interface NodeDefinition<Schema extends z.ZodObject> {
  readonly run: (state: z.output<Schema>, config: RunConfig) => Promise<UpdateType<Schema>>;
  readonly next: Next<z.output<Schema>>;
  readonly retryPolicy?: RetryPolicy | undefined;
}

/** A node that is a graph of its own. It shares the channels of the same name. */
export interface SubgraphNode<Schema extends z.ZodObject> {
  // biome-ignore lint/suspicious/noExplicitAny: the subgraph's own state is its own matter
  readonly graph: GraphDefinition<any, any, any, any>;
  readonly next: Next<z.output<Schema>>;
}

/**
 * A graph as data. `compileGraph` gives it to LangGraph, with checkpoints, streams and breakpoints. Where LangGraph would
 * cost more than the work, `runDirectly` runs the same nodes in the same order (docs/graphs.md has the figures).
 */
export interface GraphDefinition<
  State extends z.ZodObject,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Context extends z.ZodObject = z.ZodObject,
> {
  readonly name: string;
  readonly state: State;
  /** The part of the state that a caller gives. */
  readonly input: Input;
  /** The part of the state that a caller gets. */
  readonly output: Output;
  readonly context?: Context;
  /** The node where a run begins. */
  readonly first: string;
  /**
   * Input channels that may be large. Neither streams nor the shown state have them, only checkpoints; a node reads them
   * with `readHidden`.
   */
  readonly hidden?: readonly (string & keyof State['shape'])[];
  readonly nodes: Readonly<Record<string, NodeDefinition<State> | SubgraphNode<State>>>;
  /** The most steps of one run. */
  readonly steps: number;
}

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

/**
 * Runs a definition in this call, without checkpoints and streams: nodes of one step side by side, their updates reduced
 * in their order, then the next step, as LangGraph does.
 *
 * @returns the state at the end. @throws what a node throws.
 */
export async function runDirectly<State extends z.ZodObject>(
  // biome-ignore lint/suspicious/noExplicitAny: only the state matters here
  definition: GraphDefinition<State, any, any, any>,
  input: UpdateType<State>,
  config: RunConfig,
): Promise<z.output<State>> {
  const { nodes, first } = definition;
  const channels = channelsOf(definition.state);
  let state = reduced(initial(channels), input, channels);
  for (let active: readonly string[] = [first]; active.length > 0; ) {
    if (config.signal?.aborted)
      throw new CancelledError('the run ended before its next step', config.signal.reason);
    const before = state;
    const updates = await Promise.all(active.map((name) => runNode(nodes[name]!, before, config)));
    for (const update of updates) state = reduced(state, update, channels);
    const after = active.flatMap((name) => followers(nodes[name]!.next, state as z.output<State>));
    active = [...new Set(after)].filter((name) => name !== END);
  }
  return state as z.output<State>;
}

/** A channel of `hidden`. In a run of LangGraph its value is read from the run, not from the state given to the node. */
export function readHidden<State extends Values, Key extends string & keyof State>(
  state: State,
  { configurable }: RunConfig,
  key: Key,
): State[Key] | undefined {
  const read = configurable?.[READ] as ((channel: string) => unknown) | undefined;
  return (state[key] ?? read?.(key)) as State[Key] | undefined;
}
/** LangGraph's key for the function by which a node reads channels. */
const READ = '__pregel_read';

function omitted(state: z.ZodObject, keys: readonly string[]): z.ZodObject {
  return state.omit(Object.fromEntries(keys.map((key) => [key, true])) as never);
}

type Values = Readonly<Record<string, unknown>>;
interface Channel {
  readonly name: string;
  readonly reduce: ((known: unknown, given: unknown) => unknown) | undefined;
  readonly initial: (() => unknown) | undefined;
}

async function runNode<Schema extends z.ZodObject>(
  node: NodeDefinition<Schema> | SubgraphNode<Schema>,
  state: Values,
  config: RunConfig,
): Promise<Values> {
  if (!('graph' in node)) return node.run(state as z.output<Schema>, config);
  const end: Values = await runDirectly(node.graph, picked(state, node.graph.input), config);
  return picked(end, node.graph.output);
}

function picked(values: Values, schema: z.ZodObject): Values {
  return Object.fromEntries(Object.keys(schema.shape).map((key) => [key, values[key]]));
}

function followers<State>(next: Next<State>, state: State): readonly string[] {
  if (typeof next === 'string') return [next];
  return [next.by(state)].flat().map((label) => next.to[label]!);
}

function channelsOf({ shape }: z.ZodObject): readonly Channel[] {
  return Object.entries(shape).map(([name, schema]) => {
    const meta = schemaMetaRegistry.get(schema as z.ZodType);
    return { name, reduce: meta?.reducer?.fn, initial: meta?.default };
  });
}

function initial(channels: readonly Channel[]): Values {
  return Object.fromEntries(channels.flatMap(({ name, initial }) => (initial ? [[name, initial()]] : [])));
}

function reduced(state: Values, update: Values, channels: readonly Channel[]): Values {
  const next: Record<string, unknown> = { ...state };
  for (const { name, reduce } of channels) {
    if (!(name in update)) continue;
    next[name] = reduce === undefined ? update[name] : reduce(state[name], update[name]);
  }
  return next;
}
