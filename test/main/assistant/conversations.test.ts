import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_DETAILS } from '../../../main/assistant/store/message-table.ts';
import type { OutputOf } from '../../../main/contract.ts';
import { AppLab } from './app-lab.ts';

describe('conversations', () => {
  let lab: AppLab;
  beforeAll(async () => {
    lab = await AppLab.open();
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  it('are created, titled, pinned, listed, and keep a draft until a message is sent', async () => {
    const { client } = lab;
    const made = await client.saveConversation({ conversation: 'a', draft: 'Half a thou' });
    expect(made).toMatchObject({
      title: '',
      scope: 'default',
      draft: 'Half a thou',
      messages: 0,
      leaf: null,
    });
    await lab.chat('Half a thought. And **more** of it.', { conversation: 'a' });
    await lab.chat('Second of all, this is a very long first sentence that goes on and on without an end', {
      conversation: 'b',
    });
    await client.saveConversation({ conversation: 'a', isPinned: true });
    const { items, total } = await client.conversations({});
    expect(total).toBe(2);
    expect(items.map(({ id, title, draft }) => [id, title, draft])).toEqual([
      ['a', 'Half a thought', ''],
      ['b', 'Second of all, this is a very long first sentence that goes…', ''],
    ]);
    const renamed = await client.saveConversation({ conversation: 'b', title: 'Mine' });
    expect(renamed.title).toBe('Mine');
    const [first] = (await client.conversation({ conversation: 'b' })).messages;
    await lab.chat('Another beginning.', { conversation: 'b', replaces: first!.id });
    expect((await client.conversations({ limit: 1, offset: 1 })).items[0]!.title).toBe('Mine');
  });

  it('keep their scope from the first message on', async () => {
    const { client } = lab;
    await client.saveConversation({ conversation: 's', scope: 'one' });
    expect((await client.saveConversation({ conversation: 's', scope: 'two' })).scope).toBe('two');
    await lab.chat('Hello.', { conversation: 's' });
    const moving = client.saveConversation({ conversation: 's', scope: 'one' });
    await expect(moving).rejects.toMatchObject({ code: 'invalid-input' });
    await client.saveFolder({ folder: 'else', name: 'Else' });
    expect((await client.saveConversation({ conversation: 's', folder: 'else' })).scope).toBe('two');
  });

  it('lie in folders, each with a scope, and outlive them', async () => {
    const { client } = lab;
    const folder = await client.saveFolder({ folder: 'trip', name: 'Trip' });
    await client.saveConversation({ conversation: 't', folder: 'trip' });
    expect(await client.saveFolder({ folder: 'trip', name: 'Journey' })).toEqual({
      ...{ id: 'trip', name: 'Journey', scope: folder.scope, conversations: 1 },
    });
    expect((await client.conversations({ folder: 'trip' })).items).toMatchObject([
      { id: 't', scope: folder.scope },
    ]);
    expect((await client.conversations({ folder: null })).items.map(({ id }) => id)).not.toContain('t');
    await client.deleteFolder({ folder: 'trip' });
    expect((await client.conversation({ conversation: 't' })).conversation.folder).toBeNull();
    for (const missing of [
      () => client.deleteFolder({ folder: 'trip' }),
      () => client.saveConversation({ conversation: 'u', folder: 'trip' }),
      () => client.conversation({ conversation: 'nobody' }),
    ])
      await expect(missing()).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('are searched by their words, the unfinished one too, with snippets', async () => {
    await lab.chat('Où est la crème brûlée, près du café?', { conversation: 'f' });
    const { hits } = await lab.client.find({ query: 'crème brul', kinds: ['message'] });
    expect(hits[0]).toMatchObject({
      ...{ conversation: 'f', kind: 'message', fit: 3, speaker: 'user' },
      where: expect.stringContaining('crème'),
    });
    expect(hits[0]!.text).toContain('\u0001crème\u0002 \u0001brûlée\u0002');
    for (const query of ['', '"', '*', 'NOT', '(', 'a AND', '-x', '\u0000'])
      expect((await lab.client.find({ query })).hits).toBeInstanceOf(Array);
  });

  it('tell every window what changed', async () => {
    const stop = new AbortController();
    const seen: OutputOf<'appEvents'>[] = [];
    const { events } = lab.app;
    const following = (async () => {
      for await (const event of events.follow(stop.signal)) seen.push(event);
    })();
    await lab.chat('I moved to Lisbon.', { conversation: 'w' });
    await lab.client.saveFolder({ folder: 'w', name: 'W' });
    for await (const _ of lab.client.deleteConversation({ conversation: 'w', memory: 'keep' }));
    stop.abort();
    await following;
    expect(seen).toContainEqual({ type: 'conversation', conversation: 'w', isDeleted: false });
    expect(seen).toContainEqual({ type: 'conversation', conversation: 'w', isDeleted: true });
    expect(seen).toContainEqual({ type: 'folders' });
    expect(seen.map(({ type }) => type)).toContain('reading');
  });

  it('tell every window what other programs write and remove', async () => {
    const { client } = lab;
    const stop = new AbortController();
    const seen = lab.app.events.follow(stop.signal);
    const next = async () => (await seen.next()).value;
    const turns = [{ session: 'cli', content: 'Ann keeps bees.' }];
    const told = next();
    await client.preview({ scope: 'outside', turns }); // writes nothing
    await Promise.all([client.add({ scope: 'outside', turns }), client.add({ scope: 'outside', turns })]);
    expect(await told).toEqual({ type: 'memory', scope: 'outside' });
    for await (const _ of client.deleteScope({ scope: 'outside' }));
    expect(await next()).toEqual({ type: 'memory', scope: 'outside' });
    stop.abort();
  });

  it('of 5,000 messages are read whole, and a list of many by pages', async () => {
    const { conversations, messages, file } = lab.store;
    const text = 'A message of an ordinary length, which says something about the day and the weather.';
    file.transaction(() => {
      conversations.create('long', { scope: 'default', folder: null, at: 1 });
      for (let at = 0; at < 5_000; at++)
        messages.insert({
          ...{ ...NO_DETAILS, id: `m${at}`, conversation: 'long', text, at, state: 'complete' },
          ...{
            parent: at === 0 ? null : `m${at - 1}`,
            role: at % 2 ? 'assistant' : 'user',
            memoryKey: `m${at}`,
          },
        });
      for (let at = 0; at < 1_000; at++)
        conversations.create(`many${at}`, { scope: 'many', folder: 'many', at });
    });
    const { messages: all } = await lab.client.conversation({ conversation: 'long' });
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 5_000 }, (_, at) => `m${at}`));
    const { items, total } = await lab.client.conversations({ limit: 500 });
    expect(items).toHaveLength(500);
    expect(total).toBeGreaterThan(1_000);
    expect(messages.pathTo('m4999', 40).map(({ id }) => id)[0]).toBe('m4960');
  });
});
