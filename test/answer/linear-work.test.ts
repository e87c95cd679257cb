import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostileText } from '../../bench/hostile-texts/shapes.ts';
import { extractiveAnswer } from '../../src/answer/extractive-answer.ts';
import { thoughtsOf } from '../../src/answer/thoughts.ts';
import { unstatedIn } from '../../src/util/unstated.ts';
import { episodeItem, found } from './items.ts';

const { exec } = RegExp.prototype;
let read = 0;
/** Counts the characters that regular expressions read: up to the end of a match, or to the end of the text. */
function countingExec(this: RegExp, text: string): RegExpExecArray | null {
  const from = this.global || this.sticky ? this.lastIndex : 0;
  const match = exec.call(this, text);
  read += (match === null ? text.length : match.index + match[0].length) - from;
  return match;
}

beforeEach(() => {
  RegExp.prototype.exec = countingExec;
});
afterEach(() => {
  RegExp.prototype.exec = exec;
});

async function workOf(run: () => unknown): Promise<number> {
  await run();
  read = 0;
  await run();
  return read;
}

const SENTENCE = '私は東京に住んでいますそして毎朝パンを焼きます';
const TEXTS: Readonly<Record<string, (times: number) => string>> = {
  'characters without spaces': (times) => SENTENCE.repeat(times),
  'sentences without spaces': (times) => `${SENTENCE}。`.repeat(times),
  'short sentences': (times) => 'I moved to Ghent. '.repeat(times),
  'lists below a line': (times) => 'Buy this:\n- bread\n- milk\n\n'.repeat(times),
  'quoted words': (times) => 'She said "Yes" to me. '.repeat(times),
  ...Object.fromEntries(
    ['full stops apart', 'Mr.', 'sentences with new names', 'sentences with two new names'].map((shape) => [
      shape,
      (times: number) => hostileText(shape, 20 * times),
    ]),
  ),
};
const TIMES = 200;
/** Twice the text may take twice the work, and a little more; quadratic work would take four times as much. */
const MOST = 2.3;

describe('the characters that are read for twice the text', () => {
  it.each(Object.keys(TEXTS))('are twice as many for an answer from %s', async (kind) => {
    const knowledge = { weight: () => 1, isSpeaker: () => false };
    const answer = (content: string) =>
      extractiveAnswer(
        found({ query: '東京のどこに住んでいますか', episodes: [episodeItem('long', { content })] }),
        knowledge,
      );
    const once = await workOf(() => answer(TEXTS[kind]!(TIMES)));
    expect(once).toBeGreaterThan(TIMES);
    expect(await workOf(() => answer(TEXTS[kind]!(2 * TIMES)))).toBeLessThan(MOST * once);
  });

  it.each(Object.keys(TEXTS))('are twice as many for the parts of a turn of %s', async (kind) => {
    const split = (content: string) => () => {
      unstatedIn(content);
      return thoughtsOf({ content, attachments: [], role: 'user', source: 'api' });
    };
    const once = await workOf(split(TEXTS[kind]!(TIMES)));
    expect(await workOf(split(TEXTS[kind]!(2 * TIMES)))).toBeLessThan(MOST * once);
  });
});
