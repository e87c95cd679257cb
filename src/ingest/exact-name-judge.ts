import { entityNameKey } from '../util/entity-name-key.ts';
import type {
  EntityToResolve,
  RememberedEntity,
  Resolution,
  ResolutionJudge,
} from './resolve/resolution-judge.ts';

/** Merges equal names and no others, as MemORAI and PersonalAI do: case and accents aside, and aliases left out. */
export class ExactNameJudge implements ResolutionJudge {
  async judge(entities: readonly EntityToResolve[]): Promise<readonly Resolution[]> {
    return entities.map(resolve);
  }
}

/** Of several bearers of the name, which memory holds for different ones, the best. */
function resolve({ name, candidates }: EntityToResolve): Resolution {
  const isNamesake = (candidate: RememberedEntity) => entityNameKey(candidate.name) === entityNameKey(name);
  const match = candidates.find(isNamesake)?.id ?? null;
  const judgements = candidates.map(({ id }) => ({
    id,
    verdict: id === match ? ('same' as const) : ('different' as const),
    confidence: 1,
    reason: id === match ? 'the same name' : 'another name',
  }));
  return { match, judgements };
}
