import type { UpdateType } from '@langchain/langgraph/zod';
import type { z } from 'zod';
import { CancelledError } from '../src/errors/index.ts';
import { channelMeta } from './channels.ts';
import {
  END,
  type GraphDefinition,
  type Next,
  type NodeDefinition,
  type SubgraphNode,
} from './definition.ts';
import type { RunConfig } from './run-context.ts';

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
    const meta = channelMeta(schema as z.ZodType);
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
