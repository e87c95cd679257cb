import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERY_CITY, GRAPHS, type GraphName, reason, StudioLab, TRIPS, WHERE } from './studio-lab.ts';

/** What a person types, in the order of the form. */
const INPUTS: Readonly<Record<GraphName, readonly string[]>> = {
  ingestion: ['turns', 'ended', 'sessions'],
  hierarchy: ['mode'],
  retrieval: ['question'],
  assistant: ['messages', 'private'],
};
const SETTINGS: Readonly<Record<GraphName, readonly string[]>> = {
  ingestion: ['profile', 'tier'],
  hierarchy: [],
  retrieval: [
    'recipe',
    'k',
    'tier',
    'contextTokens',
    'answers',
    'minScore',
    'rewrite',
    'routeMilliseconds',
    'breakpoints',
    'asker',
    'earlier',
    'offset',
    'asOf',
    'knownAt',
  ],
  assistant: [
    ...['recipe', 'k', 'tier', 'contextTokens', 'speaker', 'confirm', 'rememberQuotes'],
    ...['session', 'recall'],
  ],
};
interface Field {
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
}
interface Schema {
  readonly properties?: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
}

describe.skipIf(reason !== null)(`Studio’s API${reason === null ? '' : ` (${reason})`}`, () => {
  let lab: StudioLab;
  beforeAll(async () => {
    lab = await StudioLab.start();
  });
  afterAll(() => lab?.stop());

  const schemasOf = async (graph: GraphName) => {
    const [assistant] = await lab.client.assistants.search({ graphId: graph });
    const schemas: object = await lab.client.assistants.getSchemas(assistant!.assistant_id);
    return schemas as Readonly<
      Record<'input_schema' | 'output_schema' | 'state_schema' | 'context_schema', Schema>
    >;
  };

  it('lists the four graphs', async () => {
    const assistants = await lab.client.assistants.search();
    expect(assistants.map(({ graph_id }) => graph_id).toSorted()).toEqual(GRAPHS.toSorted());
  });

  it.each(GRAPHS)('describes what a run of %s is given', async (graph) => {
    const { input_schema: input, context_schema: context } = await schemasOf(graph);
    expect(Object.keys(input?.properties ?? {})).toEqual(INPUTS[graph]);
    const settings = context?.properties ?? {};
    expect(Object.keys(settings)).toEqual(['scope', 'tokenBudget', ...SETTINGS[graph]]);
    for (const [name, field] of [...Object.entries(input!.properties!), ...Object.entries(settings)])
      expect(field, name).toMatchObject({ title: expect.any(String), description: expect.any(String) });
    if ('recipe' in settings)
      expect(settings.recipe!.enum).toEqual(expect.arrayContaining(['auto', 'mnemis']));
  });

  it('marks the messages of the assistant, so that Studio offers a chat', async () => {
    const { input_schema: input } = await schemasOf('assistant');
    expect(input?.properties?.messages).toMatchObject({ langgraph_type: 'messages' });
  });

  it.each(GRAPHS)('describes the state and the results of %s', async (graph) => {
    const { output_schema: output, state_schema: state } = await schemasOf(graph);
    const channels = Object.keys(state?.properties ?? {});
    expect(channels).toEqual(expect.arrayContaining(['scope', 'settings', ...INPUTS[graph]]));
    expect(channels).toEqual(expect.arrayContaining(Object.keys(output?.properties ?? {})));
    const results = INPUTS[graph].filter((name) => name !== 'messages');
    for (const name of ['scope', ...results]) expect(output?.required ?? []).not.toContain(name);
  });

  it('stores turns, and searches and answers step by step', async () => {
    const learned = await lab.run('ingestion', { input: { turns: TRIPS, ended: true } });
    expect(learned).toMatchObject({ consolidated: TRIPS.length });
    const steps = await lab.events('retrieval', { input: { question: WHERE }, streamMode: ['updates'] });
    const updates = steps.flatMap(({ event, data }) =>
      event === 'updates' ? Object.entries(data as object) : [],
    );
    expect(updates.map(([node]) => node)).toEqual([
      'read',
      'system1',
      'fuse',
      'rerank',
      'compose',
      'respond',
    ]);
    expect(updates.at(-1)![1]).toMatchObject({
      answer: { text: expect.stringContaining('moved to Lisbon') },
    });
  });

  it('runs the assistant to its interrupt, and resumes it', async () => {
    const thread = await lab.thread();
    const input = { messages: [{ role: 'user', content: WHERE }] };
    await lab.run('assistant', { input, context: { confirm: true } }, thread);
    const asked = await lab.state(thread);
    expect(asked.next).toEqual(['remember']);
    expect(asked.tasks[0]?.interrupts[0]?.value).toMatchObject({
      ...{ kind: 'remember', answer: expect.stringContaining('Lisbon') },
    });
    const done = await lab.run('assistant', { command: { resume: 'approve' } }, thread);
    expect(done).toMatchObject({ remembered: { decision: 'remembered', turns: [{ status: 'added' }] } });
    expect((await lab.state(thread)).next).toEqual([]);
  });

  it('stops at a breakpoint, and goes on without the context', async () => {
    const thread = await lab.thread();
    const request = { input: { question: EVERY_CITY }, context: { recipe: 'mnemis' } };
    await lab.run('retrieval', { ...request, interruptBefore: ['rerank'] }, thread);
    expect((await lab.state(thread)).next).toEqual(['rerank']);
    const { answer } = await lab.run('retrieval', { input: null }, thread);
    expect(answer).toEqual((await lab.run('retrieval', request)).answer);
  });

  it('connects to this machine only', () => {
    expect(lab.server.networkAttempts()).toBe('');
  });
});
