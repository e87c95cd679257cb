import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppLab, taken } from './app-lab.ts';

const scope = 'default';
const turn = (source: string, session: string, content: string, day: number) => ({
  ...{ source, session, content, at: `2024-05-${String(day).padStart(2, '0')}T09:00:00Z` },
});

describe('imported conversations', () => {
  let lab: AppLab;
  beforeEach(async () => {
    lab = await AppLab.open();
    await lab.client.add({
      scope,
      turns: [
        {
          ...turn('chatgpt', 'chatgpt/0123456789abcdef', 'Where do I find a kayak for two?', 1),
          metadata: { conversationTitle: 'Kayak trip' },
        },
        turn('chatgpt', 'chatgpt/fedcba9876543210', 'What is a good name for a heron?\nIt is grey.', 3),
        {
          ...turn('whatsapp', 'whatsapp/Nadia', 'The ferry leaves at nine.', 2),
          speaker: 'Nadia',
          role: 'other',
        },
        { ...turn('whatsapp', 'whatsapp/Nadia', 'I bring the tent.', 4), speaker: 'Omar' },
      ],
    });
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  it('are listed by source and time, with a title each, and not the chats of the app', async () => {
    await lab.chat('Remember that the shed needs paint.', { conversation: 'own' });
    const all = await lab.client.imported({ scope });
    expect(all.sources).toEqual([
      { source: 'chatgpt', sessions: 2 },
      { source: 'whatsapp', sessions: 1 },
    ]);
    expect(all.items.map(({ title, turns }) => [title, turns])).toEqual([
      ['Nadia', 2],
      ['What is a good name for a heron?', 1],
      ['Kayak trip', 1],
    ]);
    const first = await lab.client.imported({ scope, source: 'chatgpt', limit: 1 });
    expect(first).toMatchObject({ total: 2, items: [{ session: 'chatgpt/fedcba9876543210' }] });
    const next = await lab.client.imported({ scope, source: 'chatgpt', limit: 1, after: first.next! });
    expect(next).toMatchObject({ items: [{ title: 'Kayak trip' }], next: null });
  });

  it('go on as chats, in the same session, with what was said before as their context', async () => {
    const session = 'whatsapp/Nadia';
    const { conversation, imported } = await lab.client.conversation({ scope, session });
    expect(conversation).toMatchObject({ title: 'Nadia', messages: 0, session, scope });
    expect(imported).toMatchObject({ turns: 2, conversation: conversation.id });
    expect((await lab.client.conversations({})).total).toBe(0);
    await lab.client.saveConversation({ conversation: conversation.id, scope, session });
    expect((await lab.client.imported({ scope })).total).toBe(3);
    await taken(
      lab.client.chat({ conversation: conversation.id, message: 'm1', text: 'I also bring the stove.' }),
    );
    const { items } = await lab.client.conversations({});
    expect(items).toMatchObject([{ title: 'Nadia', session, messages: 2 }]);
    expect((await lab.client.imported({ scope })).items.map(({ title }) => title)).not.toContain('Nadia');
    const page = await lab.client.session({ scope, session });
    expect(page.turns.map(({ content, source }) => [content, source])).toEqual([
      ['The ferry leaves at nine.', 'whatsapp'],
      ['I bring the tent.', 'whatsapp'],
      ['I also bring the stove.', 'assistant'],
    ]);
    const before = await lab.client.session({ scope, session, without: 'assistant', from: 1 });
    expect(before).toMatchObject({ total: 2, first: 1, turns: [{ content: 'I bring the tent.' }] });
  });

  it('are pinned and renamed, and go when memory forgets them', async () => {
    const session = 'chatgpt/0123456789abcdef';
    const { id } = (await lab.client.conversation({ scope, session })).conversation;
    await lab.client.saveConversation({ conversation: id, scope, session, title: 'On the water' });
    expect((await lab.client.imported({ scope })).items.at(-1)!.title).toBe('On the water');
    await lab.client.saveConversation({ conversation: id, isPinned: true });
    expect((await lab.client.conversations({})).items).toMatchObject([{ id, title: 'On the water' }]);
    expect((await lab.client.imported({ scope })).total).toBe(2);
    const { turns } = await lab.client.session({ scope, session });
    const target = { episodes: turns.map((each) => each.id as string) };
    for await (const _ of lab.client.forget({ scope, target }));
    expect((await lab.client.conversations({})).total).toBe(0);
    await expect(lab.client.conversation({ scope, session })).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('keep what was said in the app where all else is forgotten, but not the title', async () => {
    const session = 'chatgpt/0123456789abcdef';
    const { id } = (await lab.client.conversation({ scope, session })).conversation;
    await lab.client.saveConversation({ conversation: id, scope, session });
    await lab.chat('What is the capital of Peru?', { conversation: id });
    const title = async () =>
      (await lab.client.conversations({})).items.find((each) => each.id === id)?.title;
    expect(await title()).toBe('Kayak trip');
    const { turns } = await lab.client.session({ scope, session, without: 'assistant' });
    const target = { episodes: turns.map((each) => each.id as string) };
    for await (const _ of lab.client.forget({ scope, target }));
    expect(await title()).toBe('');
  });

  it('are forgotten as a whole', async () => {
    const session = 'whatsapp/Nadia';
    const { id } = (await lab.client.conversation({ scope, session })).conversation;
    await lab.client.saveConversation({ conversation: id, scope, session });
    let forgotten = 0;
    for await (const event of lab.client.deleteConversation({ conversation: id, memory: 'forget' }))
      if (event.type === 'done') forgotten = event.forgotten;
    expect(forgotten).toBe(2);
    expect((await lab.client.imported({ scope })).sources).toEqual([{ source: 'chatgpt', sessions: 2 }]);
  });
});
