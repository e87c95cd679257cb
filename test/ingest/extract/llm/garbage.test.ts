import { describe, expect, it } from 'vitest';
import type { TurnToRead } from '../../../../src/ingest/extract/extractor.ts';
import { isGarbage } from '../../../../src/ingest/extract/llm/garbage.ts';
import { LlmReader } from '../../../../src/ingest/extract/llm/llm-reader.ts';
import { FakeLanguageModel } from '../../../fakes/language-model/fake-language-model.ts';

describe('statements of a model that are no statements', () => {
  it.each([
    ...[
      'string',
      'String.',
      '"string"',
      '<statement>',
      '[insert fact here]',
      '{{statement}}',
      'string string',
    ],
    ...[
      '…',
      '...',
      '-',
      '。',
      'N/A',
      'n/a.',
      'null',
      'None',
      'unknown',
      'Unknown.',
      'undefined',
      'not specified',
    ],
    ...[
      'example fact',
      'Example statement 1',
      'a statement',
      'This is an example sentence.',
      'fact 1',
      'Ghent',
    ],
    ...[
      'No facts.',
      'No facts were stated in this conversation.',
      'There are no facts.',
      'Nothing was stated.',
    ],
    'As an AI language model, I cannot extract facts.',
    "I'm sorry, but I can't help with that.",
    'The text does not contain any facts.',
    'Here is the JSON output',
    '```json [{"fact_kind": "world", "what": "Alice moved"}] ```',
    '**fact_kind**: world { "fact_kind" : "x" }',
    '{"statement": "Alice moved to Ghent"}',
    '"statement": "Alice moved to Ghent"',
    'statement: Alice moved',
    'statement_1: Alice moved',
    'Alice moved to Ghent<|im_end|>',
    '<think>Alice moved',
    'Alice moved to Ghent. '.repeat(2_100),
    'Alice moved to Ghent. Alice moved to Ghent. Alice moved to Ghent.',
    'Alice said that she said that she said that she said that she',
    'and and and and and and',
    'one sentence that a stranger understands: names for pronouns',
    'Only what is said outright: infer nothing.',
  ])('%s', (statement) => {
    expect(isGarbage(statement, () => false)).toBe(true);
  });

  it.each([
    'Alice moved to Ghent.',
    'Alice uses ```json code fences``` in docs.',
    'Alice uses ```json {"a":1} ``` in docs.',
    'Alice has no facts to learn for her exam.',
    "Nothing Compares 2 U is Alice's favourite song",
    'Bob is unknown to Alice.',
    'Alice said "no, no, no".',
    "Alice's example sentence was praised.",
    'Alice works at [redacted: company].',
    "Text messages are Alice's way to talk",
    "Person of Interest is Alice's favourite series.",
    'Alice lives in New York, New York.',
    'Alice said that Bob said that Carla moved.',
    '我住在上海',
  ])('but: %s', (statement) => {
    expect(isGarbage(statement, () => false)).toBe(false);
  });

  it('what a turn says of a mark is kept', () => {
    expect(isGarbage('Alice prints <|im_end|> after each turn.', (text) => text === '<|im_end|>')).toBe(
      false,
    );
  });

  it('are dropped and counted, and so are placeholders of names, keywords and summaries', async () => {
    const talk: TurnToRead[] = [
      { content: 'I moved to Ghent.', speaker: 'Alice', role: 'user', validAt: 0, attachments: [] },
    ];
    const fact = { subject: 'Alice', relation: '', object: '', participants: ['Alice'], turns: [1] };
    const model = new FakeLanguageModel(() => ({
      segments: [{ segment: 1, keywords: ['string', 'Ghent'], summary: 'string' }],
      keep: [1],
      entities: [{ segment: 1, name: 'string', kind: 'person', description: 'string', turns: [1] }],
      facts: [
        { ...fact, statement: 'string' },
        { ...fact, statement: 'Alice moved to Ghent. '.repeat(50) },
        { ...fact, statement: 'Alice moved to Ghent.' },
      ],
    }));
    const { readings, dropped } = await new LlmReader(model).read([talk]);
    const [{ keywords, summary, extraction }] = readings as [(typeof readings)[number]];
    expect({ keywords, summary }).toEqual({ keywords: ['Ghent'], summary: '' });
    expect(extraction.entities.map(({ name }) => name)).toEqual(['Alice']);
    expect(extraction.facts.map(({ statement }) => statement)).toEqual(['Alice moved to Ghent.']);
    expect(dropped).toContainEqual({ what: 'fact', reason: 'garbage', count: 2 });
    expect(dropped).toContainEqual({ what: 'entity', reason: 'garbage', count: 1 });
  });
});
