import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { Mnemis } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { MnemisChatMessageHistory, MnemisRetriever } from '../../../src/langchain/index.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { CONVERSATION, shown } from '../../contract/chat-history.ts';
import { freshPath, graphOf, turn } from '../../engine/memory-fixture.ts';

const embedder = new HashingEmbedder({ analyze, dimension: 32 });
let engine: Mnemis;
let memory: MemoryScope;
let count = 0;
beforeAll(async () => {
  engine = await Mnemis.open({ path: ':memory:', embedder, automatic: false, neverRemember: ['Voldemort'] });
});
beforeEach(() => {
  memory = engine.scope(`scope-${++count}`);
});
afterAll(() => engine.close());

const history = (options: object = {}, scope = memory) =>
  new MnemisChatMessageHistory({ memory: scope, session: 'chat', ...options });
const saved = async (...messages: BaseMessage[]) => {
  await history().addMessages(messages);
  return history().getMessages();
};
const storedTurns = async (scope = memory) => (await graphOf(scope)).nodes.episode;

describe('a message as a turn', () => {
  it('has a speaker, a time and a trust', async () => {
    const at = () => '2024-05-01T10:00:00Z';
    await history({ speaker: 'Ann', assistant: 'Robo', at }).addMessages([
      new HumanMessage('I moved to Oslo.'),
      new AIMessage('How nice!'),
      new HumanMessage({ content: 'So did I.', name: 'Bea' }),
      new ToolMessage({ content: 'Rain', tool_call_id: '1', name: 'get_weather' }),
    ]);
    expect(await storedTurns()).toMatchObject([
      { speaker: 'Ann', role: 'user', session: 'chat', index: 0, validAt: Date.UTC(2024, 4, 1, 10) },
      { speaker: 'Robo', role: 'assistant', trust: 'low', index: 1 },
      { speaker: 'Bea', role: 'user', trust: 'normal', index: 2 },
      { speaker: 'tool', role: 'tool', trust: 'low', index: 3 },
    ]);
    const names = (await history().getMessages()).map(({ name }) => name);
    expect(names).toEqual([undefined, undefined, 'Bea', 'get_weather']);
  });

  it('is found by its words, not by its other fields', async () => {
    await history().addMessages([...CONVERSATION]);
    const found = await new MnemisRetriever({ memory, k: 3 }).invoke('rain in Oslo');
    expect(found[0]?.pageContent).toMatch(/Rain in Oslo|Oslo/);
    const all = await memory.search('finish_reason some-model application json', {
      recipe: 'system1-lexical',
    });
    expect(all.episodes).toEqual([]);
    const picture = await memory.search('oslo.png', { recipe: 'system1-lexical' });
    expect(picture.episodes[0]?.attachments).toMatchObject([{ kind: 'image' }, { description: '' }]);
    const plain = (await storedTurns()).filter(({ content }) => content === 'You are kind.');
    expect(plain).toMatchObject([{ attachments: [] }]);
  });

  it('loses its secrets and keeps the rest', async () => {
    const key = 'AKIAIOSFODNN7EXAMPLE';
    const args = { user: 'ann', password: 'hunter2hunter2', nested: [{ text: `the key ${key}` }] };
    const calling = new AIMessage({
      ...{ content: `Use ${key}.`, id: 'a' },
      tool_calls: [{ id: 'c', name: 'login', args }],
    });
    const [found] = (await saved(calling)) as [AIMessage];
    expect(found.tool_calls).toMatchObject([{ id: 'c', name: 'login', args: { user: 'ann' } }]);
    expect(JSON.stringify([shown(found), await storedTurns()])).not.toMatch(/AKIA|hunter2/);
    expect(found.content).toMatch(/^Use \[redacted: /);
  });

  it('may be long: only text beyond the limit is omitted, and marked', async () => {
    const unicode = '你好👩‍👩‍👧‍👦 '.repeat(2_000);
    const long = new AIMessage({ content: 'See there.', additional_kwargs: { unicode } });
    expect((await saved(long)).map(shown)).toEqual([shown(long)]);
    const picture = `data:image/png;base64,${'A'.repeat(300_000)}`;
    const [, shownPicture] = await saved(
      new HumanMessage({
        content: [
          { type: 'text', text: 'My cat.' },
          { type: 'image_url', image_url: { url: picture } },
        ],
        additional_kwargs: { from: 'phone', raw: 'x'.repeat(200_000) },
      }),
    );
    expect(shownPicture).toMatchObject({
      content: 'My cat.',
      additional_kwargs: { from: 'phone', raw: '[200000 characters left out]' },
    });
  });

  it('is rejected alone if memory does not accept it', async () => {
    const refused = history().addMessages([
      new HumanMessage('Hello.'),
      new HumanMessage('Voldemort called.'),
      new RemoveMessage({ id: 'x' }),
      new AIMessage({ content: 'Who?', additional_kwargs: { quoted: 'Voldemort' } }),
    ]);
    await expect(refused).rejects.toMatchObject({
      code: 'messages-refused',
      message: expect.stringMatching(/^Memory did not take 3 of the messages/),
    });
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('called') });
    expect((await history().getMessages()).map(({ text }) => text)).toEqual(['Hello.']);
  });
});

describe('a history', () => {
  it('has the turns that others add to the session, and no others', async () => {
    await memory.add([
      turn('I am Ann.', { session: 'chat', speaker: 'Ann' }),
      turn('Hello.', { session: 'chat', role: 'assistant' }),
      turn('I am Bea Berg.', { session: 'chat', speaker: 'Bea Berg', role: 'other' }),
      turn('Elsewhere.', { session: 'other' }),
    ]);
    const messages = await history().getMessages();
    expect(messages.map(({ type, text, name }) => [type, text, name])).toEqual([
      ['human', 'I am Ann.', 'Ann'],
      ['ai', 'Hello.', undefined],
      ['human', 'I am Bea Berg.', undefined],
    ]);
  });

  it('falls back to the text of a record that cannot be parsed', async () => {
    const uri = 'data:application/json;mnemis=message,{"type":"ai","tool_ca';
    const attachments = [{ kind: 'message', description: '', uri }];
    await memory.add(turn('Hello.', { session: 'chat', role: 'assistant', attachments }));
    const tool = '{"type":"tool"}'; // without the call that it answers
    const answer = [
      { kind: 'message', description: '', uri: `data:application/json;mnemis=message,${tool}` },
    ];
    await memory.add(turn('Rain.', { session: 'chat', role: 'tool', attachments: answer }));
    expect((await history().getMessages()).map(shown)).toEqual([{ type: 'ai', content: 'Hello.' }]);
  });

  it('is forgotten when it is cleared, with everything derived from it', async () => {
    await history().addMessages([new HumanMessage('My dog Rex is a beagle.'), ...CONVERSATION]);
    await history({ session: 'kept' }).addUserMessage('My cat is called Miso.');
    await memory.flush();
    expect((await memory.search('Rex beagle')).facts.length).toBeGreaterThan(0);
    await Promise.all([history().clear(), history().clear()]);
    const { nodes } = await graphOf(memory);
    expect(JSON.stringify(nodes)).not.toMatch(/Rex|beagle|get_weather|Bergen/);
    expect(nodes.episode).toMatchObject([{ content: 'My cat is called Miso.' }]);
  });

  it('is not restored by copying it again', async () => {
    const old = [new HumanMessage({ id: 'm1', content: 'My dog is called Rex.' }), new AIMessage('Lovely.')];
    await history().addMessages(old);
    const [first] = await storedTurns();
    await memory.forget({ episode: first!.id });
    await expect(history().addMessages(old)).rejects.toMatchObject({
      ...{ code: 'messages-refused', reasons: [expect.stringContaining('forgotten')] },
    });
    expect((await history().getMessages()).map(({ text }) => text)).toEqual(['Lovely.', 'Lovely.']);
  });

  it('is on disk once an add resolves', async () => {
    const path = freshPath();
    const conversation = [
      ...CONVERSATION,
      new AIMessage({ content: 'Long.', additional_kwargs: { note: '你好👩‍👩‍👧‍👦 '.repeat(1_000) } }),
    ];
    {
      await using first = await Mnemis.open({ path, embedder, automatic: false });
      await history({}, first.scope('ann')).addMessages(conversation);
    }
    await using second = await Mnemis.open({ path, embedder, automatic: false });
    const messages = await history({}, second.scope('ann')).getMessages();
    expect(messages.map(shown)).toEqual(conversation.map(shown));
  });

  it('shows one scope nothing of another', async () => {
    const other = engine.scope(`other-${count}`);
    await history().addUserMessage('I moved to Oslo.');
    expect(await history({}, other).getMessages()).toEqual([]);
    await history({}, other).clear();
    await history({}, other).addUserMessage('I stay in Turin.');
    await history({}, other).clear();
    expect((await history().getMessages()).map(({ text }) => text)).toEqual(['I moved to Oslo.']);
    expect(await storedTurns(other)).toEqual([]);
  });

  it('rejects invalid options, and reveals no secret', () => {
    const made = (options: object) => () => history(options);
    for (const options of [
      { session: '' },
      { session: ' x' },
      { speaker: '' },
      { sesion: 'x' },
      { memory: {} },
    ])
      expect(made(options)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
    expect(history().toJSON()).toMatchObject({ id: ['mnemis', 'chat_history', 'MnemisChatMessageHistory'] });
  });
});
