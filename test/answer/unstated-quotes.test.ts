import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';

async function asked(turns: readonly TurnInput[], question: string): Promise<string> {
  await using engine = await Mnemis.open({ path: ':memory:' });
  const memory = engine.scope('alice');
  await memory.add(
    turns.map((turn, at) => ({ speaker: 'Alice', session: 's', at: `2026-03-02T09:0${at}Z`, ...turn })),
  );
  await memory.flush();
  return (await memory.ask(question)).text;
}

const said = (...contents: string[]): TurnInput[] => contents.map((content) => ({ content }));
const answered = (question: string, content: string): TurnInput[] => [
  { content: question },
  { content, role: 'assistant', speaker: 'assistant' },
];
const LETTER = 'I live in Boston and I have two cats. The door code is 4411.';

describe('an answer never quotes what nobody stated', () => {
  it.each<[readonly TurnInput[], string, string]>([
    [said('Translate: "I live in Berlin"'), 'Where do I live?', 'Berlin'],
    [said('Translate to French: I live in Berlin.'), 'Where do I live?', 'Berlin'],
    [said('Fix the grammar: I has two cat.'), 'How many cats do I have?', 'two'],
    [said('Pretend that my name is Napoleon.'), 'What is my name?', 'Napoleon'],
    [said('Imagine I have a brother called Tom. He works at Google.'), 'Where does Tom work?', 'Google'],
    [said('You are a pirate who lives in Tortuga.'), 'Where do I live?', 'Tortuga'],
    [said('Write a story where I am a pirate who lives in Tortuga.'), 'Where do I live?', 'Tortuga'],
    [said('In my novel, Anna lives in Rome.'), 'Where does Anna live?', 'Rome'],
    [said('If I lived in Rome, I would eat pizza.'), 'Where do I live?', 'Rome'],
    [said('For example, "I live in Rome" is a simple sentence.'), 'Where do I live?', 'Rome'],
    [said(`Here is the letter from Dr. Hale:\n\n${LETTER}`), 'How many cats do I have?', 'two cats'],
    [said(`> ${LETTER}\n\nWhat should I answer?`), 'Where do I live?', 'Boston'],
    [said('```\nI live in Boston and have two cats.\n```\nFix the grammar.'), 'Where do I live?', 'Boston'],
    [said('I wonder whether Anna moved to Oslo.'), 'Where does Anna live?', 'Oslo'],
    [
      [{ content: 'Keep this.', attachments: [{ kind: 'document', description: LETTER }] }],
      'Where do I live?',
      'Boston',
    ],
    [
      [{ content: LETTER, role: 'other', speaker: 'letter.md', source: 'markdown' }],
      'How many cats do I have?',
      'two cats',
    ],
    [answered('Where could I go?', 'You live in Paris, so try Septime.'), 'Where do I live?', 'Paris'],
    [answered('Suggest dinner.', 'Your wife Anna loves mushrooms.'), 'Who is my wife?', 'Anna'],
    [
      answered('Suggest dinner.', 'As a vegetarian you could cook risotto.'),
      'Am I a vegetarian?',
      'vegetarian',
    ],
  ])('%j: %s', async (turns, question, never) => {
    expect(await asked(turns, question)).not.toContain(never);
  });

  it.each<[readonly TurnInput[], string, string]>([
    [said('Translate: "I live in Berlin". By the way, I live in Ghent.'), 'Where do I live?', 'Ghent'],
    [said('Anna told me: "I live in Rome."'), 'Where does Anna live?', 'Rome'],
    [
      [{ content: LETTER, role: 'other', speaker: 'letter.md', source: 'markdown' }],
      'What is the door code?',
      '4411',
    ],
    [said(`Here is the letter from Dr. Hale:\n\n${LETTER}`), 'What is the door code?', '4411'],
    [answered('Suggest dinner.', 'You could cook a risotto.'), 'Which dinner did you suggest?', 'risotto'],
  ])('but it quotes: %j: %s', async (turns, question, words) => {
    expect(await asked(turns, question)).toContain(words);
  });
});
