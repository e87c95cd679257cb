import type { MemoryScope } from '../engine/memory-scope.ts';
import { CancelledError } from '../errors/index.ts';
import type { EvaluationCase } from './datasets/evaluation-dataset.ts';

/** Writes a case into its scope and consolidates it; the seconds that it took. */
export async function ingestCase(
  memory: MemoryScope,
  { turns }: EvaluationCase,
  signal: AbortSignal | undefined,
): Promise<number> {
  const started = performance.now();
  const records = turns.map((turn, line) => ({ kind: 'turn' as const, turn, where: `turn ${line + 1}` }));
  try {
    for await (const event of memory.import(records, { signal })) void event;
    await memory.flush({ signal });
  } catch (error) {
    throw CancelledError.isInstance(error) ? cancelledEvaluation(signal) : error;
  }
  return (performance.now() - started) / 1000;
}

export function cancelledEvaluation(signal: AbortSignal | undefined): CancelledError {
  return new CancelledError('no figures were printed', signal?.reason);
}
