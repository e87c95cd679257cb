import { describe, expect, it } from 'vitest';
import type { TextPrompt } from '../../../src/model/prompt.ts';
import type { Fault } from '../../fakes/openai-server/script.ts';
import { openLab } from './model-lab.ts';

const QUESTION: TextPrompt<string> = {
  name: 'question',
  version: 1,
  render: (text) => ({ system: 'Answer.', user: text }),
};
const ANSWER = 'She moved to Oslo in the summer of 2023, and then on to Bergen with her brother Nils.';

function ask(lab: Awaited<ReturnType<typeof openLab>>) {
  const pieces: string[] = [];
  const reply = lab.model.text(QUESTION, 'Where did she move?', { onText: (piece) => pieces.push(piece) });
  return { pieces, reply };
}

describe.each(['openai', 'ollama'])('a streamed reply over %s', (backend) => {
  /** Short only if a reply is held back: a busy machine may be slow with the others. */
  const open = (timeout = 20_000) => openLab(backend, { timeout, server: { reply: () => ANSWER } });

  it.each<Fault>([
    { kind: 'rate-limit' },
    { kind: 'server-error' },
    { kind: 'reset' },
    { kind: 'hang' },
    { kind: 'empty' },
  ])('is received on a retry after $kind', async (fault) => {
    await using lab = await open(fault.kind === 'hang' ? 600 : 20_000);
    lab.server.enqueue({ fault });
    const { pieces, reply } = ask(lab);
    const { text, usage } = await reply;
    if (fault.kind === 'empty') return expect(text).toBe('');
    expect([text, pieces.join('')]).toEqual([ANSWER, ANSWER]);
    expect(usage.promptTokens).toBe(lab.server.charged.promptTokens);
    expect(usage.completionTokens).toBe(lab.server.charged.completionTokens);
  });

  it.each<Fault>([{ kind: 'cut' }, { kind: 'quiet-cut' }, { kind: 'drip', bytes: 140, everyMs: 350 }])(
    'fails without a retry when it is cut off: $kind',
    async (fault) => {
      await using lab = await open(fault.kind === 'drip' ? 1500 : 20_000);
      await lab.model.text(QUESTION, 'Ready?');
      lab.server.clear();
      lab.server.enqueue({ fault });
      const { pieces, reply } = ask(lab);
      await expect(reply).rejects.toMatchObject({ code: 'model-unavailable', attempts: 1 });
      expect(lab.server.requests).toHaveLength(1);
      expect(pieces.length).toBeGreaterThan(0);
      expect(ANSWER.startsWith(pieces.join(''))).toBe(true);
    },
  );

  it('reports that the token limit ended it', async () => {
    await using lab = await open();
    lab.server.enqueue({ fault: { kind: 'truncated', part: 0.5 } });
    expect(await ask(lab).reply).toMatchObject({
      truncated: true,
      text: expect.stringMatching(/^She moved/),
    });
  });

  it('counts tokens if the server does not', async () => {
    await using lab = await open();
    lab.server.enqueue({ fault: { kind: 'no-usage' } });
    const { usage } = await ask(lab).reply;
    expect(usage).toMatchObject({ ...lab.server.charged, calls: 1, estimated: true });
  });

  it("omits the model's reasoning", async () => {
    await using lab = await open();
    lab.server.enqueue({ says: `<think>Where was it {"a":1} again…</think>\n\n${ANSWER}` });
    const { pieces, reply } = ask(lab);
    expect([(await reply).text, pieces.join('')]).toEqual([ANSWER, ANSWER]);
  });

  it('stops with the error of its reader', async () => {
    await using lab = await openLab(backend, { server: { reply: () => ANSWER } });
    const mine = new RangeError('the page is full');
    const onText = () => {
      throw mine;
    };
    await expect(lab.model.text(QUESTION, 'Where?', { onText })).rejects.toBe(mine);
    expect(lab.server.requests).toHaveLength(1);
  });

  it('stops midway when it is cancelled', async () => {
    await using lab = await openLab(backend, { server: { reply: () => ANSWER } });
    lab.server.enqueue({ fault: { kind: 'drip', bytes: 100, everyMs: 30 } });
    const controller = new AbortController();
    const pieces: string[] = [];
    const reply = lab.model.text(QUESTION, 'Where?', {
      signal: controller.signal,
      onText: (piece) => {
        pieces.push(piece);
        controller.abort();
      },
    });
    await expect(reply).rejects.toMatchObject({ code: 'cancelled' });
    expect(pieces).toHaveLength(1);
  });
});

it('a rejection is reported, also when streaming', async () => {
  await using lab = await openLab('openai', { server: { reply: () => ANSWER } });
  lab.server.enqueue({ fault: { kind: 'filtered' } });
  await expect(ask(lab).reply).rejects.toMatchObject({ code: 'model-declined', by: 'filter' });
});
