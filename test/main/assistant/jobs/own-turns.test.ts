import { expect, it } from 'vitest';
import { ownTurn } from '../../../../main/assistant/jobs/own-turns.ts';
import { AppLab } from './app-lab.ts';

const turn = { content: 'I live in Oslo.', speaker: 'Johnny', role: 'user' } as const;

it('gives the words of the chosen speaker to the user, and those of others to others', () => {
  const own = { speaker: 'Johnny', name: 'John' };
  expect(ownTurn(turn, own)).toEqual({ ...turn, speaker: 'John' });
  expect(ownTurn({ ...turn, role: 'other' }, own)).toMatchObject({ speaker: 'John', role: 'user' });
  expect(ownTurn({ ...turn, speaker: 'Ana' }, own)).toMatchObject({ speaker: 'Ana', role: 'other' });
  expect(ownTurn({ ...turn, speaker: 'GPT', role: 'assistant' }, own)).toMatchObject({ role: 'assistant' });
  expect(ownTurn(turn, null)).toBe(turn);
});

const CHAT = '25/03/2024, 10:10 - Johnny: I live in Oslo.\n25/03/2024, 10:11 - Ana: I live in Ghent.';

it.each([
  ['', 'Johnny'],
  ['John', 'John'],
])('an import makes the chosen speaker the user, whose name was "%s"', async (before, name) => {
  await using lab = await AppLab.open();
  const { client } = lab;
  if (before !== '') await client.saveSettings({ preferences: { name: before } });
  await lab.upload('u', 'WhatsApp Chat with Ana.txt', CHAT);
  const settings = { speaker: 'Johnny' };
  const input = { upload: 'u', scope: 'default', settings };
  // The preview has the names of the file, from which one is chosen.
  const { speakers, known } = await client.previewUpload(input);
  expect(speakers.map((speaker) => speaker.name)).toEqual(['Johnny', 'Ana']);
  expect(known).toBe(0);
  await client.startImport({ job: 'j', ...input });
  expect(await lab.until('j')).toMatchObject({ state: 'done' });
  expect((await client.settings({})).preferences.name).toBe(name);
  const { items } = await client.turns({ scope: 'default' });
  expect(items.map(({ speaker }) => speaker).sort()).toEqual(['Ana', name].sort());
  const { entity } = await client.portrait({ scope: 'default' });
  expect(entity).toMatchObject({ name, isUser: true });
});
