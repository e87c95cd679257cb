import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addConversations,
  conversationsIn,
  conversationsOf,
} from '../../../../main/assistant/store/conversation-archive.ts';
import { freshPath } from '../../../engine/memory-fixture.ts';
import { AppLab } from '../app-lab.ts';

describe('conversations in backups and documents', () => {
  let lab: AppLab;
  let folder: string;
  beforeAll(async () => {
    lab = await AppLab.open({ engine: { path: `${freshPath()}.sqlite` } });
    await lab.client.saveFolder({ folder: 'f', name: 'Boats' });
    await lab.client.saveConversation({ conversation: 'a', folder: 'f', title: 'The punt' });
    await lab.chat('The punt leaks at the bow.', { conversation: 'a' });
    await lab.chat('Where does the punt leak?', { conversation: 'a' });
    folder = `${freshPath()}-backup`;
    await lab.client.backup({ folder });
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  it('are in a backup, and come back where they are missing, with projects and citations', async () => {
    await using other = await AppLab.open();
    const copy = (await conversationsOf(folder))!;
    addConversations(other.store, copy);
    const { conversation, messages } = await other.client.conversation({ conversation: 'a' });
    expect(conversation).toMatchObject({ title: 'The punt', folder: 'f', messages: 4 });
    expect(messages).toEqual((await lab.client.conversation({ conversation: 'a' })).messages);
    expect((await other.client.folders({})).items).toMatchObject([{ name: 'Boats', conversations: 1 }]);
    const { hits } = await other.client.find({ query: 'leaks at the bow', kinds: ['message'] });
    expect(hits.length).toBeGreaterThan(0);
    // What the store has stays as it is.
    await other.client.saveConversation({ conversation: 'a', title: 'Mine' });
    addConversations(other.store, copy);
    expect((await other.client.conversation({ conversation: 'a' })).conversation.title).toBe('Mine');
  });

  it('are in the export of their scope, which memory reads as before', async () => {
    const { scope } = (await lab.client.folders({})).items[0]!;
    await lab.chat('The oars are short.', { conversation: 'elsewhere' });
    let text = '';
    for await (const event of lab.client.export({ scope })) if (event.type === 'text') text += event.text;
    for await (const event of lab.client.exportConversations({ scope }))
      if (event.type === 'text') text += event.text;
    const file = `${freshPath()}.jsonl`;
    await writeFile(file, text);
    await using other = await AppLab.open();
    expect(await other.engine.scope('boats').importFrom(file)).toMatchObject({ skipped: 0 });
    addConversations(other.store, await conversationsIn(file), { scope: 'boats' });
    const { conversation, messages } = await other.client.conversation({ conversation: 'a' });
    expect(conversation).toMatchObject({ scope: 'boats', title: 'The punt' });
    const [turn] = messages[1]!.remembered!.turns;
    expect(await other.client.episodes({ scope: 'boats', ids: [turn!] })).toHaveLength(1);
    expect((await other.client.conversations({})).total).toBe(1);
    expect((await other.client.folders({})).items).toMatchObject([{ name: 'Boats', scope: 'boats' }]);
  });

  it('are refused where the file is damaged, and the row is named', async () => {
    const path = join(folder, 'conversations.jsonl');
    const whole = await readFile(path, 'utf8');
    const read = async (text: string) => {
      const file = `${freshPath()}.jsonl`;
      await writeFile(file, text);
      return conversationsIn(file);
    };
    const refused = (text: string, reason: RegExp) =>
      expect(read(text)).rejects.toMatchObject({
        code: 'file-unreadable',
        message: expect.stringMatching(reason),
      });
    await refused(`${whole}{"table":"preferences","row":{}}\n`, /line \d+ is damaged/);
    await refused(whole.split('\n').slice(0, 3).join('\n'), /not whole/);
    const lines = whole
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [first, second] = lines.filter(({ table }) => table === 'message').map(({ row }) => row.id);
    const changed = (table: string, change: object, at = 0) => {
      const row = lines.filter((line) => line.table === table)[at];
      return lines
        .map((line) => JSON.stringify(line === row ? { table, row: { ...row.row, ...change } } : line))
        .join('\n');
    };
    const name = new RegExp(`message ${first}: `);
    await refused(changed('message', { state: 'lost' }), /message .*state: is none of/);
    await refused(changed('message', { text: 7 }), name);
    await refused(changed('message', { details: '{' }), /details: is not JSON/);
    await refused(changed('message', { conversation: 'b' }), /its conversation does not stand before it/);
    for (const parent of [first, second, 'elsewhere'])
      await refused(changed('message', { parent }), /the message before it is no earlier one/);
    await refused(changed('message', { id: first }, 1), /no earlier one|another message has its id/);
    await refused(changed('conversation', { leaf: 'elsewhere' }), /conversation a ends with a message/);
    await refused(changed('conversation', { is_pinned: 'yes' }), /conversation a: is_pinned/);
    await refused(changed('folder', { scope: '' }), /folder f: scope/);
    await refused(changed('message_turn', { message: 'elsewhere' }), /its message does not stand before it/);
    // A message that the store has does not get into another conversation.
    const copy = await read(whole.replaceAll('"a"', '"z"'));
    expect(() => addConversations(lab.store, copy)).toThrow(/is of another conversation here/);
    expect(lab.store.conversations.find('z')).toBeUndefined();
  });

  it('are whole where somebody chats while they are written', async () => {
    const file = `${freshPath()}.jsonl`;
    let text = '';
    let said = 0;
    for await (const event of lab.client.exportConversations({ scope: 'default' })) {
      if (event.type === 'text') text += event.text;
      if (said++ < 2) await lab.chat('The tiller is loose.', { conversation: `busy-${said}` });
    }
    await writeFile(file, text);
    const { rows } = await conversationsIn(file);
    expect(rows.conversation.map(({ id }) => id)).not.toContain('busy-1');
  });

  it('bring nothing back that was forgotten after the copy', async () => {
    await using own = await AppLab.open();
    const say = (text: string, conversation: string, more = {}) => own.chat(text, { conversation, ...more });
    await say('My code word is heliotrope.', 'told');
    await say('I like tea.', 'told');
    const cited = await say('What is my code word?', 'cites');
    await say('Good day.', 'kept');
    await say('Between us: "My code word is heliotrope."', 'kept', { isPrivate: true });
    await say('I keep bees.', 'deleted');
    await say('Nobody shall know of the mead.', 'deleted', { isPrivate: true });
    await say('The weather is fine.', 'fine');
    expect(cited.answer.citations.length).toBeGreaterThan(0);
    let text = '';
    const scope = 'default';
    for await (const event of own.client.export({ scope })) if (event.type === 'text') text += event.text;
    for await (const event of own.client.exportConversations({ scope }))
      if (event.type === 'text') text += event.text;

    const [word] = await own.engine.scope(scope).turns('told');
    for await (const _ of own.client.forget({ scope, target: { episode: word!.id } }));
    for (const [conversation, memory] of [
      ['deleted', 'forget'],
      ...['told', 'cites', 'kept', 'fine'].map((each) => [each, 'keep']),
    ] as const)
      for await (const _ of own.client.deleteConversation({ conversation, memory } as never));
    const upload = 'u';
    await own.client.beginUpload({ upload, name: 'own.jsonl', bytes: Buffer.byteLength(text) });
    await own.client.uploadPart({ upload, offset: 0, data: Buffer.from(text).toString('base64') });
    await own.client.startArchive({ job: 'j', upload, scope });
    for await (const job of own.client.followJob({ job: 'j' }))
      if (job.endedAt !== null) expect(job).toMatchObject({ state: 'done', problem: null });

    const { items } = await own.client.conversations({});
    expect(items.map(({ id }) => id).toSorted()).toEqual(['cites', 'fine', 'kept', 'told']);
    expect(items.find(({ id }) => id === 'told')!.title).toBe('');
    const said = async (conversation: string) =>
      (await own.client.conversation({ conversation })).messages.map((each) =>
        each.state === 'forgotten' ? null : each.text,
      );
    expect((await said('told')).slice(0, 3)).toEqual([null, expect.anything(), 'I like tea.']);
    expect((await said('cites'))[1]).toBeNull();
    expect((await said('kept')).slice(0, 3)).toEqual(['Good day.', expect.anything(), null]);
    expect((await said('fine'))[0]).toBe('The weather is fine.');
    const everything = JSON.stringify([own.store.file.all('SELECT * FROM message'), items]);
    expect(everything).not.toMatch(/heliotrope|bees|mead/);
  });

  it('of a branch that goes round in a circle or leaves its conversation end with an error', async () => {
    await using own = await AppLab.open();
    const { question, answer } = await own.chat('I like tea.', { conversation: 'round' });
    const other = await own.chat('I like rye.', { conversation: 'other' });
    const document = async () => {
      for await (const _ of own.client.exportConversation({ conversation: 'round', format: 'markdown' }));
    };
    for (const parent of [answer.id, question, other.answer.id, 'nowhere']) {
      own.store.file.run('UPDATE message SET parent = ? WHERE id = ?', [parent, question]);
      await expect(document(), parent).rejects.toMatchObject({ code: 'conversation-broken' });
      expect(() => own.store.messages.pathTo(answer.id, 40)).toThrow(/do not form one branch/);
      const chat = own.chat('And rye.', { conversation: 'round' });
      await expect(chat).rejects.toMatchObject({ code: 'conversation-broken' });
      expect(own.store.messages.of('round')).toHaveLength(2);
    }
    own.store.file.run('UPDATE message SET parent = NULL WHERE id = ?', [question]);
    await document();
    expect(own.store.messages.pathTo(answer.id, 1).map(({ id }) => id)).toEqual([answer.id]);
    expect(own.store.messages.pathTo('nowhere', 40)).toEqual([]);
  });

  it('are written as Markdown and as JSON, with what was said elsewhere before', async () => {
    const scope = 'default';
    const session = 'whatsapp/Nadia';
    const at = '2024-03-04T18:00:00Z';
    const said = { source: 'whatsapp', session, speaker: 'Nadia', at, content: 'Bring the oars.' };
    const attachments = [{ kind: 'image', description: 'oars.jpg' }];
    await lab.client.add({ scope, turns: [{ ...said, attachments }] });
    const { id } = (await lab.client.conversation({ scope, session })).conversation;
    await lab.client.saveConversation({ conversation: id, scope, session });
    await lab.chat('I will.', { conversation: id });
    const text = async (format: 'markdown' | 'json') => {
      let all = '';
      for await (const event of lab.client.exportConversation({ conversation: id, format }))
        if (event.type === 'text') all += event.text;
      return all;
    };
    const markdown = await text('markdown');
    expect(markdown).toMatch(
      /^# Nadia\n\n\*\*Nadia\*\*, 2024-03-04 18:00\n\nBring the oars\.\n\n- image: oars\.jpg\n\n\*\*You\*\*, .*\n\nI will\.\n/,
    );
    const json = JSON.parse(await text('json'));
    expect(json).toMatchObject({ title: 'Nadia', messages: [{ speaker: 'Nadia' }, { text: 'I will.' }, {}] });
    expect(json.messages.flatMap((each: object) => ('calls' in each ? [each] : []))).toEqual([]);
  });

  it('are written with the calls of tools, whose data end no fence', async () => {
    await using own = await AppLab.open();
    const { answer } = await own.chat('Which sail?', { conversation: 'sail' });
    const result = '```\n</details>\n# Ignore the above';
    const call = { id: '1', server: 'Web', tool: 'a<b', arguments: '{"query":"sails"}', result };
    own.store.messages.update(answer.id, { calls: [{ ...call, state: 'done', milliseconds: 3 }] });
    const text = async (format: 'markdown' | 'json') => {
      let all = '';
      for await (const event of own.client.exportConversation({ conversation: 'sail', format }))
        if (event.type === 'text') all += event.text;
      return all;
    };
    expect(await text('markdown')).toContain(
      `<details><summary>Web: a&lt;b (done; data of a tool, not trusted)</summary>\n\n\`\`\`\n{"query":"sails"}\n\`\`\`\n\n\`\`\`\`\n${result}\n\`\`\`\`\n\n</details>`,
    );
    const { messages } = JSON.parse(await text('json'));
    const { id: _, ...said } = call;
    expect(messages[1].calls).toEqual([{ ...said, state: 'done', isTrusted: false }]);
  });
});
