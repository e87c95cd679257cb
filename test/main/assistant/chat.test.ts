import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppLab, taken } from './app-lab.ts';

const MOVE = { speaker: 'Ana', session: 's1', at: '2024-03-05', content: 'I moved to Lisbon last week.' };

describe('chat in the local tier', () => {
  let lab: AppLab;
  beforeAll(async () => {
    lab = await AppLab.open();
    await lab.client.add({ scope: 'default', turns: [MOVE] });
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  it('streams an answer that quotes memory, and reads it back', async () => {
    const { events, answer } = await lab.chat('Where did Ana move?');
    expect(events.map(({ type }) => type)).toEqual(['begun', 'recalled', 'answer', 'done']);
    expect(answer).toMatchObject({ state: 'complete', role: 'assistant', model: null, isPrivate: false });
    expect(answer.text).toBe('Ana: “I moved to Lisbon last week (week of 26 February 2024).” [1]');
    expect(answer.citations).toMatchObject([
      { number: 1, kind: 'episode', sources: [{ session: 's1', index: 0 }] },
    ]);
    expect(answer.remembered).toMatchObject({ decision: 'remembered', turns: [expect.any(String)] });
    const { items } = await lab.client.conversations({});
    expect(items).toMatchObject([{ id: 'c1', title: 'Where did Ana move?', messages: 2, leaf: answer.id }]);
    const { messages } = await lab.client.conversation({ conversation: 'c1' });
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Where did Ana move?'],
      ['assistant', answer.text],
    ]);
    expect((await lab.engine.scope('default').turns('c1')).map(({ content }) => content)).toEqual([
      'Where did Ana move?',
    ]);
  });

  it('names the turns of a quoted fact that the context leaves out', async () => {
    const scope = 'markup';
    const content = `My code word is heliotrope. ${'<img src=x onerror="x()"> ![pixel](https://example.org/b.png) '.repeat(60)}`;
    const turn = { scope, turns: [{ content, speaker: 'user', role: 'user' as const, session: 's' }] };
    await lab.client.add(turn);
    await lab.client.flush({ scope });
    await lab.client.saveConversation({ conversation: 'code', scope });
    const { answer } = await lab.chat('What is my code word?', { conversation: 'code' });
    expect(answer.text).toContain('heliotrope');
    const episode = (await lab.engine.scope(scope).turns('s'))[0]!.id;
    for (const { sources } of answer.citations)
      expect(sources).toEqual([{ episode, session: 's', index: 0 }]);
    expect(answer.citations).not.toEqual([]);
  });

  it('answers a courtesy at once: nothing is searched, nothing remembered, and it names no conversation', async () => {
    const before = (await lab.client.stats({ scope: 'default' })).episode;
    const { events, answer } = await lab.chat('Hi!', { conversation: 'polite' });
    expect(events.map(({ type }) => type)).toEqual(['begun', 'answer', 'done']);
    expect(answer).toMatchObject({ state: 'complete', text: expect.stringMatching(/^Hello/), citations: [] });
    expect(answer.remembered).toMatchObject({ decision: 'none', turns: [] });
    expect((await lab.client.stats({ scope: 'default' })).episode).toBe(before);
    await lab.chat('Where did Ana move?', { conversation: 'polite', parent: answer.id });
    const { conversation } = await lab.client.conversation({ conversation: 'polite' });
    expect(conversation.title).toBe('Where did Ana move?');
  });

  it('finds the person of a follow-up question by the question before', async () => {
    const scope = 'follow-up';
    const told = (speaker: string, content: string) => ({
      speaker,
      session: speaker,
      at: '2024-03-05',
      content,
    });
    await lab.client.add({
      scope,
      turns: [told('Ida', 'I work as a nurse in Bergen.'), told('Bo', 'I work as a baker in Oslo.')],
    });
    await lab.client.saveConversation({ conversation: 'she', scope });
    const { answer } = await lab.chat('Where does Ida live?', { conversation: 'she' });
    const next = await lab.chat('What does she work as?', { conversation: 'she', parent: answer.id });
    expect(next.answer.text).toContain('nurse');
    expect(next.answer.text).not.toContain('baker');
  });

  it('says why: routes, scores, and the words that memory has now', async () => {
    const { answer } = await lab.chat('Where did Ana move to?', { conversation: 'why' });
    const why = await lab.client.why({ message: answer.id });
    expect(why).toMatchObject({ question: 'Where did Ana move to?', recipe: 'auto' });
    expect(why.routes.length).toBeGreaterThan(0);
    const cited = why.items.find(({ cited }) => cited === 1);
    expect(cited).toMatchObject({ kind: 'episode', text: MOVE.content, speaker: 'Ana' });
    expect(cited!.votes.length).toBeGreaterThan(0);
    expect(lab.store.messages.whyOf(answer.id)).not.toContain('Lisbon');

    // What the answer cites without a search having returned it is there too, whatever the limit.
    await lab.client.add({ scope: 'beside', turns: [{ ...MOVE, content: 'I like figs.' }] });
    const [beside] = await lab.engine.scope('beside').turns('s1');
    const more = { number: 2, kind: 'episode' as const, id: beside!.id, quote: '', sources: [] };
    lab.store.messages.update(answer.id, { citations: [...answer.citations, more] });
    const { items } = await lab.client.why({ message: answer.id, limit: 1 });
    expect(items.map((item) => item.cited).sort()).toEqual([1, 2]);
    expect(items.at(-1)).toMatchObject({ id: beside!.id, text: null, votes: [] });
  });

  it('neither recalls nor remembers in private, and says what it cannot do', async () => {
    const before = (await lab.client.stats({ scope: 'default' })).episode;
    const { events, answer } = await lab.chat('Where did Ana move?', { conversation: 'p', isPrivate: true });
    expect(events.map(({ type }) => type)).toEqual(['begun', 'answer', 'done']);
    expect(answer.text).toContain('Without a language model I can only quote memory');
    expect(answer).toMatchObject({ isPrivate: true, remembered: { decision: 'private', turns: [] } });
    expect((await lab.client.stats({ scope: 'default' })).episode).toBe(before);
    expect(lab.store.file.all('SELECT 1 FROM checkpoint')).toEqual([]);
  });

  it('keeps nothing of a chat that begins privately: no list, no search, no file', async () => {
    const { client } = lab;
    const chat = { conversation: 'hush', isPrivate: true };
    await lab.chat('The vault opens with a heron feather.', chat);
    // The rest of it is private, whatever a request says.
    const { answer } = await lab.chat('And with a whistle.', { conversation: 'hush' });
    expect(answer).toMatchObject({ isPrivate: true, remembered: { decision: 'private' } });
    const { conversation, messages } = await client.conversation({ conversation: 'hush' });
    expect(conversation.isPrivate).toBe(true);
    expect(messages).toHaveLength(4);
    await client.saveConversation({ conversation: 'hush', draft: 'a heron' });
    expect((await client.conversations({})).items.map(({ id }) => id)).not.toContain('hush');
    expect((await client.find({ query: 'heron feather' })).hits).toEqual([]);
    expect(lab.store.messages.of('hush')).toEqual([]);
    const files = readdirSync(lab.folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(lab.folder, name)).toString('latin1'));
    for (const file of files) expect(file).not.toMatch(/heron|whistle/);
    for await (const _ of client.deleteConversation({ conversation: 'hush', memory: 'keep' }));
    await expect(client.conversation({ conversation: 'hush' })).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('finds no private message of a chat that is kept', async () => {
    await lab.chat('I like figs.', { conversation: 'open' });
    await lab.chat('My secret is jazz.', { conversation: 'open', isPrivate: true });
    const found = async (query: string) => (await lab.client.find({ query, kinds: ['message'] })).hits.length;
    expect([await found('figs'), await found('jazz')]).toEqual([1, 0]);
  });

  it('takes no private message for the title of a chat that is kept', async () => {
    await lab.chat('Hi', { conversation: 'greeted' });
    await lab.chat('I grow zinnias in secret.', { conversation: 'greeted', isPrivate: true });
    expect((await lab.client.conversation({ conversation: 'greeted' })).conversation.title).toBe('Hi');
    expect((await lab.client.find({ query: 'zinnias' })).hits).toEqual([]);
    await lab.chat('Where did Ana move?', { conversation: 'greeted' });
    const { conversation } = await lab.client.conversation({ conversation: 'greeted' });
    expect(conversation.title).toBe('Where did Ana move?');
  });

  it('refuses what does not fit, and stores nothing of it', async () => {
    const { question, answer } = await lab.chat('One?', { conversation: 'bad' });
    const refused = [
      () => lab.chat('Two?', { conversation: 'bad', message: question }),
      () => lab.chat('Two?', { conversation: 'bad', parent: question }),
      () => lab.chat('Two?', { conversation: 'bad', parent: 'nobody' }),
      () => lab.chat('Two?', { conversation: 'bad', replaces: answer.id }),
      () => lab.chat('Two?', { conversation: 'other', parent: answer.id }),
      () => lab.chat('Two?', { conversation: 'bad', attachments: ['u1'], isPrivate: true }),
      () => lab.client.why({ message: question }),
      () => lab.client.decide({ message: answer.id, decision: 'approve' }),
    ];
    for (const each of refused) await expect(each()).rejects.toMatchObject({ code: 'invalid-input' });
    expect((await lab.client.conversation({ conversation: 'bad' })).messages).toHaveLength(2);
    expect(lab.store.conversations.find('other')).toBeUndefined();
  });

  it('keeps the scope of a folder apart from every other', async () => {
    const { scope } = await lab.client.saveFolder({ folder: 'f1', name: 'Work' });
    expect(scope).not.toBe('default');
    await lab.client.saveConversation({ conversation: 'work', folder: 'f1' });
    const { answer } = await lab.chat('Where did Ana move?', { conversation: 'work' });
    expect(answer.text).not.toContain('Lisbon');
    await lab.chat('The safe is behind the boiler.', { conversation: 'work' });
    const elsewhere = await lab.chat('Where is the safe?', { conversation: 'c1' });
    expect(elsewhere.answer.text).not.toContain('boiler');
    const inside = await lab.chat('Where is the safe?', { conversation: 'work' });
    expect(inside.answer.text).toContain('boiler');
  });

  it('brings attachments into memory before it answers, and refuses those of a private message', async () => {
    const text = '# Boat\n\nThe boat Albatross lies in the harbour of Piran.\n';
    const data = Buffer.from(text).toString('base64');
    await lab.client.beginUpload({ upload: 'up1', name: 'boat.md', bytes: Buffer.byteLength(text) });
    await lab.client.uploadPart({ upload: 'up1', offset: 0, data });
    const asked = { conversation: 'boat', message: 'boat-1', text: 'Where does the boat Albatross lie?' };
    const attachments = ['up1'];
    await expect(taken(lab.client.chat({ ...asked, attachments, isPrivate: true }))).rejects.toMatchObject({
      code: 'invalid-input',
    });
    const { answer } = await taken(lab.client.chat({ ...asked, attachments }));
    expect(answer.text).toContain('Piran');
    const { messages } = await lab.client.conversation({ conversation: 'boat' });
    expect(messages[0]!.attachments).toMatchObject([{ name: 'boat.md', kind: 'markdown' }]);
    const again = { ...asked, message: 'boat-2', attachments };
    await expect(taken(lab.client.chat(again))).rejects.toThrow(/upload/i);
    expect((await lab.client.conversation({ conversation: 'boat' })).messages).toHaveLength(2);
  });

  it('has exchanges read for facts in the background', async () => {
    await lab.chat('My sister Eva lives in Porto.', { conversation: 'read' });
    await lab.app.reading.settled();
    expect((await lab.client.stats({ scope: 'default' })).enrichment.pending).toBe(0);
    expect((await lab.client.entity({ scope: 'default', entity: 'Porto' })).profiles.total).toBeGreaterThan(
      0,
    );
    expect(lab.warnings).toEqual([]);
  });
});

it('an exchange that asks first waits for the decision, also in another process', async () => {
  await using lab = await AppLab.open();
  const ask = (text: string) => lab.chat(text, { confirm: true });
  const [approved, declined, edited] = [
    await ask('I own a red bicycle.'),
    await ask('I own a blue boat.'),
    await ask('I own a green kite.'),
  ];
  expect(approved.answer.remembered).toEqual({ decision: 'pending', turns: [] });
  await using later = await lab.reopen();
  const turns = async () => (await later.engine.scope('default').turns('c1')).map(({ content }) => content);
  expect(await turns()).toEqual([]);
  const decide = (message: string, decision: 'approve' | 'decline' | 'edit', question?: string) =>
    later.client.decide({ message, decision, ...(question && { question }) });
  const [first, second] = await Promise.allSettled([
    decide(approved.answer.id, 'approve'),
    decide(approved.answer.id, 'approve'),
  ]);
  expect(first).toMatchObject({ value: { remembered: { decision: 'remembered' } } });
  expect(second).toMatchObject({ reason: { code: 'invalid-input' } });
  expect((await decide(declined.answer.id, 'decline')).remembered?.decision).toBe('declined');
  await decide(edited.answer.id, 'edit', 'I own a green glider.');
  expect(await turns()).toEqual(['I own a red bicycle.', 'I own a green glider.']);
  expect(later.store.file.all('SELECT 1 FROM checkpoint_thread')).toEqual([]);
});

it('after a crash an answer that was being written is a stopped one', async () => {
  await using lab = await AppLab.open();
  const { answer } = await lab.chat('Hello?');
  lab.store.messages.update(answer.id, { state: 'streaming', text: 'Half of' });
  await using later = await lab.reopen({ crash: true });
  const { messages } = await later.client.conversation({ conversation: 'c1' });
  expect(messages.at(-1)).toMatchObject({ state: 'stopped', text: 'Half of' });
  expect((await later.chat('Again?')).answer.state).toBe('complete');
});
