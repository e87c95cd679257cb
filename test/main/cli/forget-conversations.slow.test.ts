import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MemoryClient } from '../../../main/contract.ts';
import { EngineLab } from '../engine-lab.ts';

const TEXT = 'I adopted a grey cat called Miso.';

/** Two conversations, of which one quotes the other, and a draft. */
async function fill(client: MemoryClient): Promise<void> {
  for await (const _ of client.chat({ conversation: 'c1', message: 'm1', text: TEXT }));
  await client.saveConversation({ conversation: 'c1', draft: `Again: ${TEXT}` });
  for await (const _ of client.chat({ conversation: 'c2', message: 'm2', text: 'What is Miso?' }));
  const { messages } = await client.conversation({ conversation: 'c2' });
  expect(messages[1]!.text).toContain('grey cat');
}

async function expectClean({ client, lab }: EngineLab): Promise<void> {
  const { messages, conversation } = await client.conversation({ conversation: 'c1' });
  expect(messages[0]).toMatchObject({ text: '', state: 'forgotten' });
  expect(conversation).toMatchObject({ title: '', draft: '' });
  const other = (await client.conversation({ conversation: 'c2' })).messages;
  expect(other).toMatchObject([{ text: 'What is Miso?' }, { text: '', state: 'forgotten' }]);
  const files = readdirSync(lab.folder, { withFileTypes: true })
    .filter((each) => each.isFile() && each.name.includes('.app.sqlite'))
    .map(({ name }) => join(lab.folder, name));
  expect(files).not.toEqual([]);
  for (const file of files) expect(readFileSync(file).includes('grey cat')).toBe(false);
}

describe('mnemis forget over the conversations beside a memory', () => {
  it.each([
    ['through the running engine', true],
    ['without one', false],
  ])('cleans them %s', async (_how, isRunning) => {
    await using engine = await EngineLab.open();
    const { client, lab } = engine;
    await fill(client);
    if (!isRunning) expect(await lab.run('server', 'stop')).toMatchObject({ exitCode: 0 });
    const run = await lab.run('forget', '--session', 'c1', '--yes', '--json');
    expect(run.json()).toMatchObject({ removed: { episode: 1 }, proof: { clean: true } });
    const status = (await lab.run('server', 'status', '--json')).json<{ running: boolean }>();
    expect(status.running).toBe(isRunning);
    await expectClean(engine);
  });
});
