import type { RetryPolicy } from '@langchain/langgraph';
import type { UpdateType } from '@langchain/langgraph/zod';
import type { z } from 'zod';
import type { RunConfig } from './run-context.ts';

/** The end of a run, as LangGraph names it. */
export const END = '__end__';

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
  // biome-ignore lint/suspicious/noExplicitAny: a graph does not know the state of its subgraph
  readonly graph: GraphDefinition<any, any, any, any>;
  readonly next: Next<z.output<Schema>>;
}

/**
 * A graph as data. `compileGraph` gives it to LangGraph, with checkpoints, streams and breakpoints. The engine calls the
 * steps of the nodes itself, because LangGraph would cost more than some of them (docs/graphs.md has the figures).
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

/** A channel of `hidden`. In a run of LangGraph its value is read from the run, not from the state given to the node. */
export function readHidden<State extends Readonly<Record<string, unknown>>, Key extends string & keyof State>(
  state: State,
  { configurable }: RunConfig,
  key: Key,
): State[Key] | undefined {
  const read = configurable?.[READ] as ((channel: string) => unknown) | undefined;
  return (state[key] ?? read?.(key)) as State[Key] | undefined;
}
/** LangGraph's key for a node's function that reads channels. */
const READ = '__pregel_read';
