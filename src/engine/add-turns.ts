import type { AddResult } from '../ingest/admit/plan-episodes.ts';
import type { AddInput } from '../model/turn-input.ts';
import { type AddOptions, readAddOptions } from './add-options.ts';
import { storeTurns } from './ingestion/store-turns.ts';
import type { ScopeSession } from './scope-session.ts';

/** Stores turns and has them consolidated when their topic is complete, if that is automatic. */
export async function addTurns(
  session: ScopeSession,
  input: AddInput | readonly AddInput[],
  options: AddOptions = {},
): Promise<AddResult> {
  const { signal, ...defaults } = readAddOptions(options);
  const inputs = Array.isArray(input) ? input : [input];
  const buffered = await storeTurns(session, inputs, { signal, defaults, isStrict: true });
  if (session.engine.ingest.isAutomatic) session.ingestion.noteStored(buffered);
  return buffered.result;
}
