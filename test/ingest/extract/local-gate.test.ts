import { describe, expect, it } from 'vitest';
import { LocalGate } from '../../../src/ingest/extract/local-gate.ts';
import { dialogue, turn } from '../turns.ts';

const gate = new LocalGate();

/** Robert speaks to Priya. */
async function judge(content: string): Promise<unknown> {
  return (await gate.judge(dialogue('Priya: Hello!', `Robert: ${content}`)))[1];
}

describe('LocalGate', () => {
  it('gives one judgement per turn', async () => {
    const odd = ['', '  ', '😀', '\ud83d', '我昨天搬到了北京。', '```\ncode\n```', 'long '.repeat(50_000)];
    const judgements = await gate.judge(odd.map((content) => turn('Ann', content)));
    expect(judgements).toHaveLength(odd.length);
    for (const judgement of judgements) expect(['kept', 'dropped']).toContain(judgement);
  });

  it('returns nothing for no turns', async () => expect(await gate.judge([])).toEqual([]));

  it('keeps a fact and drops a greeting', async () => {
    const turns = dialogue('Ann: I adopted a puppy in Oslo last week.', 'Ann: Hi!');
    expect(await gate.judge(turns)).toEqual(['kept', 'dropped']);
  });

  it('is deterministic', async () => {
    const turns = dialogue('Ann: I ski.', 'Bob: Cool!', 'Ann: Do you ski?', 'Bob: Yes!');
    expect(await gate.judge(turns)).toEqual(await gate.judge(turns));
  });

  it('stops when it is cancelled', async () => {
    const options = { signal: AbortSignal.abort() };
    await expect(gate.judge(dialogue('Ann: Hi!'), options)).rejects.toMatchObject({ code: 'cancelled' });
  });
});

it.each([
  'Hi Priya!',
  'Hey Priya, how are you doing?',
  "What's up?",
  'Long time no see! How have you been?',
  'Thanks, Priya!',
  'Thank you so much, your support means a lot to me.',
  'You too! Take care, talk to you soon.',
  'Bye!',
  'Awwww, so cute!',
  'Sooooo cool!!!',
  'Yes.',
  'Okay, sounds good.',
  'Haha, totally agree.',
  'Wow, that is amazing! Congrats!',
  "You've got this! Keep going and believe in yourself!",
  "I'm so proud of you.",
  "No worries, I'm always here for you.",
  'Nice bookshelf!',
  '<3',
  '😂😂',
  '...',
  '¡Gracias!',
  '谢谢',
])('dropped %s', async (content) => expect(await judge(content)).toBe('dropped'));

describe('kept', () => {
  it.each([
    ['a fact', 'I moved to Lisbon.'],
    ['a fact in one word', 'I quit!'],
    ['a fact without "I"', 'Finished the marathon!'],
    ['news in a common word', 'I got the job!'],
    ['a change of plans', 'I have other plans.'],
    ['a fact after a courtesy', 'Thanks, Priya! My knee has healed.'],
    ['a state', "I'm sick."],
    ['a bad day', 'I had a really bad day.'],
    ['a friend', 'I made a new friend.'],
    ['a preference', 'I prefer tea.'],
    ['a dislike', 'I hate cilantro.'],
    ['a plan', "Can't wait to see my cousins in Peru."],
    ['somebody they know', 'He moved out.'],
    ['a wish for the talk', "Don't use emojis."],
    ['a date', 'The opening is tomorrow!'],
    ['a number', "I'm 34."],
    ['a need', 'Can you recommend a dentist?'],
    ['a task', 'How do I configure nginx?'],
    ['interest', 'What got you into pottery?'],
    ['advice', 'Try a warm compress and rest the ankle.'],
    ['another language', 'Ayer visité a mi hermana en Sevilla.'],
    ['a script without spaces', '我昨天搬到了北京。'],
    ['a log', 'ERROR 2024-06-10 database timeout after 30s'],
  ])('%s: %s', async (_, content) => expect(await judge(content)).toBe('kept'));

  it('a picture with a caption', async () => {
    const attachments = [{ kind: 'image', description: 'a dog on a sofa' }];
    expect(await gate.judge([turn('Ann', 'Look!', { attachments })])).toEqual(['kept']);
    expect(
      await gate.judge([turn('Ann', 'Look!', { attachments: [{ kind: 'image', description: ' ' }] })]),
    ).toEqual(['dropped']);
  });
});

describe('an answer', () => {
  it.each([
    ['Do you play an instrument?', 'Yep!', 'kept'],
    ['Have you ever been to Peru?', 'No, never.', 'kept'],
    ['Where do you live?', 'Lisbon.', 'kept'],
    ['How are you?', 'Yes, great!', 'dropped'],
    ['I play the cello.', 'Yep!', 'dropped'],
    ['Do you play the cello?', 'Thanks!', 'dropped'],
  ])('%s – %s: %s', async (question, answer, expected) => {
    expect((await gate.judge(dialogue(`Ann: ${question}`, `Bob: ${answer}`)))[1]).toBe(expected);
  });

  it('comes from another speaker', async () => {
    expect((await gate.judge(dialogue('Ann: Do you ski?', 'Ann: Yes!')))[1]).toBe('dropped');
  });
});

describe('names', () => {
  it('refer to the other speaker if there are two, in full or short', async () => {
    const turns = dialogue('Caroline: I ski.', 'Mel: Wow, Caroline!', 'Mel: Go, Caro!');
    expect(await gate.judge(turns)).toEqual(['kept', 'dropped', 'dropped']);
  });

  it('may refer to a third person', async () => {
    const turns = dialogue('Ann: I ski.', 'Bob: Ann was so nervous.', 'Cleo: I swim.');
    expect(await gate.judge(turns)).toEqual(['kept', 'kept', 'kept']);
  });
});
