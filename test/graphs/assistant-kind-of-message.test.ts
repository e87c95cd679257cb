import { describe, expect, it } from 'vitest';
import { kindOfMessage } from '../../graphs/assistant/kind-of-message.ts';

describe('kindOfMessage', () => {
  it.each([
    'Where did I move?',
    'tell me about my sister',
    'I moved to Bergen. Where does Ida live now?',
    'Please list our trips',
    'I forgot: what is my blood type',
  ])('takes “%s” for a question or a request', (text) => expect(kindOfMessage(text).asks).toBe(true));

  it.each([
    'I moved to Bergen in March.',
    'We adopted a dog, and my sister named it Pixel.',
    'I’m allergic to nuts.',
    'I feed the hens. Count the eggs every morning.',
  ])('takes “%s” for something told', (text) =>
    expect(kindOfMessage(text)).toMatchObject({ asks: false, tellsOfSpeaker: true }),
  );

  it.each([
    'Find a plumber by Friday.',
    'Look after the cat of Ida every Monday',
    'Search the attic on Saturday',
  ])('takes “%s” for a note', (text) => expect(kindOfMessage(text).asks).toBe(false));

  it.each(['Find me a plumber by Friday', 'Show what is due tomorrow?', 'Please list our trips this month'])(
    'takes “%s” for a request',
    (text) => expect(kindOfMessage(text).asks).toBe(true),
  );

  it('takes what is told of others for no key words', () =>
    expect(kindOfMessage('The meeting with Ida is on Friday').isKeyWords).toBe(false));

  it.each(['vegetarian recipes', 'Ida birthday'])('takes “%s” for key words', (text) =>
    expect(kindOfMessage(text)).toMatchObject({ asks: false, tellsOfSpeaker: false, isKeyWords: true }),
  );

  it.each([
    'Keep this please',
    'Please keep this letter that a doctor sent to me.',
    'Could you save this for me?',
    'Remember that the spare key hangs in the shed.',
    'Don’t forget: the code of the gate is blue.',
    'note down: milk, rye, figs',
  ])('takes “%s” for something to keep', (text) =>
    expect(kindOfMessage(text)).toMatchObject({ asks: false, isToKeep: true, isReminder: false }),
  );

  it.each([
    'Remind me tomorrow to call the dentist',
    'Can you remind us on Friday about the rent?',
    'Set a reminder for the dentist at 9',
    'please set me an alarm for 6:30',
    'Wake me at seven',
  ])('takes “%s” for a reminder', (text) =>
    expect(kindOfMessage(text)).toMatchObject({ asks: false, isReminder: true }),
  );

  it.each([
    'Remind me what Ida said',
    'Remind me who lives in Bergen',
    'Do you remember the name of the vet?',
    'Remember when we went to Rome?',
    'Keep this. Where does Ida live?',
    'Which reminders are set?',
    'Keeping bees: what did Ida say?',
  ])('takes “%s” for a question', (text) => expect(kindOfMessage(text).asks).toBe(true));
});
