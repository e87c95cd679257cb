import { describe, expect, it } from 'vitest';
import { told } from './told.ts';

const memory = await told([
  ['2026-01-03', 'Signy', 'I viewed a flat in Harju Street on Friday. It has a green stove.'],
  ['2026-01-03', 'Aldo', 'How lovely!'],
  ['2026-01-19', 'Signy', 'I signed the lease of the flat yesterday.'],
  ['2026-01-19', 'Aldo', 'I passed my driving test on 15 January.'],
  ['2026-02-08', 'Signy', 'My boss is an old diver named Tiit.'],
  ['2026-02-08', 'Signy', 'Tiit lent me his boat on Sunday.'],
  ['2026-02-21', 'Signy', 'The flat flooded on 20 February, so I sleep at my aunt’s.'],
  ['2026-03-02', 'Aldo', 'I work at a bakery in Tartu.'],
]);

describe('a summary', () => {
  it.each([
    'Summarise January.',
    'What happened in January 2026?',
    'Can you give me a summary of January 2026?',
  ])('of a period has its statements by day: %s', async (question) => {
    const lines = (await memory.ask(question)).text.split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^- 2 January 2026: .*Harju Street.* \[1\]$/);
    expect(lines[1]).toMatch(/^- 15 January 2026: .*driving test/);
    expect(lines[2]).toMatch(/^- 18 January 2026: .*lease/);
  });

  it.each([
    'Summarise what happened with the flat.',
    'Give me a short summary of the flat',
    'Please sum up the flat',
  ])('of a topic has its statements in the order of time: %s', async (question) => {
    const { text } = await memory.ask(question);
    expect(text).toMatch(
      /^- 2 January 2026 – .*Harju.*\n- 18 January 2026 – .*lease.*\n- 20 February 2026 – .*flooded/,
    );
    expect(text).not.toMatch(/driving|bakery/);
  });

  it('of a person has what is only said beside the facts', async () => {
    const { text } = await memory.ask('Who is Tiit?');
    expect(text).toMatch(/lent .* boat/);
    expect(text).toMatch(/old diver named Tiit/);
  });
});
