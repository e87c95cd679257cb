import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomConversation } from '../../engine/ingestion/random-conversation.ts';
import { seededRandom } from '../../search/random.ts';
import { EVERY_CITY, type GraphName, reason, StudioLab, TRIPS, type Values, WHERE } from './studio-lab.ts';

const TURNS = randomConversation(seededRandom(7), { turns: 40, sessions: 3 });
const FIRST_SESSION = TURNS.filter(({ session }) => session === 's0').length;
const NO_EVIDENCE = { episodes: [], facts: [], entities: [] };
/** One process of the server serves all; each case has a scope of its own. */

interface Fork {
  readonly values: (state: Values) => Values;
  readonly leads: (values: Values, scope: string) => void | Promise<void>;
}

interface Debugged {
  readonly input: Values;
  readonly context: Values;
  readonly prepare?: (scope: string) => Promise<unknown>;
  /** What must be equal, however the run was interrupted. */
  readonly result: (values: Values) => unknown;
  /** What must be equal in memory. */
  readonly memory?: (scope: string) => Promise<unknown>;
  /** What a replay of a complete run may not do. */
  readonly replayed: (values: Values, plain: Values) => void;
  /** Each node, with the change of state before it and what that changes. */
  readonly nodes: Readonly<Record<string, Fork>>;
}

describe.skipIf(reason !== null)('a breakpoint at every node', () => {
  let lab: StudioLab;
  beforeAll(async () => {
    lab = await StudioLab.start();
  });
  afterAll(() => lab?.stop());

  const ingest = (scope: string, turns: readonly object[] = TRIPS) =>
    lab.run('ingestion', { input: { turns, ended: true }, context: { scope } });
  const pick =
    (...names: readonly string[]) =>
    (values: Values) =>
      Object.fromEntries(names.map((name) => [name, values[name]]));

  const editedQuestion: Fork = {
    values: () => ({ question: WHERE }),
    leads: ({ answer }) => expect(answer).toMatchObject({ text: expect.stringMatching(/moved to Lisbon/) }),
  };
  const noEvidence: Fork = {
    values: () => ({ evidence: NO_EVIDENCE }),
    leads: ({ answer }) => expect(answer).toMatchObject({ answered: false, citations: [] }),
  };
  const allDone: Fork['leads'] = ({ consolidated }) => expect(consolidated).toBe(TURNS.length);
  const withoutFirst = (name: string): Fork => ({
    values: (state) => ({ [name]: (state[name] as unknown[]).slice(1) }),
    leads: allDone,
  });
  const rebuilt: Fork = {
    values: () => ({ mode: 'rebuild' }),
    leads: (values) => expect(values).toMatchObject({ mode: 'rebuild', created: expect.any(Number) }),
  };

  const CASES: Readonly<Record<GraphName, Debugged>> = {
    retrieval: {
      ...{ input: { question: EVERY_CITY }, context: { recipe: 'everything' } },
      prepare: async (scope) => {
        await ingest(scope);
        await lab.run('hierarchy', { input: {}, context: { scope } });
      },
      result: ({ evidence, answer }) => ({ evidence, text: (answer as Values).text }),
      replayed: ({ evidence, answer }, plain) =>
        expect({ evidence, answer }).toEqual(pick('evidence', 'answer')(plain)),
      nodes: {
        read: editedQuestion,
        system1: editedQuestion,
        system2: editedQuestion,
        pagerank: editedQuestion,
        topics: editedQuestion,
        traversal: editedQuestion,
        fuse: editedQuestion,
        rerank: editedQuestion,
        compose: noEvidence,
        respond: noEvidence,
      },
    },
    ingestion: {
      ...{ input: { turns: TURNS, ended: true }, context: {} },
      result: pick(
        'outcomes',
        'consolidated',
        'segments',
        'entities',
        'facts',
        'repeated',
        'outdated',
        'setAside',
      ),
      memory: async (scope) => [
        await lab.counts(scope, TURNS),
        pick('outcomes', 'consolidated')(await ingest(scope, TURNS)),
        await lab.counts(scope, TURNS),
      ],
      replayed: ({ stopped, setAside }) => expect([stopped, setAside]).toEqual([null, 0]),
      nodes: {
        buffer: {
          values: () => ({ turns: TURNS.slice(0, 5) }),
          leads: (values) => expect(values).toMatchObject({ outcomes: { added: 5 }, consolidated: 5 }),
        },
        plan: {
          values: ({ settings }) => ({ settings: { ...(settings as Values), sessions: ['s0'] } }),
          leads: ({ consolidated }) => expect(consolidated).toBe(FIRST_SESSION),
        },
        read: withoutFirst('units'),
        resolve: withoutFirst('batch'),
        build: withoutFirst('batch'),
        commit: withoutFirst('batch'),
      },
    },
    hierarchy: {
      ...{ input: { mode: 'update' }, context: {} },
      prepare: ingest,
      result: pick('created', 'dissolved', 'renamed', 'placed', 'stale', 'layers', 'stoppedBy'),
      memory: async (scope) => {
        const { created, placed, layers } = await lab.run('hierarchy', { input: {}, context: { scope } });
        const context = { scope, recipe: 'system2', answers: false };
        const { routes } = await lab.run('retrieval', { input: { question: EVERY_CITY }, context });
        const { found, walk } = (routes as Record<string, Values>)['0']!;
        return { created, placed, layers, found, walk };
      },
      replayed: ({ stoppedBy }, plain) => expect(stoppedBy).toBe(plain.stoppedBy),
      nodes: { begin: rebuilt, plan: rebuilt, categorize: rebuilt, commit: rebuilt },
    },
    assistant: {
      input: { messages: [{ id: 'asked', role: 'user', content: WHERE }] },
      context: { rememberQuotes: true },
      prepare: ingest,
      result: ({ messages, evidence, citations, remembered }) => ({
        messages: (messages as Values[]).map(({ type, content }) => [type, content]),
        evidence: Object.values(evidence as Record<string, unknown[]>).map(({ length }) => length),
        citations: (citations as Values[]).map(({ number, quote }) => [number, quote]),
        remembered: (remembered as { turns: Values[] }).turns.length,
      }),
      memory: (scope) => lab.counts(scope, TRIPS),
      // A replayed search finds what was remembered since, so the answer may be a new version.
      replayed: ({ remembered }) =>
        expect((remembered as { turns: Values[] }).turns.map(({ status }) => status)).not.toContain('added'),
      nodes: {
        recall: {
          values: () => ({ messages: [{ id: 'asked', role: 'user', content: 'Who is Nora?' }] }),
          leads: ({ messages }) =>
            expect((messages as Values[])[1]!.content).toEqual(expect.stringMatching(/sister Nora/)),
        },
        respond: {
          values: () => ({ evidence: NO_EVIDENCE }),
          leads: (values) => expect(values).toMatchObject({ citations: [] }),
        },
        remember: {
          values: ({ messages }) => ({
            messages: [{ ...(messages as Values[])[1], content: 'To Porto, in winter.' }],
          }),
          leads: async (_values, scope) => {
            const context = { scope, recipe: 'system1-rag' };
            const asked = await lab.run('retrieval', { input: { question: 'Where in winter?' }, context });
            expect(asked.answer).toMatchObject({ text: expect.stringMatching(/To Porto, in winter/) });
          },
        },
      },
    },
  };
  const names = Object.keys(CASES) as GraphName[];
  const each = names.flatMap((graph) =>
    Object.keys(CASES[graph].nodes).map((node) => [graph, node] as const),
  );

  it.each(names)('is tried for every node that is drawn: %s', async (graph) => {
    const [assistant] = await lab.client.assistants.search({ graphId: graph });
    const { nodes } = await lab.client.assistants.getGraph(assistant!.assistant_id);
    const inner = nodes.map(({ id }) => String(id)).filter((id) => !id.startsWith('__'));
    expect(inner.toSorted()).toEqual(Object.keys(CASES[graph].nodes).toSorted());
  });

  /** What runs that nothing interrupted give, one for each graph. */
  const plainOf = new Map<GraphName, Promise<{ values: Values; memory: unknown }>>();
  const plain = (graph: GraphName) => {
    const scope = `${graph} plain`;
    const made = async () => {
      const { input, context, prepare, memory } = CASES[graph];
      await prepare?.(scope);
      const values = await lab.run(graph, { input, context: { ...context, scope } });
      const stored = await memory?.(scope);
      if (graph === 'ingestion') expect(stored).toMatchObject([{ episodes: TURNS.length }, {}, {}]);
      return { values, memory: stored };
    };
    if (!plainOf.has(graph)) plainOf.set(graph, made());
    return plainOf.get(graph)!;
  };

  it.concurrent.each(each)(
    '%s stops before %s, goes on without its context, and replays',
    async (graph, node) => {
      const { input, context: settings, prepare, result, memory, replayed, nodes } = CASES[graph];
      const undisturbed = await plain(graph);
      const isFirst = Object.keys(nodes)[0] === node;
      const scope = `${graph} ${node}`;
      const context = { ...settings, scope };
      await prepare?.(scope);
      const thread = await lab.thread();
      await lab.run(graph, { input, context, interruptBefore: [node] }, thread);
      expect((await lab.state(thread)).next).toContain(node);
      // Before the first node has run, only the context says whose memory it is.
      const resumed = await lab.run(graph, { input: null, ...(isFirst && { context }) }, thread);
      expect(result(withoutIds(resumed))).toEqual(result(withoutIds(undisturbed.values)));
      const { state } = await lab.before(thread, node);
      const again = { input: null, checkpoint: state.checkpoint, ...(isFirst && { context }) };
      replayed(await lab.run(graph, again, thread), resumed);
      expect((await lab.state(thread)).next).toEqual([]);
      expect(await memory?.(scope)).toEqual(undisturbed.memory);
    },
  );

  it.concurrent.each(each)('%s goes on from edited values before %s', async (graph, node) => {
    const { input, context: settings, prepare, nodes } = CASES[graph];
    const scope = `${graph} fork ${node}`;
    const context = { ...settings, scope };
    await prepare?.(scope);
    const thread = await lab.thread();
    await lab.run(graph, { input, context, interruptBefore: [node] }, thread);
    const moment = await lab.before(thread, node);
    const checkpoint = await lab.fork(thread, moment, nodes[node]!.values(moment.state.values));
    const forked = await lab.run(graph, { input: null, checkpoint, context }, thread);
    await nodes[node]!.leads(forked, scope);
  });
});

/** Rows have other ids in another scope: evidence is compared by its numbers. */
function withoutIds(values: Values): Values {
  const { evidence } = values as { evidence?: Record<string, unknown[]> };
  if (evidence === undefined) return values;
  const lengths = Object.entries(evidence).map(([kind, { length }]) => [kind, Array(length).fill('')]);
  return { ...values, evidence: Object.fromEntries(lengths) };
}
