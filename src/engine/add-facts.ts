import { InvalidInputError } from '../errors/index.ts';
import { LocalSuperseder } from '../ingest/supersede/local-superseder.ts';
import { type AddFactsResult, ingestFacts } from '../ingest/write/write-facts.ts';
import type { FactInput } from '../model/fact-input.ts';
import type { ScopeQueue } from './scope-queue.ts';

/** Stores statements that the caller extracted, with the turns that support them. */
export async function addFacts(
  scope: ScopeQueue,
  input: readonly FactInput[],
  signal: AbortSignal | undefined,
): Promise<AddFactsResult> {
  if (!Array.isArray(input)) throw new InvalidInputError('addFacts takes a list of facts');
  const superseder = scope.engine.ingest.stages.superseder && new LocalSuperseder();
  return scope
    .write(async (context) => ingestFacts({ ...context, superseder }, input, signal))
    .finally(() => scope.recalled.forget());
}
