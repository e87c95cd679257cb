import { describe, expect, it } from 'vitest';
import type { Learned } from '../../../main/contract.ts';
import { rememberedWords } from '../../../renderer/chat/remembered-words.ts';

const learned = (said: readonly string[], facts: number, pending = 0) => ({
  turns: said.map((text, at) => ({
    id: `t${at}`,
    text,
    speaker: at % 2 === 0 ? 'Ada' : 'assistant',
    isRead: true,
  })) as unknown as Learned['turns'],
  facts: Array.from({ length: facts }, () => ({})) as unknown as Learned['facts'],
  pending,
});

describe('rememberedWords', () => {
  it('counts facts, not the message beside them', () =>
    expect(rememberedWords(learned(['I moved and work as a nurse.'], 2))).toMatchObject({
      label: 'Remembered 2 things',
      isQuiet: false,
    }));

  it('counts what was told while it is not read', () =>
    expect(rememberedWords(learned(['My bicycle is yellow.'], 0, 1))).toMatchObject({
      label: 'Remembered 1 thing',
      title: 'Remembered 1 thing, still reading',
    }));

  it('counts no answer, so that the number does not fall when the facts are known', () =>
    expect(rememberedWords(learned(['My bicycle is yellow.', 'Noted.'], 0, 2))).toMatchObject({
      label: 'Remembered 1 thing',
    }));

  it('announces nothing for a question', () =>
    expect(rememberedWords(learned(['Where did I move?'], 0))).toMatchObject({
      label: 'Remembered',
      isQuiet: true,
    }));

  it('has no words for what was forgotten, never "0 things"', () =>
    expect(rememberedWords(learned([], 0))).toBeNull());
});
