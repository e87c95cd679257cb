import { UnknownNameError } from '../../errors/index.ts';
import { EMBEDDER_PROFILES } from './embedder-profiles.ts';
import type { ModelProfile } from './profile.ts';
import { RERANKER_PROFILES } from './reranker-profiles.ts';

/** Every model that Mnemis knows how to run. */
export const PROFILES: readonly ModelProfile[] = [...EMBEDDER_PROFILES, ...RERANKER_PROFILES];

/** @throws UnknownNameError, which lists the known names. */
export function profileNamed(name: string): ModelProfile {
  const found = PROFILES.find((profile) => profile.name === name.toLowerCase());
  if (found !== undefined) return found;
  throw new UnknownNameError(
    'model',
    name,
    PROFILES.map((profile) => profile.name),
  );
}
