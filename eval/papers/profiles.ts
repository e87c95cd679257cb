import { UnknownNameError } from '../../src/errors/index.ts';
import { INGEST_PROFILES, type IngestProfile, type Partition } from '../../src/ingest/profile.ts';
import { readLikeGam } from './readings/gam.ts';
import { readLikeMemorai } from './readings/memorai.ts';
import { readLikeMnemis } from './readings/mnemis.ts';
import { readLikePersonalai } from './readings/personalai.ts';
import { stepwise } from './readings/stepwise-reader.ts';

const BY_TOPIC: Partition = { by: 'topic' };
const EVERY_TURN: Partition = { by: 'turns', turns: 1 };

/**
 * Settings for what a paper does not specify. Only PersonalAI searches for outdated facts: in Mnemis a fact ends when a
 * turn states its end, GAM relates contradicting topics, MemORAI keeps all facts.
 */
const PAPER: Omit<IngestProfile, 'name' | 'description' | 'reading' | 'partition'> = {
  tier: 'llm',
  gate: false,
  reflection: false,
  resolution: 'exact',
  describes: false,
  relates: 'never',
  supersedes: 'never',
  hierarchy: 'never',
  together: null,
};

const LIKE_GAM = stepwise(readLikeGam);

function gam(name: string, description: string, partition: Partition): IngestProfile {
  return { ...PAPER, name, description, partition, reading: LIKE_GAM, relates: 'model', together: 1 };
}

/** Ingest profiles of the papers, and GAM's partitions; `INGEST_PROFILES` has the profiles of this project. */
export const PAPER_PROFILES: readonly IngestProfile[] = [
  {
    ...PAPER,
    name: 'mnemis-paper',
    description:
      'each turn with the ten before it: names, reflection, known names found again, then profiles, facts, reflection; without its call that finds facts again (Mnemis §2.1)',
    partition: EVERY_TURN,
    reading: stepwise(readLikeMnemis),
    reflection: true,
    resolution: 'judged-first',
    hierarchy: 'model',
    together: 1,
  },
  {
    ...PAPER,
    name: 'memorai-paper',
    description:
      'topics; for each a gate, a summary, triplets of the kept turns and descriptions of their ends (MemORAI §3.1–3.2)',
    partition: BY_TOPIC,
    reading: stepwise(readLikeMemorai),
    gate: true,
  },
  gam('gam-paper', 'topics; keywords and summary of each, related to its nearest (GAM §3.3)', BY_TOPIC),
  {
    ...PAPER,
    name: 'personalai-paper',
    description:
      'each turn: triplets, then propositions, then facts of memory that they make outdated (PersonalAI, "Graph Construction")',
    partition: EVERY_TURN,
    reading: stepwise(readLikePersonalai),
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

/** What `mnemis eval cost` lists. */
export const EVERY_PROFILE: readonly IngestProfile[] = [...INGEST_PROFILES, ...PAPER_PROFILES];

/** A profile of a paper, or one of `INGEST_PROFILES`. @throws UnknownNameError, which lists the names. */
export function paperProfileNamed(name: string): IngestProfile {
  const profile = EVERY_PROFILE.find((candidate) => candidate.name === name);
  if (profile !== undefined) return profile;
  throw new UnknownNameError(
    'ingest profile',
    name,
    EVERY_PROFILE.map((candidate) => candidate.name),
  );
}
