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
  ])('takes “%s” for something told', (text) =>
    expect(kindOfMessage(text)).toMatchObject({ asks: false, tellsOfSpeaker: true }),
  );

  it('takes what is told of others for no key words', () =>
    expect(kindOfMessage('The meeting with Ida is on Friday').isKeyWords).toBe(false));

  it.each(['vegetarian recipes', 'Ida birthday'])('takes “%s” for key words', (text) =>
    expect(kindOfMessage(text)).toEqual({ asks: false, tellsOfSpeaker: false, isKeyWords: true }),
  );
});
