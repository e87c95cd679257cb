import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StudioServer, startStudio, whyNoStudio } from './studio-server.ts';

const reason = await whyNoStudio();
if (reason !== null) process.stderr.write(`Studio's API is not tested: ${reason}\n`);

const NODES = {
  ingestion: ['buffer', 'plan', 'read', 'resolve', 'build', 'commit'],
  hierarchy: ['begin', 'plan', 'categorize', 'commit'],
  retrieval: ['plan', 'fuse'],
  assistant: ['recall', 'respond', 'remember'],
};
const INPUTS = { ingestion: 'turns', hierarchy: 'mode', retrieval: 'question', assistant: 'messages' };
type GraphName = keyof typeof NODES;
const NAMES = Object.keys(NODES) as GraphName[];

describe.skipIf(reason !== null)(`Studio’s API${reason === null ? '' : ` (${reason})`}`, () => {
  let server: StudioServer;
  let client: Client;
  beforeAll(async () => {
    server = await startStudio();
    client = new Client({ apiUrl: server.url, apiKey: null });
  }, 60_000);
  afterAll(() => server?.stop());

  it('lists the four graphs', async () => {
    const assistants = await client.assistants.search();
    expect(assistants.map(({ graph_id }) => graph_id).toSorted()).toEqual(NAMES.toSorted());
  });

  it.each(NAMES)('draws the %s graph, and describes its input and output', async (name) => {
    const { assistant_id: id } = (await client.assistants.search({ graphId: name }))[0]!;
    const { nodes } = await client.assistants.getGraph(id);
    expect(nodes.map((node) => node.id)).toEqual(expect.arrayContaining(NODES[name]));
    const { input_schema, state_schema } = await client.assistants.getSchemas(id);
    for (const schema of [input_schema, state_schema])
      expect(Object.keys(schema?.properties ?? {})).toContain(INPUTS[name]);
  });

  it('writes turns, and streams a retrieval step by step', async () => {
    const turns = [
      { content: 'I moved to Lisbon.', speaker: 'Ana', session: 's', at: '2024-03-05T10:00:00Z' },
    ];
    const learned = await client.runs.wait(null, 'ingestion', { input: { turns, ended: true } });
    expect(learned).toMatchObject({ consolidated: 1 });
    const steps: string[] = [];
    let evidence: readonly { readonly text: string }[] = [];
    const input = { question: 'Where did Ana move?' };
    for await (const { event, data } of client.runs.stream(null, 'retrieval', {
      input,
      streamMode: 'updates',
    })) {
      if (event !== 'updates') continue;
      for (const [step, update] of Object.entries(data as Record<string, { evidence?: typeof evidence }>)) {
        steps.push(step);
        if (update.evidence !== undefined) evidence = update.evidence;
      }
    }
    expect(steps[0]).toBe('plan');
    expect(steps).toContain('fuse');
    expect(evidence[0]?.text).toContain('I moved to Lisbon.');
  });

  it('runs the assistant to its interrupt, and resumes it', async () => {
    const { thread_id: thread } = await client.threads.create();
    const input = { messages: [{ role: 'user', content: 'Where did Ana move?' }], confirm: true };
    await client.runs.wait(thread, 'assistant', { input });
    const asked = await client.threads.getState<{ answer: string }>(thread);
    expect(asked.next).toEqual(['remember']);
    expect(asked.values.answer).toContain('Lisbon');
    expect(asked.tasks[0]?.interrupts[0]?.value).toMatchObject({ kind: 'remember' });
    const done = await client.runs.wait(thread, 'assistant', { command: { resume: 'approve' } });
    expect(done).toMatchObject({
      remembered: { decision: 'remembered', turns: [{ status: 'added' }] },
    });
    expect((await client.threads.getState(thread)).next).toEqual([]);
  });

  it('connects to this machine only', () => {
    expect(server.networkAttempts()).toBe('');
  });
});
