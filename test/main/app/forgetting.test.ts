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
    expect((await lab.client.searchConversations({ query: 'quince' })).hits).toEqual([]);
    // The question of c2 names the place, and memory still has it.
    await forget(lab, { session: 'c2' });
    expect(onDisk(lab)).toEqual([]);
  });

  it('says in its proof what the store still has, and leaves other scopes alone', async () => {
    await using lab = await AppLab.open();
    await lab.client.saveConversation({ conversation: 'other', scope: 'other' });
    await lab.chat(SECRET, { conversation: 'other' });
    await lab.chat(SECRET);
    expect((await forget(lab, { session: 'c1' })).proof).toMatchObject({ clean: true });
    expect((await texts(lab, 'other'))[0]).toBe(SECRET);
    const holder = (await import('../../../main/app/store/app-text-holder.ts')).appTextHolder(lab.store);
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
