import { describe, expect, it } from 'vitest';
import { GrowingReplyText, readReplyText } from '../../../src/inference/language-model/reading/reply-text.ts';

/** The text of a reply that comes in pieces of some size. */
function streamed(reply: string, size: number): string {
  const growing = new GrowingReplyText(false);
  let text = '';
  for (let at = 0; at < reply.length; at += size) text += growing.add(reply.slice(at, at + size));
  return text + growing.end();
}

const ANSWER = 'She lives in Oslo [1].';
const REPLIES: readonly (readonly [what: string, reply: string, text: string])[] = [
  ['no reasoning', ANSWER, ANSWER],
  ['think', `<think>secret</think>${ANSWER}`, ANSWER],
  ['thinking', `<thinking>\nsecret\n</thinking>\n\n${ANSWER}`, ANSWER],
  ['reasoning', `<reasoning>secret</reasoning>\n${ANSWER}`, ANSWER],
  ['thought', `<thought>secret</thought>\n${ANSWER}`, ANSWER],
  ['reflection', `<reflection>secret</reflection>\n${ANSWER}`, ANSWER],
  ['upper case', `<THINK>secret</THINK>${ANSWER}`, ANSWER],
  ['mixed case', `<Thinking>secret</Thinking>${ANSWER}`, ANSWER],
  ['attributes', `<think duration="3">secret</think>${ANSWER}`, ANSWER],
  ['a name space', `<seed:think>secret</seed:think>${ANSWER}`, ANSWER],
  ['a scratch pad', `<scratchpad>secret</scratchpad>${ANSWER}`, ANSWER],
  ['inner monologue', `<inner_monologue>secret</inner_monologue>${ANSWER}`, ANSWER],
  ['escaped marks', `&lt;think&gt;secret&lt;/think&gt;${ANSWER}`, ANSWER],
  ['white diamonds', `◁think▷secret◁/think▷${ANSWER}`, ANSWER],
  ['brackets', `[THINK]secret[/THINK]${ANSWER}`, ANSWER],
  [
    'parts',
    `<|begin_of_thought|>secret<|end_of_thought|>\n<|begin_of_solution|>${ANSWER}<|end_of_solution|>`,
    ANSWER,
  ],
  [
    'start and end',
    `<|START_THINKING|>secret<|END_THINKING|><|START_RESPONSE|>${ANSWER}<|END_RESPONSE|>`,
    ANSWER,
  ],
  [
    'channels',
    `<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}<|return|>`,
    ANSWER,
  ],
  [
    'several channels',
    `<|channel|>analysis<|message|>secret<|end|><|start|>assistant<|channel|>commentary<|message|>secret<|end|><|start|>assistant<|channel|>final <|constrain|>text<|message|>${ANSWER}`,
    ANSWER,
  ],
  [
    'channels without their first mark',
    `analysis<|message|>secret<|end|><|channel|>final<|message|>${ANSWER}`,
    ANSWER,
  ],
  ['channels without marks', `analysisThe user asks where.assistantfinal${ANSWER}`, ANSWER],
  ['a channel alone', '<|channel|>analysis<|message|>secret [1]', ''],
  ['a channel alone, without marks', 'analysisWe need to say Oslo [1]', ''],
  ['a channel that opens and closes', `<|channel>thought\nsecret\n<channel|>${ANSWER}`, ANSWER],
  ['a part of a page', `<details type="reasoning" done="true">\n> secret\n</details>\n${ANSWER}`, ANSWER],
  ['a part of a page that is no reasoning', `<details>${ANSWER}</details>`, `<details>${ANSWER}</details>`],
  ['a wrapped answer', `<think>secret</think>\n<answer>${ANSWER}</answer>`, ANSWER],
  ['an answer wrapped as output', `<Thought>secret</Thought>\n<Output>\n${ANSWER}\n</Output>`, ANSWER],
  ['what a server leaves', `<think>secret</think>${ANSWER}<|im_end|>`, ANSWER],
  ['nested reasoning', `<thinking>a<reflection>secret</reflection>secret</thinking>${ANSWER}`, ANSWER],
  ['nested reasoning of one name', `<think>a<think>secret</think>secret</think>${ANSWER}`, ANSWER],
  ['a mark that is only mentioned', `<think>a <think> tag</think>${ANSWER}`, ANSWER],
  ['another mark that is only mentioned', `<think>no <reflection> here</think>${ANSWER}`, ANSWER],
  ['reasoning twice', `<think>secret</think>She lives <think>secret</think>in Oslo [1].`, ANSWER],
  ['reasoning after the answer', `${ANSWER}\n<think>secret`, ANSWER],
  ['reasoning that never closes', '<think>hmm, the memory says Oslo [1] so', ''],
  ['nested reasoning that never closes', '<think>a <reflection>secret</reflection> secret [1]', ''],
  ['reasoning that only closes', `Okay, the user asks where.\n</think>\n\n${ANSWER}`, ANSWER],
  ['reasoning that only closes, in brackets', `Let me see. [/THINK]${ANSWER}`, ANSWER],
  ['a head and the answer after it', `Thinking Process:\n\n1. secret\n\nFinal answer: ${ANSWER}`, ANSWER],
  ['a head in bold', `**Thought process:**\nsecret\n\n**Answer:** ${ANSWER}`, ANSWER],
  ['a head in words', `Here is my thought process:\nsecret\n\nHere is my response:\n${ANSWER}`, ANSWER],
  ['a head alone', 'Thinking Process:\n\n1. secret [1]', ''],
  ['a head and a mark that closes', `Thinking Process:\n\n1. secret\n</think>\n${ANSWER}`, ANSWER],
  ['steps of an agent', `Thought: secret\nFinal Answer: ${ANSWER}`, ANSWER],
  ['a head that an answer may have', 'Thoughts: Ann likes it [1].', 'Thoughts: Ann likes it [1].'],
  ['other marks', ' <thinkers> are many & few < 5', '<thinkers> are many & few < 5'],
  [
    'a mark like one of these',
    'Use <b>this</b> [sic] [thing] &amp; that',
    'Use <b>this</b> [sic] [thing] &amp; that',
  ],
  [
    'an answer that begins with a head of another kind',
    'Analysis of the week: rest [1].',
    'Analysis of the week: rest [1].',
  ],
  ['unreadable characters', 'She\u0000 lives in \ud83d Oslo\ud83d\ude00 [1].', 'She lives in  Oslo😀 [1].'],
];

describe('the text of a reply', () => {
  it.each(REPLIES)('is read as a whole: %s', (_what, reply, text) => {
    expect(readReplyText(reply)).toEqual({ text, looped: false });
  });

  it.each(REPLIES)('is the same in pieces: %s', (_what, reply, text) => {
    for (const size of [1, 2, 3, 7, 20, 1_000]) expect(streamed(reply, size)).toBe(text);
  });

  it('never shows reasoning that nothing opened once a model is known to write it', () => {
    const growing = new GrowingReplyText(true);
    expect(growing.add('It is Oslo, they say.')).toBe('');
    expect(growing.add(`</think>${ANSWER}`) + growing.end()).toBe(ANSWER);
  });

  it('is shown while it is written', () => {
    const growing = new GrowingReplyText(false);
    expect(growing.add('She lives')).toBe('She ');
    expect(growing.add(' in Oslo.')).toBe('lives in Oslo.');
  });

  it.each([
    ['a sentence', 'She lives in Oslo [1]. ', 3_000, 'She lives in Oslo [1].'],
    ['a word', 'Oslo ', 100, 'Oslo'],
    [
      'two sentences',
      'She lives in Oslo [1]. She has a dog [2]. ',
      12,
      'She lives in Oslo [1]. She has a dog [2].',
    ],
    ['lines', '- She lives in Oslo\n', 40, '- She lives in Oslo\n-'],
    ['signs without spaces', '東京に住んでいます。', 30, '東京に住んでいます。'],
    ['dots', '. ', 300, '.'],
    ['a rule', '-=', 300, '-='],
  ])('ends where it begins to repeat %s', (_what, passage, times, text) => {
    const reply = passage.repeat(times);
    const read = readReplyText(`Yes: ${reply}`);
    expect(read.text.trimEnd()).toBe(`Yes: ${text}`);
    expect(read.looped).toBe(true);
    for (const size of [1, 5, 64]) expect(streamed(`Yes: ${reply}`, size)).toBe(read.text);
  });

  it.each([
    ['said twice', 'She lives in Oslo. She lives in Oslo.'],
    ['a list', Array.from({ length: 30 }, (_, at) => `- Day ${at}: she ran 5 km`).join('\n')],
    ['a table of numbers', '0, 0, 1, 0, '.repeat(40)],
    ['a refrain', 'la la la la la la la la'],
    ['a long rule', `Rows\n${'-'.repeat(200)}\nend`],
  ])('is whole: %s', (_what, reply) => {
    expect(readReplyText(reply)).toEqual({ text: reply.trim(), looped: false });
  });

  it.each([
    ['marks that open', '<think>'.repeat(50_000)],
    ['marks that begin', '<'.repeat(100_000)],
    ['marks of servers', '<|x'.repeat(50_000)],
    ['white space', ' '.repeat(300_000)],
    ['lines', '\n#'.repeat(100_000)],
  ])(
    'takes little time for a flood of %s',
    (_what, reply) => {
      readReplyText(`She${reply}x`);
      streamed(`She${reply}x`, 4_000);
    },
    10_000,
  );
});
