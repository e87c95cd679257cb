import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EVERY_PROFILE } from '../../eval/papers/profiles.ts';
import { rehearsal } from '../../eval/rehearsal/reading-rehearsals.ts';
import { RehearsalModel } from '../../eval/rehearsal/rehearsal-model.ts';
import { UsageMeter } from '../../src/inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel } from '../../src/inference/language-model.ts';
import { LlmDescriber } from '../../src/ingest/describe/llm-describer.ts';
import { readSegments } from '../../src/ingest/extract/llm/read-segments-prompt.ts';
import { LocalSegmentReader } from '../../src/ingest/extract/local-segment-reader.ts';
import { resolveEntities } from '../../src/ingest/resolve/resolve-entities-prompt.ts';
import { LlmSegmenter } from '../../src/ingest/segment/llm-segmenter.ts';
import { LlmRelator } from '../../src/ingest/segment/relate/llm-relator.ts';
import { stagesOf } from '../../src/ingest/stages.ts';
import type { SegmentId } from '../../src/model/ids.ts';
import type { Prompt } from '../../src/model/prompt.ts';
import { languageModelContract } from '../contract/language-model.ts';
import { RecordingLanguageModel } from '../fakes/language-model/recorded-language-model.ts';
import type { Said } from '../fakes/openai-server/script.ts';
import { counter } from '../fakes/openai-server/tokens.ts';
import { openLab } from '../inference/language-model/model-lab.ts';
import { GARDEN, PUPPY } from '../ingest/segment-reader-contract.ts';
import { dialogue } from '../ingest/turns.ts';
import { EXAMPLES, GARDEN as SHOWN_GARDEN, PUPPY as SHOWN_PUPPY } from '../prompts/examples.ts';

const known = () => false;
const rehearsalModel = () => new RehearsalModel({ counter });

languageModelContract('RehearsalModel', async (reply) => {
  const replies = ['contract-names', 'contract-prose'].map((prompt) => ({
    prompt,
    reply: async (user: string) => reply(user),
  }));
  const model = new RehearsalModel({ counter, rehearsals: replies as never });
  return Object.assign(model, { [Symbol.asyncDispose]: async () => undefined });
});

/** Second looks find nothing new; the turn of this example, a question, states nothing. */
const SILENT = new Set(['reflect-on-segment', 'reflect-on-names', 'reflect-on-facts', 'extract-facts']);

/** Prompts for reading a memory. */
const READING = new Set(['select-nodes', 'rewrite-question']);
const JUDGING = new Set(['judge-answer', 'judge-locomo', 'judge-longmemeval', 'judge-beam']);

describe('RehearsalModel', () => {
  // Reading is rehearsed by the caller that measures it.
  const written = EXAMPLES.filter(({ prompt: { name } }) => !READING.has(name) && !JUDGING.has(name));
  it.each(written.map((example) => [example.prompt.name, example] as const))(
    'returns a valid, non-empty and deterministic reply to %s',
    async (name, { prompt, input }) => {
      const { value, usage, ...rest } = await rehearsalModel().structured(prompt, input);
      expect(rest).toMatchObject({ strategy: 'schema', repaired: false, truncated: false });
      expect(usage).toMatchObject({ calls: 1, failedCalls: 0, estimated: true });
      expect(usage.completionTokens).toBe(await counter.count(JSON.stringify(value)));
      const says =
        Object.values(value as object)
          .flat()
          .join('') !== '';
      expect(says).toBe(!SILENT.has(name));
      expect((await rehearsalModel().structured(prompt, input)).value).toEqual(value);
    },
  );

  it('returns the reading of the local stages, in the numbers of the prompt', async () => {
    const { value } = await rehearsalModel().structured(readSegments, {
      segments: [SHOWN_PUPPY, SHOWN_GARDEN],
    });
    expect(value.segments.map((each) => each?.segment)).toEqual([1, 2]);
    expect(value.keep).toEqual([1, 2, 3, 4]);
    expect(value.facts).toContainEqual(
      expect.objectContaining({
        subject: 'Ann',
        object: 'puppy',
        said: 'last Friday',
        date: '2024-06-07',
        turns: [1],
      }),
    );
    const speaker = value.entities.filter((each) => each?.name === 'Ann');
    // The advice of the last turn states nothing of her.
    expect(speaker.map((each) => each?.turns)).toEqual([[1], [3]]);
  });

  it('gives the llm tier the same facts as the local one', async () => {
    const profile = EVERY_PROFILE.find(({ name }) => name === 'default')!;
    const { reader } = stagesOf(profile, { model: rehearsalModel() });
    const statements = async (readings: ReturnType<LocalSegmentReader['read']>) =>
      (await readings).map(({ extraction }) => extraction.facts.map(({ statement }) => statement));
    const segments = [PUPPY, GARDEN];
    expect(await statements(reader.read(segments, { known }))).toEqual(
      await statements(new LocalSegmentReader().read(segments, { known })),
    );
  });

  it('finds the topics of the local segmenter', async () => {
    const plants = Array.from({ length: 4 }, (_, at) => `Ann: The ferns and roses in garden bed ${at} grow.`);
    const trains = Array.from({ length: 4 }, (_, at) => `Bob: The night train to Oslo left platform ${at}.`);
    const turns = dialogue(...plants, ...trains);
    expect(await new LlmSegmenter(rehearsalModel()).boundaries(turns)).toEqual([3]);
  });

  it('merges entities with equal names, best candidate first', async () => {
    const named = (name: string, ...aliases: string[]) => ({ name, aliases, context: '' });
    const { value } = await rehearsalModel().structured(resolveEntities, {
      entities: [
        { ...named('Ann'), candidates: [named('Bob'), named('Ann Berg', 'ann'), named('Ann')] },
        { ...named('Oslo'), candidates: [named('Bergen')] },
      ],
    });
    expect(value.matches).toMatchObject([{ entity: 1, candidate: 2, verdict: 'same' }]);
  });

  it('relates topics by their words, and writes profiles from descriptions', async () => {
    const topic = (id: string, summary: string) => ({
      id: id as SegmentId,
      keywords: [],
      summary,
      vector: new Float32Array(2),
      entities: new Set<string>(),
    });
    const model = rehearsalModel();
    const relations = await new LlmRelator(model).relate(topic('a', 'Ann planted ferns in her garden.'), [
      topic('b', 'Ann asked about ferns for the garden.'),
      topic('c', 'The night train was late.'),
    ]);
    expect(relations.map(({ relation }) => relation)).toEqual(['semantic', 'unrelated']);
    // Words in common: Ann, fern, garden; in all also plant, ask.
    expect(relations[0]!.confidence).toBeCloseTo(0.8, 2);
    const { profiles } = await new LlmDescriber(model).describe([
      { name: 'Luna', summary: '', notes: [{ text: 'Luna is a brown puppy.', at: 0 }] },
    ]);
    expect(profiles[0]!.summary).toBe('Luna is a brown puppy.');
  });

  it('estimates the cost of unknown prompts by their expected tokens', async () => {
    const answer: Prompt<string, { text: string }> = {
      name: 'unheard-of',
      version: 1,
      schema: z.object({ text: z.string().catch('') }),
      expectedTokens: 77,
      render: (text) => ({ system: 'Answer.', user: text }),
    };
    const model = rehearsalModel();
    const { value, usage } = await model.structured(answer, 'Where is Luna?');
    expect(value).toEqual({ text: '' });
    expect(usage.completionTokens).toBe(77);
    expect(usage.promptTokens).toBeGreaterThan(20);
    expect((await model.text(answer, 'Where is Luna?')).usage.completionTokens).toBe(77);
    const strict = { ...answer, name: 'strict', schema: z.object({ text: z.string() }) };
    await expect(model.structured(strict, 'x')).rejects.toMatchObject({ code: 'malformed-reply' });
    const own = new RehearsalModel({ counter, rehearsals: [rehearsal(strict, async (text) => ({ text }))] });
    expect((await own.structured(strict, 'x')).value).toEqual({ text: 'x' });
  });

  it("rejects input that exceeds the model's context", async () => {
    const model = new RehearsalModel({ counter, contextTokens: 2_000 });
    const asked = model.structured(readSegments, { segments: [SHOWN_PUPPY] });
    await expect(asked).rejects.toMatchObject({ code: 'context-too-long' });
  });
});

describe('the cost of a rehearsal', () => {
  const hash = (system: string, user: string) =>
    createHash('sha256')
      .update(JSON.stringify([system, user]))
      .digest('hex');
  const segments = [PUPPY, GARDEN];

  async function costs(name: string, model: LanguageModel) {
    const meter = new UsageMeter();
    const { reader, segmenter } = stagesOf(EVERY_PROFILE.find((each) => each.name === name)!, { model });
    if (segmenter instanceof LlmSegmenter) await segmenter.boundaries(segments.flat(), { meter });
    await reader.read(segments, { known, meter });
    return meter;
  }

  it.each(EVERY_PROFILE.filter(({ tier }) => tier === 'llm').map(({ name }) => name))(
    'equals the charge of a provider for %s',
    async (name) => {
      const recording = new RecordingLanguageModel(rehearsalModel());
      const rehearsed = await costs(name, recording);
      const replies = new Map(recording.recorded.map(({ input, reply }) => [input, reply]));
      await using lab = await openLab('openai', {
        server: {
          reply: ({ messages }) => replies.get(hash(messages[0]!.content, messages[1]!.content)) as Said,
        },
      });
      const real = await costs(name, lab.model);
      expect(real.total.calls).toBe(rehearsed.total.calls);
      expect([...real.byPrompt().keys()]).toEqual([...rehearsed.byPrompt().keys()]);
      expect(lab.server.charged.promptTokens).toBe(real.total.promptTokens);
      const off = rehearsed.total.promptTokens / real.total.promptTokens;
      expect(Math.abs(off - 1)).toBeLessThan(0.02);
      const said = rehearsed.total.completionTokens / real.total.completionTokens;
      expect(Math.abs(said - 1)).toBeLessThan(0.02);
    },
  );
});
