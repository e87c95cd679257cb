import { describe, expect, it } from 'vitest';
import { inContext } from '../../graphs/assistant/follow-up.ts';
import { replyToSmallTalk } from '../../graphs/assistant/small-talk.ts';

describe('inContext', () => {
  it.each([
    [
      'What does she do for a living?',
      'My sister Clara moved to Porto in March.',
      'What does Clara do for a living?',
    ],
    ['When did he move?', 'Where does Jon live?', 'When did Jon move?'],
    ['Who is her teacher?', 'When did Nora adopt a dog?', "Who is Nora's teacher?"],
    ['Did I call her?', 'In Lyon I met Nora Weiss.', 'Did I call Nora Weiss?'],
  ])('reads “%s” after “%s”', (question, earlier, expected) =>
    expect(inContext(question, [earlier])).toBe(expected),
  );

  it('takes the person who was named last', () =>
    expect(inContext('Where does she live?', ['Who is Ida?', 'Who is Gina?', 'thanks'])).toBe(
      'Where does Gina live?',
    ));

  it.each([
    ['Where does Clara think she lives?', 'Who is Ida?'],
    ['Where does she live?', 'where did we go in March?'],
    ['Where does she live?', 'We flew to Porto.'],
    ['What is the shell of there?', 'Who is Ida?'],
  ])('leaves “%s” after “%s” as it is', (question, earlier) =>
    expect(inContext(question, [earlier])).toBe(question),
  );
});

describe('replyToSmallTalk', () => {
  it.each([
    'hi',
    'Hello there!',
    'thanks',
    'Great, thanks!',
    'Thank you so much :)',
    'ok',
    'How are you?',
    'Bye.',
  ])('answers “%s”', (text) => expect(replyToSmallTalk(text)).not.toBeNull());

  it.each(['Hi, where does Clara live?', 'I thanked Clara', 'Hello Kitty', 'Thanksgiving', '?', 'no', 'yes'])(
    'leaves “%s” to memory',
    (text) => expect(replyToSmallTalk(text)).toBeNull(),
  );
});
