import { describe, expect, it } from 'vitest';
import { replyToSmallTalk } from '../../graphs/assistant/small-talk.ts';

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
