import { type BufferedTurns, type BufferOptions, bufferTurns } from '../../ingest/admit/admit-turns.ts';
import type { ScopeQueue } from '../scope-queue.ts';

/** Stores turns in one transaction; they wait to be consolidated. @throws as `bufferTurns`. */
export async function storeTurns(
  scope: ScopeQueue,
  inputs: readonly unknown[],
  options: BufferOptions,
): Promise<BufferedTurns> {
  const buffered = await scope.write((context) => bufferTurns(context, inputs, options), {
    asks: false,
    waits: false,
  });
  await scope.recalled.follow({ nodes: { episode: [...buffered.sessions.values()].flat() } });
  return buffered;
}
