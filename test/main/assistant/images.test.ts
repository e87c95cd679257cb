import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  addConversations,
  conversationsIn,
  conversationsOf,
} from '../../../main/assistant/store/conversation-archive.ts';
import type { Config } from '../../../main/config.ts';
import { StoreWriteError } from '../../../src/errors/index.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { AppLab, taken } from './app-lab.ts';

/** Begins as a PNG; nothing here reads its pixels. */
function pngBytes(): Buffer {
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(3_000)]);
}

let count = 0;
async function uploaded(lab: AppLab, bytes: Buffer, name = 'cat.png'): Promise<string> {
  const upload = `image-${count++}`;
  await lab.client.beginUpload({ upload, name, bytes: bytes.length });
  for (let offset = 0; offset < bytes.length; offset += 3_000_000) {
    const data = bytes.subarray(offset, offset + 3_000_000).toString('base64');
    await lab.client.uploadPart({ upload, offset, data });
  }
  return upload;
}

async function imagesIn(lab: AppLab, conversation: string) {
  const { messages } = await lab.client.conversation({ conversation });
  return messages[0]!.attachments;
}

const bytesOf = async (lab: AppLab, image: string, scope = 'default') => {
  const { image: found } = await lab.client.image({ scope, image });
  return found && Buffer.from(found.data, 'base64');
};

/** Whether any file of the app has a part of the bytes. */
async function isOnDisk(lab: AppLab, bytes: Buffer): Promise<boolean> {
  const part = bytes.subarray(1_000, 1_064);
  const files = await Promise.all(
    lab.store.file.files().map((file) => readFile(file).catch(() => Buffer.alloc(0))),
  );
  return files.some((file) => file.includes(part) || file.includes(part.toString('base64').slice(4, 60)));
}

describe('images without a model that sees', () => {
  let lab: AppLab;
  beforeAll(async () => {
    lab = await AppLab.open();
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const send = async (conversation: string, bytes: Buffer, caption?: string) => {
    const upload = await uploaded(lab, bytes);
    const captions = caption === undefined ? {} : { captions: { [upload]: caption } };
    return lab.chat('Keep this one', { conversation, attachments: [upload], ...captions });
  };

  it('keeps an image with its caption, and finds it by the caption', async () => {
    const bytes = pngBytes();
    const { answer } = await send('kept', bytes, 'Coco the puppy on the red sofa');
    expect(answer.text).toBe('Noted.');
    const [stored] = await imagesIn(lab, 'kept');
    expect(stored).toMatchObject({ kind: 'image', caption: 'Coco the puppy on the red sofa' });
    expect(await bytesOf(lab, stored!.image!)).toEqual(bytes);
    const [turn] = await lab.engine.scope('default').turns('kept');
    expect(turn).toMatchObject({
      content: 'Keep this one',
      attachments: [{ kind: 'image', description: stored!.caption, uri: `mnemis-image:${stored!.image}` }],
    });
    const { hits } = await lab.client.find({ query: 'red sofa' });
    expect(hits[0]).toMatchObject({ kind: 'message', conversation: 'kept', image: stored!.image });
    expect(
      (await lab.client.find({ query: 'keep this one' })).hits.filter(({ id }) => id === hits[0]!.id),
    ).toHaveLength(1);
  });

  it('describes one by its name and day where nobody says what it shows', async () => {
    await send('nameless', pngBytes());
    const [turn] = await lab.engine.scope('default').turns('nameless');
    expect(turn!.attachments[0]!.description).toMatch(/^cat\.png, \d{4}-\d\d-\d\d$/);
  });

  it('forgets the bytes with the turn, from the file too, and proves it', async () => {
    const bytes = pngBytes();
    await send('gone', bytes, 'A blue bicycle');
    const [stored] = await imagesIn(lab, 'gone');
    expect(await isOnDisk(lab, bytes)).toBe(true);
    const [turn] = await lab.engine.scope('default').turns('gone');
    const events = [];
    for await (const event of lab.client.forget({ scope: 'default', target: { episodes: [turn!.id] } }))
      events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'done', proof: { clean: true } });
    expect(await bytesOf(lab, stored!.image!)).toBeNull();
    expect(await isOnDisk(lab, bytes)).toBe(false);
    const { messages } = await lab.client.conversation({ conversation: 'gone' });
    expect(messages[0]).toMatchObject({ state: 'forgotten', attachments: [] });
  });

  it.each(['keep', 'forget'] as const)('with memory: %s, deletes a conversation', async (memory) => {
    const bytes = pngBytes();
    await send(`deleted-${memory}`, bytes, 'A green boat');
    const [stored] = await imagesIn(lab, `deleted-${memory}`);
    for await (const _ of lab.client.deleteConversation({ conversation: `deleted-${memory}`, memory }));
    expect(await bytesOf(lab, stored!.image!)).toEqual(memory === 'keep' ? bytes : null);
    expect(await isOnDisk(lab, bytes)).toBe(memory === 'keep');
  });

  it('forgets one whose message was deleted, where a retention rule removes the text of its turn', async () => {
    let now = Date.UTC(2024, 0, 1);
    await using own = await AppLab.open({ app: { clock: () => now } });
    const bytes = pngBytes();
    const upload = await uploaded(own, bytes);
    await own.chat('Keep this one', { conversation: 'c', attachments: [upload] });
    now = Date.now();
    await own.app.reading.settled(); // turns that wait to be read keep their text
    for await (const _ of own.client.deleteConversation({ conversation: 'c', memory: 'keep' }));
    expect(await isOnDisk(own, bytes)).toBe(true);
    const retention = { turns: { olderThan: '30d', keepFacts: true } };
    await own.client.maintain({ scope: 'default', retention });
    expect([own.store.images.ids(), await isOnDisk(own, bytes)]).toEqual([[], false]);
  });

  it('deletes with its conversation an image that was never remembered', async () => {
    const bytes = pngBytes();
    const upload = await uploaded(lab, bytes);
    const { answer } = await lab.chat('Shall I keep it?', {
      conversation: 'declined',
      attachments: [upload],
      confirm: true,
    });
    await lab.client.decide({ message: answer.id, decision: 'decline' });
    for await (const _ of lab.client.deleteConversation({ conversation: 'declined', memory: 'keep' }));
    expect(await isOnDisk(lab, bytes)).toBe(false);
  });

  it('keeps it with an edit of its message, and remembers it after a confirmation', async () => {
    const bytes = pngBytes();
    const upload = await uploaded(lab, bytes);
    const conversation = 'edited';
    const { question, answer } = await lab.chat('My boat', {
      ...{ conversation, attachments: [upload], captions: { [upload]: 'A white boat' }, confirm: true },
    });
    await lab.client.decide({ message: answer.id, decision: 'approve' });
    expect((await lab.engine.scope('default').turns(conversation))[0]!.attachments).toMatchObject([
      { description: 'A white boat' },
    ]);
    await lab.chat('My old boat', { conversation, replaces: question });
    const [turn] = await lab.engine.scope('default').turns(conversation);
    expect(turn).toMatchObject({ content: 'My old boat', attachments: [{ description: 'A white boat' }] });
    for await (const _ of lab.client.forget({ scope: 'default', target: { episodes: [turn!.id] } }));
    expect(await isOnDisk(lab, bytes)).toBe(false);
  });

  it('moves with its conversation, and no other scope sees it', async () => {
    const bytes = pngBytes();
    await send('moved', bytes, 'A yellow kite');
    const { scope } = await lab.client.saveFolder({ folder: 'f-images', name: 'Kites' });
    await lab.client.moveConversation({ conversation: 'moved', folder: 'f-images' });
    const [stored] = await imagesIn(lab, 'moved');
    expect(await bytesOf(lab, stored!.image!)).toBeNull();
    expect(await bytesOf(lab, stored!.image!, scope)).toEqual(bytes);
    const [turn] = await lab.engine.scope(scope).turns('moved');
    expect(turn!.attachments[0]!.uri).toBe(`mnemis-image:${stored!.image}`);
  });

  it('stays in its scope, and is shown there, where a move breaks off while it copies', async () => {
    await using own = await AppLab.open();
    const bytes = pngBytes();
    const upload = await uploaded(own, bytes);
    await own.chat('My kite', { conversation: 'kite', attachments: [upload] });
    const [stored] = await imagesIn(own, 'kite');
    const { scope } = await own.client.saveFolder({ folder: 'f', name: 'Kites' });
    const to = own.engine.scope(scope);
    const add = to.add.bind(to);
    const broken = new StoreWriteError('no');
    vi.spyOn(to, 'add').mockImplementationOnce(async (...input) => {
      await add(...input);
      throw broken;
    });
    vi.spyOn(to, 'forget').mockImplementationOnce(() => {
      throw broken;
    });
    const move = (lab: AppLab) => lab.client.moveConversation({ conversation: 'kite', folder: 'f' });
    await expect(move(own)).rejects.toMatchObject({ code: 'store-write' });
    await using later = await own.reopen({ crash: true });
    expect(await later.engine.scope(scope).turns('kite')).toEqual([]);
    expect(await bytesOf(later, stored!.image!)).toEqual(bytes);
    expect(await bytesOf(later, stored!.image!, scope)).toBeNull();
    const uris = async (name: string) =>
      (await later.engine.scope(name).turns('kite')).flatMap(({ attachments }) =>
        attachments.map(({ uri }) => uri),
      );
    expect(await uris('default')).toEqual([`mnemis-image:${stored!.image}`]);
    await move(later);
    expect(await bytesOf(later, stored!.image!)).toBeNull();
    expect(await bytesOf(later, stored!.image!, scope)).toEqual(bytes);
    expect(await uris(scope)).toEqual([`mnemis-image:${stored!.image}`]);
  });

  it('moves with its turn, where its message was deleted and another chat goes on with the session', async () => {
    await using own = await AppLab.open();
    const bytes = pngBytes();
    const scope = 'default';
    const session = 'whatsapp/Nadia';
    const said = { source: 'whatsapp', session, at: '2024-03-04T18:00:00Z' };
    await own.client.add({ scope, turns: [{ ...said, content: 'Bring the oars.' }] });
    const goOn = async () => {
      const { id } = (await own.client.conversation({ scope, session })).conversation;
      await own.client.saveConversation({ conversation: id, scope, session });
      return id;
    };
    const first = await goOn();
    await own.chat('These', { conversation: first, attachments: [await uploaded(own, bytes)] });
    const image = (await imagesIn(own, first))[0]!.image!;
    for await (const _ of own.client.deleteConversation({ conversation: first, memory: 'keep' }));
    const folder = await own.client.saveFolder({ folder: 'f', name: 'Boat' });
    await own.client.moveConversation({ conversation: await goOn(), folder: 'f' });
    expect(await bytesOf(own, image)).toBeNull();
    expect(await bytesOf(own, image, folder.scope)).toEqual(bytes);
  });

  describe('in a copy', () => {
    /** An export of all as a file has it. */
    const exported = async (own: AppLab) => {
      const scope = 'default';
      let text = '';
      for await (const event of own.client.export({ scope })) if (event.type === 'text') text += event.text;
      for await (const event of own.client.exportConversations({ scope }))
        if (event.type === 'text') text += event.text;
      return text;
    };
    const restored = async (own: AppLab, text: string) => {
      const upload = `copy-${count++}`;
      await own.client.beginUpload({ upload, name: 'own.jsonl', bytes: Buffer.byteLength(text) });
      await own.client.uploadPart({ upload, offset: 0, data: Buffer.from(text).toString('base64') });
      await own.client.startArchive({ job: upload, upload, scope: 'default' });
      for await (const job of own.client.followJob({ job: upload }))
        if (job.endedAt !== null) expect(job).toMatchObject({ state: 'done', problem: null });
      await own.client.deleteUpload({ upload }).catch(() => undefined);
    };
    const sent = async (own: AppLab, conversation: string) => {
      const bytes = pngBytes();
      await own.chat('Keep this one', { conversation, attachments: [await uploaded(own, bytes)] });
      return { bytes, image: (await imagesIn(own, conversation))[0]!.image! };
    };

    it('is in backups, and comes back from them', async () => {
      await using own = await AppLab.open();
      const { bytes, image } = await sent(own, 'saved');
      const alone = await sent(own, 'alone');
      for await (const _ of own.client.deleteConversation({ conversation: 'alone', memory: 'keep' }));
      await own.app.saveConversations(own.folder);
      await using other = await AppLab.open();
      addConversations(other.store, (await conversationsOf(own.folder))!);
      expect(await bytesOf(other, image)).toEqual(bytes);
      expect(await bytesOf(other, alone.image)).toEqual(alone.bytes);
    });

    it('comes back from an export into the scope that it is read into', async () => {
      await using own = await AppLab.open();
      const { bytes, image } = await sent(own, 'saved');
      const file = join(own.folder, 'own.jsonl');
      await writeFile(file, await exported(own));
      await using other = await AppLab.open();
      addConversations(other.store, await conversationsIn(file), { scope: 'boats' });
      expect(await bytesOf(other, image, 'boats')).toEqual(bytes);
      expect(await bytesOf(other, image)).toBeNull();
    });

    it.each([
      ['its turn was forgotten', ['forget']],
      ['its conversation was deleted, and its turn forgotten afterwards', ['keep', 'forget']],
      ['its turn was forgotten, and its conversation deleted', ['forget', 'keep']],
      ['its conversation was forgotten', ['all']],
    ])('stays away where %s since', async (_, steps) => {
      await using own = await AppLab.open();
      const { bytes, image } = await sent(own, 'told');
      const text = await exported(own);
      const [turn] = await own.engine.scope('default').turns('told');
      for (const step of steps)
        if (step === 'forget')
          for await (const _ of own.client.forget({ scope: 'default', target: { episode: turn!.id } }));
        else
          for await (const _ of own.client.deleteConversation({
            conversation: 'told',
            memory: step === 'keep' ? 'keep' : 'forget',
          }));
      await restored(own, text);
      expect(await bytesOf(own, image)).toBeNull();
      expect(await isOnDisk(own, bytes)).toBe(false);
      const messages = own.store.conversations.find('told') && own.store.messages.of('told');
      expect((messages ?? []).flatMap(({ attachments }) => attachments)).toEqual([]);
    });

    it('stays away where its message is gone from the chats and its turn was forgotten since', async () => {
      await using own = await AppLab.open();
      const { bytes, image } = await sent(own, 'told');
      for await (const _ of own.client.deleteConversation({ conversation: 'told', memory: 'keep' }));
      const text = await exported(own);
      const [turn] = await own.engine.scope('default').turns('told');
      for await (const _ of own.client.forget({ scope: 'default', target: { episode: turn!.id } }));
      await restored(own, text);
      expect(await bytesOf(own, image)).toBeNull();
      expect(await isOnDisk(own, bytes)).toBe(false);
    });

    it('stays in the file while a copy is checked, and is added only where that is still the same', async () => {
      await using own = await AppLab.open();
      await using other = await AppLab.open();
      const { bytes, image } = await sent(own, 'told');
      const file = join(own.folder, 'own.jsonl');
      const whole = (await exported(own)).replaceAll('\n', '\r\n');
      await writeFile(file, whole);
      const copy = await conversationsIn(file);
      expect(JSON.stringify(copy.rows)).not.toContain(bytes.toString('base64').slice(0, 200));
      await writeFile(file, whole.replaceAll(image, 'x'.repeat(image.length)));
      expect(() => addConversations(other.store, copy)).toThrow('changed while it was read');
      expect((await other.client.conversations({})).items).toEqual([]);
      await writeFile(file, whole);
      addConversations(other.store, copy);
      expect(await bytesOf(other, image)).toEqual(bytes);
    });

    it('is left as it is in a scope that has one of the same id, and is refused where its row is damaged', async () => {
      await using own = await AppLab.open();
      const { bytes, image } = await sent(own, 'told');
      const file = join(own.folder, 'own.jsonl');
      const whole = await exported(own);
      const rows = whole.trimEnd().split('\n');
      const read = async (change: object) => {
        const changed = rows.map((line) => {
          const { table, row } = JSON.parse(line);
          return table === 'image' ? JSON.stringify({ table, row: { ...row, ...change } }) : line;
        });
        await writeFile(file, `${changed.join('\n')}\n`);
        return conversationsIn(file);
      };
      addConversations(own.store, await read({ data: 'AAAA', scope: 'other', message: null }));
      expect(await bytesOf(own, image)).toEqual(bytes);
      expect(await bytesOf(own, image, 'other')).toBeNull();
      for (const [change, reason] of [
        [{ data: 'no base64' }, /image .*: data/],
        [{ type: 'text/html' }, /image .*: type/],
        [{ message: 'elsewhere' }, /image .*: its message does not stand before it/],
      ] as const)
        await expect(read(change)).rejects.toMatchObject({
          code: 'file-unreadable',
          message: expect.stringMatching(reason),
        });
    });
  });

  it.each([
    ['too large', 'huge.png', Buffer.concat([pngBytes(), Buffer.alloc(5_000_000)]), /larger than 5 MB/],
    ['a bitmap', 'old.bmp', Buffer.from('424d000000000000ff', 'hex'), /not UTF-8 text/],
  ])('refuses one that is %s before anything is sent', async (_, name, bytes, reason) => {
    const upload = await uploaded(lab, bytes, name);
    await expect(lab.client.checkAttachment({ upload })).rejects.toThrow(reason);
    await expect(lab.client.checkAttachment({ upload })).rejects.toThrow(name);
  });

  it('tells images by their bytes, whatever their names', async () => {
    const starts = ['89504e470d0a1a0a', 'ffd8ffe0', '474946383961', '52494646000000005745425050'];
    for (const start of starts) {
      const upload = await uploaded(lab, Buffer.from(`${start}00ff00`, 'hex'), 'notes.txt');
      expect(await lab.client.checkAttachment({ upload })).toMatchObject({
        kind: 'image',
        name: 'notes.txt',
      });
    }
  });
});

describe('images with a model that sees', () => {
  let server: ScriptedOpenAiServer;
  let lab: AppLab;
  beforeAll(async () => {
    server = await ScriptedOpenAiServer.start({
      reply: ({ messages }) =>
        messages[0]!.content.startsWith('You describe an image')
          ? 'A grey cat beside a window.'
          : 'That is your cat.',
      faultOf: ({ messages }) =>
        messages[0]!.content.startsWith('You describe') && messages[1]!.content.includes('Undescribable')
          ? { kind: 'refuse', status: 400 }
          : null,
      guessesTokens: true,
    });
    const config: Partial<Config> = {
      ...{ llmProvider: 'openai-compatible', llmModel: 'gpt-4o', llmBaseUrl: `${server.url}/v1` },
    };
    lab = await AppLab.open({ config });
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it('sends it as a data URL, and keeps what the model says it shows', async () => {
    const bytes = pngBytes();
    const upload = await uploaded(lab, bytes);
    expect(await lab.client.seesImages({})).toEqual({ sees: true });
    const { answer } = await lab.chat('Who is this?', { conversation: 'seen', attachments: [upload] });
    expect(answer).toMatchObject({ text: 'That is your cat.', usage: { calls: 2 } });
    const url = `data:image/png;base64,${bytes.toString('base64')}`;
    expect(server.requests).toHaveLength(2);
    for (const { body } of server.requests)
      expect(body).toMatchObject({
        messages: [
          { role: 'system' },
          { role: 'user', content: [{ type: 'image_url', image_url: { url } }, { type: 'text' }] },
        ],
      });
    const [turn] = await lab.engine.scope('default').turns('seen');
    expect(turn!.attachments).toMatchObject([{ kind: 'image', description: 'A grey cat beside a window.' }]);
    expect((await imagesIn(lab, 'seen'))[0]!.caption).toBe('A grey cat beside a window.');
    await lab.chat('And its colour?', { conversation: 'seen' });
    expect(JSON.stringify(server.requests.at(-1)!.body)).toContain(url);
    expect(server.requests).toHaveLength(3);
  });

  it('sends no image to a model that does not see, but the words of the person', async () => {
    const upload = await uploaded(lab, pngBytes());
    expect(await lab.client.seesImages({ model: 'small' })).toEqual({ sees: false });
    const captions = { [upload]: 'My cat Tom' };
    await taken(
      lab.client.chat({
        conversation: 'blind',
        message: 'b1',
        text: 'Look',
        model: 'small',
        attachments: [upload],
        captions,
      }),
    );
    const sent = JSON.stringify(server.requests.at(-1)!.body);
    expect(sent).not.toContain('image_url');
    expect(sent).toContain('[image: My cat Tom]');
  });

  it('sends no image to a model that the person marks as one that does not see', async () => {
    await using other = await AppLab.open({
      config: { llmProvider: 'openai-compatible', llmModel: 'gpt-4o', llmSees: 'no' },
    });
    expect(await other.client.seesImages({})).toEqual({ sees: false });
  });

  it('keeps the name where the model cannot say what it shows', async () => {
    const upload = await uploaded(lab, pngBytes());
    const { answer } = await lab.chat('Undescribable?', {
      conversation: 'undescribed',
      attachments: [upload],
    });
    expect(answer.text).toBe('That is your cat.');
    const [turn] = await lab.engine.scope('default').turns('undescribed');
    expect(turn!.attachments[0]!.description).toMatch(/^cat\.png, \d{4}-\d\d-\d\d$/);
  });
});
