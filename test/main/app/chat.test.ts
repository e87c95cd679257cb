import { describe, expect, it } from 'vitest';
import { AppLab } from './app-lab.ts';

const MOVE = { speaker: 'Ana', session: 's1', at: '2024-03-05', content: 'I moved to Lisbon last week.' };

describe('chat in the local tier', () => {
  it('streams an answer that quotes memory, and reads it back', async () => {
    await using lab = await AppLab.open();
    await lab.client.add({ scope: 'default', turns: [MOVE] });
    const { events, answer } = await lab.chat('Where did Ana move?');
    expect(events.map(({ type }) => type)).toEqual(['begun', 'recalled', 'answer', 'done']);
    expect(answer).toMatchObject({ state: 'complete', role: 'assistant', model: null, isPrivate: false });
    expect(answer.text).toMatch(/I moved to Lisbon last week\..* \[1\]/);
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
  });
});
