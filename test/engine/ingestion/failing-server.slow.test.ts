import { describe, expect, it } from 'vitest';
import type { ChatAsked, Fault } from '../../fakes/openai-server/script.ts';
import { boats, isReading, openReadingLab, resumed } from './reading-server.ts';

const refuse = (status: number, message = 'No.'): Fault => ({ kind: 'refuse', status, error: { message } });

const FAULTS: readonly (readonly [string, Fault])[] = [
  ...[500, 502, 503, 504, 520, 529].map((status): [string, Fault] => [
    `status ${status}`,
    { kind: 'server-error', status },
  ]),
  ...[408, 409, 425].map((status): [string, Fault] => [`status ${status}`, refuse(status)]),
  ['a request that is refused', refuse(400)],
  ['a request that cannot be processed', refuse(422)],
  ['no access to the model', refuse(403, 'Not allowed.')],
  ['a text that is flagged', refuse(403, 'Input flagged by moderation')],
  ['no endpoint', refuse(404, 'No endpoints found that support the requested parameters')],
  ['a reset', { kind: 'reset' }],
  ['a reply that breaks off', { kind: 'cut' }],
  ['a page of a proxy', { kind: 'garbled-body' }],
  ['no choices', { kind: 'no-choices' }],
  ['a filter', { kind: 'filtered' }],
];
const SLOW: readonly (readonly [string, Fault])[] = [['no answer in time', { kind: 'hang' }]];

const holds = (word: string) => (asked: ChatAsked) =>
  asked.messages.some(({ content }) => content.includes(word));

/** Ten sessions of three turns; the fault comes whenever turn 13, of session 3, is in the prompt. */
async function poisoned(fault: Fault, options: { concurrency?: number; timeout?: number } = {}) {
  const isPoison = holds('number 13 ');
  const state = { isHealed: false };
  const lab = await openReadingLab({
    ...options,
    faultOf: (asked) => (!state.isHealed && isPoison(asked) ? fault : null),
  });
  await lab.memory.add(boats(30, (at) => `s${at % 10}`));
  return { lab, state };
}

describe.each([...FAULTS, ...SLOW])('one session for which the server always fails by %s', (_, fault) => {
  const options = fault.kind === 'hang' ? { timeout: 100 } : {};

  it('is set aside; all others are consolidated', async () => {
    const { lab, state } = await poisoned(fault, options);
    await using _lab = lab;
    const { counts, pending } = await lab.memory.flush();
    expect([counts.consolidated, counts.setAside, pending]).toEqual([27, 3, 0]);
    const { enrichment } = await lab.memory.stats();
    expect(enrichment).toMatchObject({ setAside: 3, failures: [{ session: 's3', turns: 3 }] });
    // Nothing is asked for them unbidden, in this process or the next.
    const { length } = lab.server.requests;
    const memory = await lab.reopen();
    expect((await resumed(memory, false)).counts).toMatchObject({ consolidated: 0, setAside: 0 });
    expect(lab.server.requests).toHaveLength(length);
    // Tried again, they fail again; and are read when the server is well.
    expect((await resumed(memory, true)).counts).toMatchObject({ consolidated: 0, setAside: 3 });
    expect((await memory.stats()).enrichment).toMatchObject({ pending: 0, setAside: 3 });
    state.isHealed = true;
    expect((await resumed(memory, true)).counts).toMatchObject({ consolidated: 3, setAside: 0 });
    expect((await memory.stats()).enrichment).toEqual({ pending: 0, setAside: 0, failures: [] });
  });
});

it.each([1, 2, 8])('several sessions fail, the first ones, with %d requests at once', async (concurrency) => {
  const fails = [0, 1, 2, 3].map((at) => holds(`number ${at} `));
  const lab = await openReadingLab({
    concurrency,
    faultOf: (asked) => (fails.some((is) => is(asked)) ? refuse(404) : null),
  });
  await using _lab = lab;
  await lab.memory.add(boats(20, (at) => `s${at % 10}`));
  const { counts, pending } = await lab.memory.flush();
  expect([counts.consolidated, counts.setAside, pending]).toEqual([12, 8, 0]);
});

it('a session that fails while the others come later is set aside in a run in which another is read', async () => {
  const isPoison = holds('number 0 ');
  const lab = await openReadingLab({ faultOf: (asked) => (isPoison(asked) ? refuse(403) : null) });
  await using _lab = lab;
  const [first, ...others] = boats(4, (at) => `s${at}`);
  await lab.memory.add(first!);
  await expect(lab.memory.flush()).rejects.toMatchObject({ code: 'model-key' });
  expect((await lab.memory.stats()).enrichment).toMatchObject({ pending: 1, setAside: 0 });
  await lab.memory.add(others);
  expect((await lab.memory.flush()).counts).toMatchObject({ consolidated: 3, setAside: 1 });
});

it.each([
  ['status 500', { kind: 'server-error' } as Fault],
  ['no access', refuse(403)],
  ['no model', refuse(404)],
])(
  'turns that alone wait are set aside after three runs in which the server answers: %s',
  async (_, fault) => {
    const lab = await openReadingLab({ faultOf: (asked) => (isReading(asked) ? fault : null) });
    await using _lab = lab;
    await lab.memory.add(boats(4, (at) => `s${at % 2}`));
    for (const _run of [1, 2]) {
      const memory = await lab.reopen();
      await expect(memory.flush()).rejects.toThrow(/0 of 4 turns are consolidated; 4 wait/);
      expect((await memory.stats()).enrichment).toMatchObject({ pending: 4, setAside: 0, failures: [] });
    }
    const memory = await lab.reopen();
    expect((await memory.flush()).counts).toMatchObject({ consolidated: 0, setAside: 4 });
    expect((await memory.stats()).enrichment).toMatchObject({ pending: 0, setAside: 4 });
  },
);

describe('a server that fails for everything', () => {
  it.each<[string, string, Fault]>([
    ['status 500', 'model-unavailable', { kind: 'server-error' }],
    ['status 503', 'model-unavailable', { kind: 'server-error', status: 503 }],
    ['a reset', 'model-unavailable', { kind: 'reset' }],
    ['a page of a proxy', 'model-unavailable', { kind: 'garbled-body' }],
    ['no access', 'model-key', refuse(403)],
    ['a wrong key', 'model-key', refuse(401)],
    ['no model', 'unknown-model', refuse(404)],
    ['no money', 'model-quota', refuse(402)],
    ['too many requests', 'model-unavailable', { kind: 'rate-limit' }],
  ])('sets nothing aside, however often: %s', async (_, code, fault) => {
    let isDown = true;
    const lab = await openReadingLab({ faultOf: () => (isDown ? fault : null) });
    await using _lab = lab;
    await lab.memory.add(boats(4, (at) => `s${at % 2}`));
    for (const _run of [1, 2, 3, 4]) {
      await expect(lab.memory.flush()).rejects.toMatchObject({ code });
      expect((await lab.memory.stats()).enrichment).toMatchObject({ pending: 4, setAside: 0 });
    }
    isDown = false;
    expect((await lab.memory.flush()).counts).toMatchObject({ consolidated: 4, setAside: 0 });
  });

  it('after others were read says how many turns are consolidated', async () => {
    const lab = await openReadingLab({
      concurrency: 1,
      faultOf: () => (lab.asked.length < 2 ? null : refuse(401)),
    });
    await using _lab = lab;
    await lab.memory.add(boats(30, (at) => `s${at % 10}`));
    const error = await lab.memory.flush().catch((error: Error) => error);
    expect(error).toMatchObject({ code: 'model-key' });
    expect((error as Error).message).toContain('6 of 30 turns are consolidated; 24 wait');
    expect((error as Error).message).not.toMatch(/nothing of this/i);
    expect((error as Error).stack).toContain('6 of 30 turns');
  });
});

it('a good run asks once for each session, and nothing else of the server', async () => {
  const lab = await openReadingLab();
  await using _lab = lab;
  await lab.memory.add(boats(9, (at) => `s${at % 3}`));
  expect((await lab.memory.flush()).counts).toMatchObject({ consolidated: 9, facts: 9 });
  expect(lab.server.requests).toHaveLength(3);
});

describe('a prompt that is too long for the server', () => {
  it.each([
    [500, { message: 'the request exceeds the available context size. try increasing the context size' }],
    [500, { message: 'input length exceeds the context length' }],
    [
      503,
      { message: "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens" },
    ],
    [400, { message: 'Requested tokens (9000) exceed context window of 2048' }],
    [413, { message: 'Payload too large' }],
    [422, { message: 'prompt is too long: 9000 tokens > 4096 maximum' }],
    [429, { message: 'Request too large on tokens per minute (TPM): Limit 6000, Requested 9000' }],
  ])('is asked in parts after %d %j', async (status, error) => {
    const isLong = ({ messages }: ChatAsked) =>
      (messages[1]!.content.match(/^\d+ P/gm) ?? []).length > 1 || messages[1]!.content.length > 1_200;
    const lab = await openReadingLab({
      faultOf: (asked) => (isReading(asked) && isLong(asked) ? { kind: 'refuse', status, error } : null),
    });
    await using _lab = lab;
    const long = Array.from({ length: 50 }, (_, at) => `I also bought oar ${at} for it on that day.`).join(
      ' ',
    );
    const turns = boats(4).map((turn, at) =>
      at === 2 ? { ...turn, content: `${turn.content} ${long}` } : turn,
    );
    await lab.memory.add(turns);
    const { counts } = await lab.memory.flush();
    expect([counts.consolidated, counts.setAside]).toEqual([4, 0]);
    expect(counts.facts).toBeGreaterThanOrEqual(4);
  });

  it('however short it is, is set aside', async () => {
    const error = { message: 'the request exceeds the available context size' };
    const isPoison = holds('number 1 ');
    const lab = await openReadingLab({
      faultOf: (asked) => (isPoison(asked) ? { kind: 'refuse', status: 500, error } : null),
    });
    await using _lab = lab;
    await lab.memory.add(boats(3, (at) => `s${at}`));
    expect((await lab.memory.flush()).counts).toMatchObject({ consolidated: 2, setAside: 1 });
    expect((await lab.memory.stats()).enrichment.failures).toMatchObject([{ code: 'context-too-long' }]);
  });
});
