import { expect, it } from 'vitest';
import { RehearsalModel } from '../../../eval/rehearsal/rehearsal-model.ts';
import { setupFor } from '../../../src/engine/ingestion/ingestion-setup.ts';
import { profileNamed } from '../../../src/ingest/profile.ts';
import { stagesOf } from '../../../src/ingest/stages.ts';

const languageModel = new RehearsalModel();
const setupOf = (name: string) => {
  const profile = profileNamed(name);
  return { profile, stages: stagesOf(profile, { model: languageModel }) };
};

it.each([
  ['local', {}, 'local'],
  ['local', { tier: 'llm' }, 'default'],
  ['default-reflection', {}, 'default-reflection'],
  ['default-reflection', { tier: 'llm' }, 'default-reflection'],
  ['default-reflection', { tier: 'local' }, 'local'],
  ['local', { profile: profileNamed('default-reflection') }, 'default-reflection'],
] as const)('a memory of profile %s with %j reads by %s', (own, choice, name) => {
  const { profile, stages } = setupFor(setupOf(own), { ...choice, languageModel });
  expect(profile.name).toBe(name);
  expect(stages.describer === null).toBe(profile.tier === 'local');
});

it('keeps the stages of the memory where its profile stays', () => {
  const own = setupOf('local');
  expect(setupFor(own, { tier: 'local' }).stages).toBe(own.stages);
});

it('refuses a tier that contradicts the profile, and tier llm without a model', () => {
  const profile = profileNamed('default');
  expect(() => setupFor(setupOf('local'), { profile, tier: 'local' })).toThrow('not of tier local');
  expect(() => setupFor(setupOf('local'), { tier: 'llm' })).toThrow('needs a language model');
});
