import { type Checkpoint, Client, type ThreadState } from '@langchain/langgraph-sdk';
import { type StudioOptions, type StudioServer, startStudio, whyNoStudio } from './studio-server.ts';

export const GRAPHS = ['ingestion', 'hierarchy', 'retrieval', 'assistant'] as const;
export type GraphName = (typeof GRAPHS)[number];
export type Values = Readonly<Record<string, unknown>>;

export interface RunRequest {
  /** Null goes on: where the thread stopped, or at `checkpoint`. */
  readonly input?: Values | null;
  readonly context?: Values;
  readonly interruptBefore?: string[];
  readonly checkpoint?: Pick<Checkpoint, 'checkpoint_id' | 'checkpoint_ns'> | null;
  readonly command?: { readonly resume: unknown };
}

/** One checkpoint of a thread, with the node whose update a fork of it replaces. */
export interface Moment {
  readonly state: ThreadState<Values>;
  readonly asNode: string;
}

/** Why the tests of this file are skipped; null where they run. */
export const reason = await whyNoStudio();
if (reason !== null) process.stderr.write(`Studio's API is not tested: ${reason}\n`);

/** A dev server and a client of its API. */
export class StudioLab {
  readonly server: StudioServer;
  readonly client: Client;

  private constructor(server: StudioServer) {
    this.server = server;
    this.client = new Client({ apiUrl: server.url, apiKey: null });
  }

  static async start(options?: StudioOptions): Promise<StudioLab> {
    return new StudioLab(await startStudio(options));
  }

  async thread(): Promise<string> {
    return (await this.client.threads.create()).thread_id;
  }

  /** Runs a graph to its end or to a breakpoint, on a thread that is removed afterwards if none is named. */
  async run(graph: GraphName, request: RunRequest, thread: string | null = null): Promise<Values> {
    const payload = request as Parameters<typeof this.client.runs.wait>[2];
    const values =
      thread === null
        ? await this.client.runs.wait(null, graph, payload)
        : await this.client.runs.wait(thread, graph, payload);
    return values as Values;
  }

  /** Every event of a run, as mode and data. */
  async events(
    graph: GraphName,
    request: RunRequest & { readonly streamMode: readonly string[]; readonly streamSubgraphs?: boolean },
    thread: string | null = null,
  ): Promise<{ readonly event: string; readonly data: unknown }[]> {
    const payload = request as Parameters<typeof this.client.runs.stream>[2];
    const stream =
      thread === null
        ? this.client.runs.stream(null, graph, payload)
        : this.client.runs.stream(thread, graph, payload);
    const events = [];
    for await (const { event, data } of stream)
      events.push({ event: event as string, data: data as unknown });
    return events;
  }

  state(thread: string): Promise<ThreadState<Values>> {
    return this.client.threads.getState<Values>(thread);
  }

  /** All checkpoints, the newest first. */
  history(thread: string): Promise<ThreadState<Values>[]> {
    return this.client.threads.getHistory<Values>(thread, { limit: 1_000 });
  }

  /** The newest checkpoint before a node. */
  async before(thread: string, node: string): Promise<Moment> {
    const history = await this.history(thread);
    const state = history.find(({ next }) => next.includes(node));
    if (state === undefined) throw new Error(`The thread has no checkpoint before ${node}`);
    const parent = history.find(
      ({ checkpoint }) => checkpoint.checkpoint_id === state.parent_checkpoint?.checkpoint_id,
    );
    return { state, asNode: parent?.next[0] ?? '__start__' };
  }

  /** A checkpoint with other values, as Studio makes it when a state is edited. */
  async fork(thread: string, { state, asNode }: Moment, values: Values): Promise<Checkpoint> {
    const update = { values, asNode, checkpoint: state.checkpoint };
    // The client's types name another reply than the server's.
    const forked: object = await this.client.threads.updateState(thread, update);
    return (forked as { readonly checkpoint: Checkpoint }).checkpoint;
  }

  /** How many rows of each kind, up to 200, a search for the words of these turns finds in a scope. */
  async counts(scope: string, turns: readonly { readonly content: unknown }[]): Promise<unknown> {
    const question = [...new Set(turns.map(({ content }) => content))].join(' ').slice(0, 4_000);
    const context = { scope, recipe: 'auto', answers: false };
    const { fused } = await this.run('retrieval', { input: { question }, context });
    const { best: _, ...counts } = fused as Values;
    return counts;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}

const CITIES = ['Lisbon', 'Oslo', 'Rome', 'Lima', 'Ghent', 'Bergen', 'Porto'];

/** A small memory with a hierarchy: what Ana said. */
export const TRIPS = [
  { content: 'I moved to Lisbon.', speaker: 'Ana', session: 's1', index: 0, at: '2024-03-05T10:00:00Z' },
  ...CITIES.map((city, day) => ({
    content: `I visited ${city} with my sister Nora.`,
    ...{ speaker: 'Ana', session: `trip ${city}`, index: 0, at: `2024-04-0${day + 1}T10:00:00Z` },
  })),
];
export const EVERY_CITY = 'Which cities has Ana visited?';
export const WHERE = 'Where did Ana move?';
