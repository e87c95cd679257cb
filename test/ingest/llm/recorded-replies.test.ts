import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LlmReader } from '../../../src/ingest/extract/llm/llm-reader.ts';
import { LlmSegmenter } from '../../../src/ingest/segment/llm-segmenter.ts';
import { FakeLanguageModel } from '../../fakes/language-model/fake-language-model.ts';
import {
  RecordedLanguageModel,
  RecordingLanguageModel,
  readRecordedReplies,
  recordedReplySchema,
} from '../../fakes/language-model/recorded-language-model.ts';
import { dialogue } from '../turns.ts';

const FOLDER = join(import.meta.dirname, '../../fixtures/replies');
const TALK = dialogue(
  'Ann: I adopted a puppy in Oslo last Friday.',
  'Bob: Lovely!',
  'Ann: I play the violin.',
  'Bob: Since when?',
);

describe('recorded replies', () => {
  it('replay the replies of a model from files', async () => {
    const recorder = new RecordingLanguageModel(
      new FakeLanguageModel(() => ({
        segments: [{ segment: '1', summary: 'A puppy.' }, null],
        keep: '1 and 3',
      })),
    );
    const first = await new LlmReader(recorder).read([TALK]);
    const replies = recorder.recorded.map((reply) =>
      recordedReplySchema.parse(JSON.parse(JSON.stringify(reply))),
    );
    const again = await new LlmReader(new RecordedLanguageModel(replies)).read([TALK]);
    expect(again.readings).toEqual(first.readings);
    expect(replies).toMatchObject([{ model: 'fake:model', prompt: 'read-segments', version: 5 }]);
  });

  it('fail with a clear error if the prompt was not recorded', async () => {
    const model = new RecordedLanguageModel(readRecordedReplies(FOLDER));
    const failed = new LlmSegmenter(model).boundaries(dialogue('Ann: a', 'Ann: b', 'Ann: c', 'Ann: d'));
    await expect(failed).rejects.toThrow(
      /No reply is recorded for the prompt "segment-boundaries", version 2/,
    );
    await expect(failed).rejects.not.toThrow('Ann:');
  });

  it('in the fixtures match the current prompts', async () => {
    const model = new RecordedLanguageModel(readRecordedReplies(FOLDER));
    const { readings } = await new LlmReader(model).read([TALK]);
    expect(readings[0]!.judgements).toEqual(['kept', 'dropped', 'kept', 'dropped']);
    expect(readings[0]!.extraction.facts.map(({ statement }) => statement)).toEqual([
      'Ann adopted a puppy in Oslo on 7 June 2024.',
      'Ann plays the violin.',
    ]);
  });
});
