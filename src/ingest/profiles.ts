import { UnknownNameError } from '../errors/index.ts';
import type { IngestProfile } from './profile.ts';

export const DEFAULT_LOCAL_PROFILE = 'local';
export const DEFAULT_LLM_PROFILE = 'default';

/** One call for a session's segments, which does what the papers do in many. */
const TOGETHER: Omit<IngestProfile, 'name' | 'description'> = {
  tier: 'llm',
  partition: { by: 'topic' },
  reading: 'together',
  gate: true,
  reflection: false,
  resolution: 'judged',
  describes: true,
  relates: true,
  supersedes: 'rules',
  hierarchy: 'model',
  together: null,
};

/** The ways of writing memory that a program may name; those of the papers are in `eval/papers/profiles.ts`. */
export const INGEST_PROFILES: readonly IngestProfile[] = [
  {
    ...TOGETHER,
    name: 'local',
    description: 'no model: topics, gate, facts and summaries by rules; segments related by likeness',
    tier: 'local',
    describes: false,
    hierarchy: 'rules',
  },
  {
    ...TOGETHER,
    name: 'default',
    description: 'a model reads the topics of a session in one call, then names, profiles and relations',
  },
  {
    ...TOGETHER,
    name: 'default-reflection',
    description:
      'default, and a model checks what was read, adds what was missed (Mnemis §2.1) and tells what is outdated',
    reflection: true,
    supersedes: 'model',
  },
];

/** One of `INGEST_PROFILES`, for a name that a user gave. @throws UnknownNameError, which lists the names. */
export function profileNamed(name: string): IngestProfile {
  const profile = INGEST_PROFILES.find((candidate) => candidate.name === name);
  if (profile !== undefined) return profile;
  throw new UnknownNameError(
    'ingest profile',
    name,
    INGEST_PROFILES.map((candidate) => candidate.name),
  );
}
