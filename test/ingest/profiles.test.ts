import { describe, expect, it } from 'vitest';
import { EVERY_PROFILE, paperProfileNamed } from '../../eval/papers/profiles.ts';
import {
  DEFAULT_LLM_PROFILE,
  DEFAULT_LOCAL_PROFILE,
  INGEST_PROFILES,
  type IngestProfile,
  profileNamed,
} from '../../src/ingest/profile.ts';

/** The differences between the profiles, one line each. */
function shown({ tier, partition, reading: way, ...profile }: IngestProfile): string {
  const reading = way === 'together' ? way : profile.name.replace(/-.*/, '');
  const size = 'turns' in partition ? partition.turns : 'tokens' in partition ? partition.tokens : '';
  const flags = (['gate', 'reflection', 'describes'] as const).filter((flag) => profile[flag]);
  const { resolution, together, relates, supersedes } = profile;
  const by = [`relates:${relates}`, supersedes];
  return [tier, `${partition.by}${size}`, reading, resolution, together, ...flags, ...by].join(' ');
}

describe('INGEST_PROFILES', () => {
  it('cover the differences between the papers', () => {
    expect(Object.fromEntries(EVERY_PROFILE.map((profile) => [profile.name, shown(profile)]))).toEqual({
      local: 'local topic together judged  gate relates:rules rules',
      mixed: 'local topic together judged  gate relates:rules rules',
      default: 'llm topic together judged  gate describes relates:rules rules',
      'default-reflection': 'llm topic together judged  gate reflection describes relates:rules model',
      'mnemis-paper': 'llm turns1 mnemis judged-first 1 reflection relates:never never',
      'memorai-paper': 'llm topic memorai exact  gate relates:never never',
      'gam-paper': 'llm topic gam exact 1 relates:model never',
      'personalai-paper': 'llm turns1 personalai exact  relates:never model',
      'gam-tokens-256': 'llm tokens256 gam exact 1 relates:model never',
      'gam-tokens-512': 'llm tokens512 gam exact 1 relates:model never',
      'gam-turns-3': 'llm turns3 gam exact 1 relates:model never',
      'gam-turns-5': 'llm turns5 gam exact 1 relates:model never',
      'gam-session': 'llm session gam exact 1 relates:model never',
      'gam-without-ssm': 'llm turns1 gam exact 1 relates:model never',
    });
  });

  it('are plain data, each with a description and a name', () => {
    expect(JSON.parse(JSON.stringify(INGEST_PROFILES))).toEqual(INGEST_PROFILES);
    expect(new Set(EVERY_PROFILE.map(({ name }) => name)).size).toBe(EVERY_PROFILE.length);
    for (const { description } of EVERY_PROFILE) expect(description.length).toBeGreaterThan(20);
  });

  it('are found by name', () => {
    for (const profile of INGEST_PROFILES) expect(profileNamed(profile.name)).toBe(profile);
    for (const profile of EVERY_PROFILE) expect(paperProfileNamed(profile.name)).toBe(profile);
    expect(profileNamed(DEFAULT_LOCAL_PROFILE).tier).toBe('local');
    expect(profileNamed(DEFAULT_LLM_PROFILE).tier).toBe('llm');
    expect(() => profileNamed('gam')).toThrow(
      /no ingest profile named "gam"; known: local, mixed, default, /,
    );
    expect(() => paperProfileNamed('gam')).toThrow(/known: local, mixed, default, .*, gam-without-ssm/);
  });
});
