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
export function withRecursionLimit<Graph extends Limited>(graph: Graph, limit: number): Graph {
  const limited = graph.withConfig({ recursionLimit: limit }) as Graph;
  const given = (limited.streamEvents as StreamEvents).bind(limited);
  const streamEvents: StreamEvents = (input, options, ...rest) =>
    given(input, { ...options, recursionLimit: options?.recursionLimit ?? limit }, ...rest);
  return Object.assign(limited, { streamEvents });
}
