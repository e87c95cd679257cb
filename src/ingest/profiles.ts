import { UnknownNameError } from '../errors/index.ts';
import type { IngestProfile, Partition } from './profile.ts';

export const DEFAULT_LOCAL_PROFILE = 'local';
export const DEFAULT_LLM_PROFILE = 'default';

const BY_TOPIC: Partition = { by: 'topic' };
const EVERY_TURN: Partition = { by: 'turns', turns: 1 };

/** One call for a session's segments, which does what the papers do in many. */
const TOGETHER: Omit<IngestProfile, 'name' | 'description'> = {
  tier: 'llm',
  partition: BY_TOPIC,
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

/**
 * What a profile of a paper is where the paper says nothing of it. Only PersonalAI looks for outdated facts: Mnemis's
 * facts end where a turn says when, GAM joins topics that contradict each other, MemORAI keeps all.
 */
const PAPER: Omit<IngestProfile, 'name' | 'description' | 'reading' | 'partition'> = {
  tier: 'llm',
  gate: false,
  reflection: false,
  resolution: 'exact',
  describes: false,
  relates: false,
  supersedes: 'never',
  hierarchy: 'never',
  together: null,
};

function gam(name: string, description: string, partition: Partition): IngestProfile {
  return { ...PAPER, name, description, partition, reading: 'gam', relates: true, together: 1 };
}

/** All ways of writing memory that have a name (PAPERS §5). */
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
  {
    ...PAPER,
    name: 'mnemis-paper',
    description:
      'each turn with the ten before it: names, reflection, profiles, facts, reflection, and known names found again; without its call that finds facts again (Mnemis §2.1)',
    partition: EVERY_TURN,
    reading: 'mnemis',
    reflection: true,
    resolution: 'judged',
    hierarchy: 'model',
    together: 1,
  },
  {
    ...PAPER,
    name: 'memorai-paper',
    description:
      'topics; for each a gate, a summary, triplets of the kept turns and descriptions of their ends (MemORAI §3.1–3.2)',
    partition: BY_TOPIC,
    reading: 'memorai',
    gate: true,
  },
  gam('gam-paper', 'topics; keywords and summary of each, related to its nearest (GAM §3.3)', BY_TOPIC),
  {
    ...PAPER,
    name: 'personalai-paper',
    description:
      'each turn: triplets, then propositions, then facts of memory that they make outdated (PersonalAI, "Graph Construction")',
    partition: EVERY_TURN,
    reading: 'personalai',
    supersedes: 'model',
  },
  gam('gam-tokens-256', 'gam-paper with units of 256 tokens instead of topics', {
    by: 'tokens',
    tokens: 256,
  }),
  gam('gam-tokens-512', 'gam-paper with units of 512 tokens instead of topics', {
    by: 'tokens',
    tokens: 512,
  }),
  gam('gam-turns-3', 'gam-paper with units of 3 turns instead of topics', { by: 'turns', turns: 3 }),
  gam('gam-turns-5', 'gam-paper with units of 5 turns instead of topics', { by: 'turns', turns: 5 }),
  gam('gam-session', 'gam-paper with whole sessions instead of topics', { by: 'session' }),
  gam('gam-without-ssm', 'gam-paper without its states: every turn is consolidated', EVERY_TURN),
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
