import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../../main/config.ts';
import type { ChatEvent } from '../../../main/contract.ts';
import type { ChatAsked, Said } from '../../fakes/openai-server/script.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { AppLab, taken } from './app-lab.ts';

const MOVE = { speaker: 'Ana', session: 's1', at: '2024-03-05', content: 'I moved to Lisbon last week.' };

describe('chat with a language model', () => {
  let server: ScriptedOpenAiServer;
  let lab: AppLab;
  let reply: (asked: ChatAsked) => Said | Promise<Said>;
  const userPart = ({ messages }: ChatAsked) => messages.at(-1)!.content;
  beforeAll(async () => {
    server = await ScriptedOpenAiServer.start({ reply: (asked) => reply(asked), guessesTokens: true });
    const config: Partial<Config> = {
      ...{ llmProvider: 'openai-compatible', llmModel: 'small', llmBaseUrl: `${server.url}/v1` },
    };
    lab = await AppLab.open({ config });
    await lab.client.add({ scope: 'default', turns: [MOVE] });
  });
  beforeEach(() => {
    reply = () => 'You live in Lisbon [1].';
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const turnsOf = async (session: string) =>
    (await lab.engine.scope('default').turns(session)).map(({ content }) => content);

  it('streams its words, cites, counts its use, and remembers both turns', async () => {
    const { events, text, answer } = await lab.chat('Where do I live?', { conversation: 'm1' });
    expect(events[1]).toMatchObject({ type: 'recalled', sources: expect.any(Number) });
    expect(text).toBe('You live in Lisbon [1].');
    expect(answer).toMatchObject({
      ...{ text, model: 'small', usage: { calls: 1 } },
      remembered: { decision: 'remembered', turns: [expect.any(String), expect.any(String)] },
    });
    expect(await turnsOf('m1')).toEqual(['Where do I live?', text]);
    const [row] = lab.store.file.all('SELECT * FROM usage_day');
    expect(row).toMatchObject({ model: 'small', purpose: 'chat', calls: 1 });
    const other = await lab.chat('And now?', { conversation: 'm1', model: 'large' });
    expect(other.answer.model).toBe('large');
    expect(server.requests.at(-1)!.body).toMatchObject({ model: 'large' });
    expect(lab.store.file.all('SELECT 1 FROM checkpoint')).toEqual([]);
  });

  it('knows the earlier messages of its branch, and of no other', async () => {
    const first = await lab.chat('My code word is zebra.', { conversation: 'm2' });
    const second = await lab.chat('Say more.', { conversation: 'm2' });
    expect(userPart(askedLast())).toContain('user: My code word is zebra.');
    const edited = await lab.chat('My code word is lion.', {
      ...{ conversation: 'm2', replaces: first.question },
    });
    expect(userPart(askedLast())).not.toContain('zebra');
    const { conversation, messages } = await lab.client.conversation({ conversation: 'm2' });
    expect(conversation.leaf).toBe(edited.answer.id);
    expect(messages.filter(({ parent }) => parent === null)).toHaveLength(2);
    await lab.chat('Still?', { conversation: 'm2', parent: second.answer.id });
    expect(userPart(askedLast())).toContain('zebra');
  });

  it('replaces an edited message in memory', async () => {
    reply = () => 'Noted.';
    const { question } = await lab.chat('My shoe size is 38.', { conversation: 'm3' });
    reply = () => 'Noted again.';
    await lab.chat('My shoe size is 39.', { conversation: 'm3', replaces: question });
    expect(await turnsOf('m3')).toEqual(['My shoe size is 39.', 'Noted again.']);
  });

  it('gives another answer beside the first, and memory keeps the newest', async () => {
    const { question, answer } = await lab.chat('Where do I live?', { conversation: 'm4' });
    reply = () => 'In Lisbon, of course [1].';
    const again = await taken(lab.client.regenerate({ conversation: 'm4', message: answer.id }));
    expect(again.answer).toMatchObject({ parent: question, text: 'In Lisbon, of course [1].' });
    expect(again.answer.id).not.toBe(answer.id);
    expect(await turnsOf('m4')).toEqual(['Where do I live?', 'In Lisbon, of course [1].']);
  });

  it('takes the place of an answer in memory with one that only quotes', async () => {
    reply = () => 'Noted, 38.';
    const { question } = await lab.chat('My hat size is 38.', { conversation: 'm7' });
    const said = await lab.chat('My hat size is 39.', {
      conversation: 'm7',
      replaces: question,
      tier: 'local',
    });
    expect(await turnsOf('m7')).toEqual(['My hat size is 39.', said.answer.text]);
    reply = () => 'You live in Lisbon.';
    const { answer } = await lab.chat('Where do I live?', { conversation: 'm8' });
    const again = { conversation: 'm8', message: answer.id, tier: 'local' } as const;
    const quoted = await taken(lab.client.regenerate(again));
    expect(quoted.answer.model).toBeNull();
    expect(await turnsOf('m8')).toEqual(['Where do I live?', quoted.answer.text]);
  });

  const drip = () => {
    reply = () => Array.from({ length: 400 }, (_, place) => `word${place}`).join(' ');
    server.enqueue({ says: reply({} as never) as Said, fault: { kind: 'drip', bytes: 400, everyMs: 5 } });
  };

  it('is stopped on request: what was said is kept, nothing is remembered', async () => {
    const conversation = 'stop';
    drip();
    let [text, isStopped] = ['', false];
    for await (const event of lab.client.chat({ conversation, message: 'stop-1', text: 'Talk.' })) {
      if (event.type !== 'text') continue;
      text += event.text;
      if (!text.startsWith('word0 word1') || isStopped) continue;
      isStopped = true;
      expect(await lab.client.stopAnswer({ conversation })).toEqual({ wasRunning: true });
    }
    const { messages } = await lab.client.conversation({ conversation });
    expect(messages.at(-1)).toMatchObject({ state: 'stopped', text: expect.stringMatching(/^word0 word1/) });
    expect(messages.at(-1)!.text.length).toBeLessThan(2_000);
    expect(messages.at(-1)!.remembered).toEqual({ decision: 'none', turns: [] });
    expect(await turnsOf(conversation)).toEqual([]);
    expect(await lab.client.stopAnswer({ conversation })).toEqual({ wasRunning: false });
    await expect.poll(() => server.underWay).toBe(0);
    expect((await lab.chat('Go on.', { conversation })).answer.state).toBe('complete');
  });

  it.each([
    ['leaves the stream', false],
    ['is cancelled', true],
  ])('goes on when who asked %s', async (_how, bySignal) => {
    const conversation = `leave-${bySignal}`;
    const leave = new AbortController();
    drip();
    const said = { conversation, message: `${conversation}-1`, text: 'Talk.' };
    const reading = async () => {
      for await (const event of lab.client.chat(said, { signal: leave.signal })) {
        if (event.type !== 'text') continue;
        if (!bySignal) break;
        leave.abort();
      }
    };
    if (bySignal) await expect(reading()).rejects.toMatchObject({ code: 'cancelled' });
    else await reading();
    const last = async () => (await lab.client.conversation({ conversation })).messages.at(-1)!;
    expect((await last()).state).toBe('streaming');
    await expect.poll(async () => (await last()).state).toBe('complete');
    expect((await last()).text).toMatch(/word399$/);
    await expect.poll(async () => (await last()).remembered?.decision).toBe('remembered');
  });

  it.each([
    ['refuses the key', { kind: 'refuse', status: 401 }, /key/i],
    ['breaks off', { kind: 'cut' }, /./],
  ] as const)('keeps a failure in the answer when the model %s', async (_what, fault, problem) => {
    server.enqueue({ says: 'Half of what I wanted to say about it. '.repeat(40), fault });
    const conversation = `fails-${fault.kind}`;
    const { answer } = await lab.chat('Talk.', { conversation });
    expect(answer).toMatchObject({ state: 'failed', remembered: { decision: 'none' } });
    expect(answer.problem).toMatch(problem);
    expect(answer.problem).not.toContain('Half');
    expect(await turnsOf(conversation)).toEqual([]);
  });

  it('keeps private messages from memory and from later prompts', async () => {
    await lab.chat('Hello.', { conversation: 'm5' });
    const secret = await lab.chat('My PIN is 9241.', { conversation: 'm5', isPrivate: true });
    expect(userPart(askedLast())).toContain('Memory holds nothing on it');
    expect(secret.answer.remembered).toEqual({ decision: 'private', turns: [] });
    await lab.chat('What did I say?', { conversation: 'm5' });
    expect(userPart(askedLast())).not.toContain('9241');
    await lab.chat('What did I say?', { conversation: 'm5', isPrivate: true });
    expect(userPart(askedLast())).toContain('9241');
    expect((await turnsOf('m5')).join()).not.toContain('9241');
  });

  it('refuses a second answer while one is written, and lets every window follow', async () => {
    let go: (() => void) | undefined;
    reply = () =>
      new Promise<Said>((resolve) => {
        go = () => resolve('Here.');
      });
    const changes: ChatEvent['type'][] = [];
    const first = lab.chat('One?', { conversation: 'm6' });
    await expect.poll(() => go).toBeDefined();
    await expect(lab.chat('Two?', { conversation: 'm6' })).rejects.toMatchObject({
      code: 'conversation-busy',
    });
    const { messages } = await lab.client.conversation({ conversation: 'm6' });
    expect(messages.map(({ state }) => state)).toEqual(['complete', 'streaming']);
    go!();
    changes.push(...(await first).events.map(({ type }) => type));
    expect(changes.at(-1)).toBe('done');
    expect((await lab.client.conversation({ conversation: 'm6' })).messages).toHaveLength(2);
  });

  function askedLast(): ChatAsked {
    const { body } = server.requests.at(-1)!;
    return body as unknown as ChatAsked;
  }
});
