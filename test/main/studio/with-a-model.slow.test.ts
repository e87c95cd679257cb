import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { randomConversation } from '../../engine/ingestion/random-conversation.ts';
import type { ChatAsked, Said } from '../../fakes/openai-server/script.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { seededRandom } from '../../search/random.ts';
import { EVERY_CITY, type GraphName, reason, StudioLab, TRIPS, type Values, WHERE } from './studio-lab.ts';
import { towns } from './towns.ts';

const SAYS = 'You live in Lisbon [2], they say [2].';
const SHOWN = 'You live in Lisbon [1], they say [1].';
/** Measured: under 100 ms. A busy machine takes longer. */
const STOPS_WITHIN = 5_000;
const QUIET_FOR = 2_000;
const MANY = 'many entities';

describe.skipIf(reason !== null)('with a language model, in Studio', () => {
  let lab: StudioLab;
  let model: ScriptedOpenAiServer;
  let isSlow = false;
  const never = new Promise<Said>(() => undefined);

  beforeAll(async () => {
    model = await ScriptedOpenAiServer.start({ reply: (asked) => (isSlow ? never : replyTo(asked)) });
    const environment = {
      ...{ MNEMIS_LLM_PROVIDER: 'openai-compatible', MNEMIS_LLM_MODEL: 'test-model', MNEMIS_TIER: 'llm' },
      MNEMIS_LLM_BASE_URL: `${model.url}/v1`,
    };
    lab = await StudioLab.start({ environment, prepare: withHierarchy });
  });
  afterEach(() => {
    isSlow = false;
    model.clear();
  });
  afterAll(async () => {
    await lab?.stop();
    await model?.[Symbol.asyncDispose]();
  });

  const until = async (isSo: () => boolean) => {
    for (const end = performance.now() + 60_000; !isSo(); await wait(2))
      if (performance.now() > end) throw new Error('It did not happen within a minute');
  };

  const SLOW: readonly (readonly [string, GraphName, Values, Values])[] = [
    [
      'ingestion',
      'ingestion',
      { turns: randomConversation(seededRandom(7), { turns: 60, sessions: 3 }), ended: true },
      { scope: 'talk' },
    ],
    ['hierarchy', 'hierarchy', { mode: 'rebuild' }, { scope: MANY }],
    ['retrieval, in Global Selection', 'retrieval', { question: EVERY_CITY }, { recipe: 'mnemis' }],
    ['retrieval, in its answer', 'retrieval', { question: WHERE }, { recipe: 'system1' }],
    ['assistant', 'assistant', { messages: [{ role: 'user', content: WHERE }] }, {}],
  ];

  it.each(SLOW)('a cancel of %s ends its calls, and no other begins', async (name, graph, input, context) => {
    isSlow = true;
    const thread = await lab.thread();
    const { run_id } = await lab.client.runs.create(thread, graph, { input, context });
    await until(() => model.underWay > 0);
    await wait(200);
    const { length } = model.requests;
    const at = performance.now();
    const cancelled = lab.client.runs.cancel(thread, run_id, true);
    await until(() => model.underWay === 0);
    const took = Math.max(...model.requests.map(({ ended }) => ended! - at));
    process.stderr.write(`${name}: ${length} requests ended ${Math.round(took)} ms after the cancel\n`);
    expect(took).toBeGreaterThan(0);
    expect(took).toBeLessThan(STOPS_WITHIN);
    await cancelled;
    await wait(QUIET_FOR);
    expect(model.requests).toHaveLength(length);
    isSlow = false;
    const resumed = await lab.run(graph, { input: null, context }, thread);
    expect((await lab.state(thread)).next).toEqual([]);
    expect(Object.keys(resumed).length).toBeGreaterThan(0);
  });

  it('builds a hierarchy of more than 900 entities without a limit of steps', async () => {
    const thread = await lab.thread();
    const events = await lab.events(
      'hierarchy',
      { input: { mode: 'rebuild' }, context: { scope: MANY }, streamMode: ['updates'] },
      thread,
    );
    const steps = events.filter(({ event }) => event === 'updates').length;
    const { values } = await lab.state(thread);
    process.stderr.write(`many entities: ${steps} steps, ${values.layers} layers\n`);
    expect(steps).toBeGreaterThan(25);
    expect(values).toMatchObject({ stoppedBy: expect.any(String), layers: expect.any(Number) });
  });

  describe('streams an answer once, with the final numbers of its citations', () => {
    const ask = (mode: string, thread: string) =>
      lab.events(
        'assistant',
        {
          input: { messages: [{ id: 'asked', role: 'user', content: WHERE }] },
          context: { scope: 'default' },
          streamMode: [mode],
        },
        thread,
      );
    const answerOf = async (thread: string) =>
      ((await lab.state(thread)).values.messages as { id: string; content: string }[]).at(-1)!;

    it('as pieces of one message: messages-tuple', async () => {
      const thread = await lab.thread();
      const events = await ask('messages-tuple', thread);
      const pieces = events.flatMap(({ event, data }) =>
        event === 'messages' ? [(data as [{ id: string; content: string }])[0]] : [],
      );
      const answer = await answerOf(thread);
      expect(answer.content).toBe(SHOWN);
      expect(new Set(pieces.map(({ id }) => id))).toEqual(new Set([answer.id]));
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.map(({ content }) => content).join('')).toBe(SHOWN);
    });

    it('as a message that grows: messages', async () => {
      const thread = await lab.thread();
      const events = await ask('messages', thread);
      type Shown = { id: string; type: string; content: string };
      const shown = (name: string) =>
        events.flatMap(({ event, data }) => (event === name ? (data as Shown[]) : []));
      const answer = await answerOf(thread);
      const partial = shown('messages/partial');
      expect(partial.length).toBeGreaterThan(1);
      expect(new Set(partial.map(({ id }) => id))).toEqual(new Set([answer.id]));
      for (const { content } of partial) expect(SHOWN.startsWith(content), content).toBe(true);
      expect(partial.at(-1)!.content).toBe(SHOWN);
      const complete = shown('messages/complete').filter(({ type }) => type === 'ai');
      expect(complete.map(({ id, content }) => [id, content])).toEqual([[answer.id, SHOWN]]);
    });
  });
});

async function withHierarchy(path: string): Promise<void> {
  await using engine = await Mnemis.open({ path, automatic: false });
  for (const [scope, turns] of [
    ['default', TRIPS],
    [MANY, towns(700)],
  ] as const) {
    const memory = engine.scope(scope);
    await memory.add(turns);
    await memory.flush();
  }
}

/** Groups nodes by their first letter, picks the first of a list, and answers. Other prompts get an empty reply. */
function replyTo({ messages }: ChatAsked): Said {
  const [system = '', user = ''] = messages.map(({ content }) => content);
  if (system.includes('category tree')) return groups(user);
  if (system.includes('You are the assistant')) return SAYS;
  if (system.includes('You answer a question')) return 'HOLDS\nLisbon [1]';
  return {};
}

function groups(user: string): Said {
  const letters = new Map<string, number[]>();
  for (const [, number, letter] of user.matchAll(/^(\d+) (\w)/gm))
    letters.set(letter!, [...(letters.get(letter!) ?? []), Number(number)]);
  return {
    categories: [...letters].map(([letter, nodes]) => ({
      category: `Group ${letter}`,
      tags: [letter],
      nodes,
    })),
  };
}
