import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ForgetReport } from '../../../src/edit/forget/forget-event.ts';
import type { ForgetTarget } from '../../../src/model/forget-target.ts';
import { AppLab } from './app-lab.ts';

const SECRET = 'My quince marmalade won at Brockenhurst.';

async function forget(lab: AppLab, target: ForgetTarget, scope = 'default'): Promise<ForgetReport> {
  let last: ForgetReport | undefined;
  for await (const event of lab.client.forget({ scope, target })) if (event.type === 'done') last = event;
  return last!;
}

/** Words of the secret that any file of the app has. */
function onDisk(lab: AppLab): string[] {
  const bytes = lab.store.file
    .files()
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file).toString('latin1').toLowerCase())
    .join('\n');
  return ['quince', 'brockenhurst'].filter((word) => bytes.includes(word));
}

const texts = async (lab: AppLab, conversation: string) =>
  (await lab.client.conversation({ conversation })).messages.map(({ text, state }) =>
    state === 'forgotten' ? null : text,
  );

describe('forgetting', () => {
  it('removes turns from conversations, quotes, titles, drafts and waiting runs, down to the disk', async () => {
    await using lab = await AppLab.open();
    await lab.chat(SECRET);
    await lab.chat('What won at Brockenhurst?', { conversation: 'c2' });
    const own = await lab.chat(`He told me: "${SECRET}"`, { conversation: 'c3', isPrivate: true });
    const waiting = await lab.chat(SECRET, { conversation: 'c4', confirm: true });
    await lab.client.saveConversation({ conversation: 'c2', title: SECRET, draft: `And ${SECRET}` });
    await lab.client.saveFolder({ folder: 'f', name: SECRET, scope: 'default' });
    await lab.chat('The weather is fine.', { conversation: 'c5' });
    expect((await texts(lab, 'c2'))[1]).toContain('quince');
    expect(onDisk(lab)).toEqual(['quince', 'brockenhurst']);
    await lab.app.reading.settled();

    const { proof } = await forget(lab, { session: 'c1' });
    expect(proof).toMatchObject({ clean: true, findings: [] });
    expect(await texts(lab, 'c1')).toEqual([null, expect.anything()]);
    expect((await texts(lab, 'c2'))[1]).toBeNull();
    expect((await texts(lab, 'c3'))[0]).toBeNull();
    expect((await texts(lab, 'c4'))[0]).toBeNull();
    expect((await texts(lab, 'c5'))[0]).toBe('The weather is fine.');
    expect(own.answer.state).toBe('complete');
    const { items } = await lab.client.conversations({});
    expect(JSON.stringify(items)).not.toContain('quince');
    await expect(
      lab.client.decide({ message: waiting.answer.id, decision: 'approve' }),
    ).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect((await lab.client.find({ query: 'quince', kinds: ['message'] })).hits).toEqual([]);
    // The question of c2 names the place, and memory still has it.
    await forget(lab, { session: 'c2' });
    expect(onDisk(lab)).toEqual([]);
  });

  it('is not done before the conversations are clean', async () => {
    await using lab = await AppLab.open();
    await lab.chat(SECRET);
    const open: number[] = [];
    const forgetting = lab.client.forget({ scope: 'default', target: { session: 'c1' } });
    for await (const { type } of forgetting) if (type === 'done') open.push(lab.store.removals.list().length);
    expect(open).toEqual([0]);
  });

  it('says in its proof what the store still has, and leaves other scopes alone', async () => {
    await using lab = await AppLab.open();
    await lab.client.saveConversation({ conversation: 'other', scope: 'other' });
    await lab.chat(SECRET, { conversation: 'other' });
    await lab.chat(SECRET);
    expect((await forget(lab, { session: 'c1' })).proof).toMatchObject({ clean: true });
    expect((await texts(lab, 'other'))[0]).toBe(SECRET);
    const holder = (await import('../../../main/assistant/store/app-text-holder.ts')).appTextHolder(
      lab.store,
    );
    expect(await holder.holds([SECRET], { scope: 'default' })).toEqual([]);
    expect(await holder.holds([SECRET])).toEqual([{ text: 0, where: 'message', count: 1 }]);
  });

  it('of a conversation that is deleted takes its turns with it, or keeps them', async () => {
    await using lab = await AppLab.open();
    await lab.chat(SECRET);
    await lab.chat('I keep bees.', { conversation: 'kept' });
    const events = [];
    for await (const event of lab.client.deleteConversation({ conversation: 'c1', memory: 'forget' }))
      events.push(event);
    expect(events.at(-1)).toEqual({ type: 'done', forgotten: 1 });
    expect(events.length).toBeGreaterThan(1);
    for await (const _ of lab.client.deleteConversation({ conversation: 'kept', memory: 'keep' }));
    const { items } = await lab.client.conversations({});
    expect(items).toEqual([]);
    expect(onDisk(lab)).toEqual([]);
    expect((await lab.engine.scope('default').turns('kept')).map(({ content }) => content)).toEqual([
      'I keep bees.',
    ]);
  });

  it('has the windows ask again once the turns beside the forgotten ones are read again', async () => {
    await using lab = await AppLab.open();
    await lab.chat(SECRET);
    await lab.app.reading.settled();
    const stop = new AbortController();
    const scopes: string[] = [];
    const following = (async () => {
      for await (const event of lab.app.events.follow(stop.signal))
        if (event.type === 'memory') scopes.push(event.scope);
    })();
    for await (const _ of lab.client.deleteConversation({ conversation: 'c1', memory: 'forget' }));
    await expect.poll(() => scopes).toEqual(['default']);
    stop.abort();
    await following;
  });

  it('of a conversation that is deleted takes its attachments, unless another one has the same document', async () => {
    await using lab = await AppLab.open();
    const attach = async (conversation: string, name: string, text: string) => {
      const upload = `${conversation}-${name.replace('.', '-')}`;
      await lab.client.beginUpload({ upload, name, bytes: Buffer.byteLength(text) });
      await lab.client.uploadPart({ upload, offset: 0, data: Buffer.from(text).toString('base64') });
      return upload;
    };
    const shared = 'The boat Albatross lies in Piran.';
    const attachments = [await attach('a', 'own.txt', SECRET), await attach('a', 'shared.txt', shared)];
    await lab.chat('Read these.', { conversation: 'a', attachments });
    const other = await attach('b', 'shared.txt', shared);
    await lab.chat('Read this.', { conversation: 'b', attachments: [other] });
    expect((await lab.client.stats({ scope: 'default' })).episode).toBe(4);
    for await (const _ of lab.client.deleteConversation({ conversation: 'a', memory: 'forget' }));
    const { episodes } = await lab.client.previewForget({ scope: 'default', target: { all: true } });
    const left = await lab.engine.scope('default').episodes(episodes);
    expect(left.map(({ content }) => content).toSorted()).toEqual(['Read this.', shared]);
    expect(onDisk(lab)).toEqual([]);
    for await (const _ of lab.client.deleteConversation({ conversation: 'b', memory: 'forget' }));
    expect((await lab.client.stats({ scope: 'default' })).episode).toBe(0);
  });

  it('that ends before it began leaves every message, and one that a crash broke off is completed', async () => {
    await using lab = await AppLab.open();
    await lab.chat(SECRET);
    const before = await texts(lab, 'c1');
    const signal = AbortSignal.abort();
    const target = { session: 'c1' };
    const cancelled = async () => {
      for await (const _ of lab.client.forget({ scope: 'default', target }, { signal }));
    };
    await expect(cancelled()).rejects.toMatchObject({ code: 'cancelled' });
    await expect(forget(lab, { session: 'nobody' })).rejects.toMatchObject({ code: 'invalid-input' });
    const deleting = async () => {
      const request = { conversation: 'c1', memory: 'forget' } as const;
      for await (const _ of lab.client.deleteConversation(request, { signal }));
    };
    await expect(deleting()).rejects.toMatchObject({ code: 'cancelled' });
    expect(await texts(lab, 'c1')).toEqual(before);
    expect((await lab.client.conversations({})).items[0]!.title).toContain('quince');
    expect((await lab.engine.scope('default').turns('c1')).length).toBe(1);

    await lab.app.beginRemoval('default');
    await lab.engine.scope('default').forget(target);
    await using later = await lab.reopen({ crash: true });
    expect((await texts(later, 'c1'))[0]).toBeNull();
    expect((await later.client.conversations({})).items[0]!.title).toBe('');
    expect(later.store.file.all('SELECT 1 FROM removal')).toEqual([]);
    expect(onDisk(later)).toEqual([]);
  });

  it('left early after its first step removes the rest, and blanks what is gone', async () => {
    await using lab = await AppLab.open();
    await lab.chat(SECRET);
    for await (const event of lab.client.forget({ scope: 'default', target: { session: 'c1' } }))
      if (event.type === 'progress') break;
    expect((await texts(lab, 'c1'))[0]).toBeNull();
    expect(await lab.engine.scope('default').turns('c1')).toEqual([]);
  });

  it('removes names of jobs and uploads, and keeps the ending of an upload', async () => {
    await using lab = await AppLab.open();
    const text = JSON.stringify({ content: 'A note.', session: 's', at: '2024-01-01' });
    for (const upload of ['done', 'waits']) {
      await lab.client.beginUpload({ upload, name: `${SECRET}jsonl`, bytes: text.length });
      await lab.client.uploadPart({ upload, offset: 0, data: Buffer.from(text).toString('base64') });
    }
    await lab.client.startImport({ job: 'j', upload: 'done', scope: 'default' });
    for await (const job of lab.client.followJob({ job: 'j' }))
      if (job.endedAt !== null) expect(job).toMatchObject({ state: 'done', name: `${SECRET}jsonl` });
    await lab.chat(SECRET);
    expect((await forget(lab, { session: 'c1' })).proof).toMatchObject({ clean: true });
    expect((await lab.client.jobs({})).items).toMatchObject([{ id: 'j', name: 'File' }]);
    expect(lab.store.file.all('SELECT name FROM upload')).toEqual([{ name: 'File.jsonl' }]);
    expect(onDisk(lab)).toEqual([]);
  });

  it('follows a retention rule', async () => {
    let now = Date.UTC(2024, 0, 1);
    await using lab = await AppLab.open({ app: { clock: () => now } });
    await lab.chat(SECRET);
    now = Date.now();
    await lab.chat('I keep bees.', { conversation: 'new' });
    await lab.app.reading.settled(); // turns that wait to be read keep their text
    const retention = { turns: { olderThan: '30d', keepFacts: true } };
    await lab.client.maintain({ scope: 'default', retention });
    expect((await texts(lab, 'c1'))[0]).toBeNull();
    expect((await texts(lab, 'new'))[0]).toBe('I keep bees.');
  });
});
