import { describe, expect, it } from 'vitest';
import { EVERY_PROFILE, paperProfileNamed } from '../../eval/papers/profiles.ts';
import { LlmDescriber } from '../../src/ingest/describe/llm-describer.ts';
import { LlmResolver } from '../../src/ingest/resolve/llm-resolver.ts';
import { LocalResolutionJudge } from '../../src/ingest/resolve/local-resolution-judge.ts';
import { LlmSegmenter } from '../../src/ingest/segment/llm-segmenter.ts';
import { LlmRelator } from '../../src/ingest/segment/relate/llm-relator.ts';
import { LocalRelator } from '../../src/ingest/segment/relate/segment-relator.ts';
import { SimilaritySegmenter } from '../../src/ingest/segment/similarity-segmenter.ts';
import { stagesOf } from '../../src/ingest/stages.ts';
import { LlmSuperseder } from '../../src/ingest/supersede/llm-superseder.ts';
import { LocalSuperseder } from '../../src/ingest/supersede/local-superseder.ts';
import { FakeLanguageModel } from '../fakes/language-model/fake-language-model.ts';
import { PUPPY } from './segment-reader-contract.ts';

/** The stages of a profile, and the prompts of its reader for a segment. */
async function stages(name: string) {
  const prompts = new Set<string>();
  const model = new FakeLanguageModel((asked) => {
    prompts.add(asked.name);
    return { keep: [1], triplets: [{ subject: 'Ann', relation: 'has', object: 'Luna', turns: [1] }] };
  });
  const { reader, ...rest } = stagesOf(paperProfileNamed(name), { model });
  const [reading] = await reader.read([PUPPY], { known: () => false });
  return { ...rest, reading: reading!, prompts: [...prompts] };
}

describe('stagesOf', () => {
  it('calls no model in the local tier', async () => {
    const { segmenter, judge, describer, relator, superseder } = stagesOf(paperProfileNamed('local'));
    expect(segmenter).toBeInstanceOf(SimilaritySegmenter);
    expect(judge).toBeInstanceOf(LocalResolutionJudge);
    expect(describer).toBeNull();
    expect(relator).toBeInstanceOf(LocalRelator);
    expect(superseder).toBeInstanceOf(LocalSuperseder);
    expect(stagesOf({ ...paperProfileNamed('local'), supersedes: 'model' }).superseder).toBeInstanceOf(
      LocalSuperseder,
    );
    const { prompts, reading } = await stages('local');
    expect(prompts).toEqual([]);
    expect(reading.judgements).toEqual(['kept', 'dropped', 'kept']);
  });

  it('uses the model for the default profile, except for supersession and for relating topics', async () => {
    const { segmenter, judge, describer, relator, superseder, prompts } = await stages('default');
    expect(superseder).toBeInstanceOf(LocalSuperseder);
    expect(segmenter).toBeInstanceOf(LlmSegmenter);
    expect(judge).toBeInstanceOf(LlmResolver);
    expect(describer).toBeInstanceOf(LlmDescriber);
    expect(relator).toBeInstanceOf(LocalRelator);
    expect((await stages('gam-paper')).relator).toBeInstanceOf(LlmRelator);
    expect(prompts).toEqual(['read-segments']);
  });

  it.each([
    ['default-reflection', ['read-segments', 'reflect-on-segment']],
    [
      'mnemis-paper',
      ['name-entities', 'reflect-on-names', 'profile-in-context', 'extract-facts', 'reflect-on-facts'],
    ],
    ['memorai-paper', ['judge-turns', 'summarize-segment', 'extract-triplets', 'describe-mentions']],
    ['gam-paper', ['title-segment']],
    ['gam-session', ['title-segment']],
    ['personalai-paper', ['extract-triplets', 'extract-propositions']],
  ])('reads with the prompts of %s', async (name, prompts) => {
    expect((await stages(name)).prompts).toEqual(prompts);
  });

  it('has exactly the stages of the profile', async () => {
    for (const profile of EVERY_PROFILE) {
      const { segmenter, judge, describer, relator, superseder } = await stages(profile.name);
      expect(segmenter !== null).toBe(profile.partition.by === 'topic');
      expect(judge === null).toBe(profile.resolution === 'exact');
      expect(describer !== null).toBe(profile.describes);
      expect(relator !== null).toBe(profile.relates !== 'never');
      expect(relator instanceof LlmRelator).toBe(profile.relates === 'model');
      expect(superseder !== null).toBe(profile.supersedes !== 'never');
      expect(superseder instanceof LlmSuperseder).toBe(profile.supersedes === 'model');
    }
  });

  it('keeps all turns if a local profile has no gate', async () => {
    const { reader } = stagesOf({ ...paperProfileNamed('local'), gate: false });
    const [reading] = await reader.read([PUPPY], { known: () => false });
    expect(reading!.judgements).toEqual(['kept', 'kept', 'kept']);
  });

  it('reports a missing dependency', () => {
    expect(() => stagesOf(paperProfileNamed('default'))).toThrow(
      /ingest profile "default" needs a language model/,
    );
    expect(() => stagesOf(paperProfileNamed('gam-paper'), { model: null })).toThrow(/"local" needs none/);
  });
});
