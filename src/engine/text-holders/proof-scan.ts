import { CancelledError, InvalidInputError } from '../../errors/index.ts';
import type { Held, ScanOptions, TextHolder } from './text-holder.ts';

export interface ProofFinding extends Held {
  readonly holder: string;
}

export interface ProofScan {
  /** Whether no holder holds any of the texts. */
  readonly clean: boolean;
  readonly findings: readonly ProofFinding[];
  /** Every holder that was asked. */
  readonly holders: readonly string[];
}

/**
 * Asks every holder for every text. @throws InvalidInputError for a text without a character, which everything holds;
 * CancelledError.
 */
export async function proofScan(
  holders: readonly TextHolder[],
  texts: readonly string[],
  { signal }: ScanOptions = {},
): Promise<ProofScan> {
  if (texts.some((text) => text.trim() === ''))
    throw new InvalidInputError('A scan looks for texts that have at least one character');
  const findings: ProofFinding[] = [];
  for (const holder of holders) {
    if (signal?.aborted) throw new CancelledError('nothing was changed', signal.reason);
    for (const held of await holder.holds(texts, { signal })) findings.push({ holder: holder.name, ...held });
  }
  return { clean: findings.length === 0, findings, holders: holders.map(({ name }) => name) };
}
