import type { ImportCounts } from '../../src/engine/import-turns.ts';

/** The part of an import's progress for storing: reading for facts takes much longer. */
const STORING = 0.2;

/** Progress from 0 to 1 while turns are stored, from the part of the file that was read. */
export function shareStored(ofFile: number): number {
  return STORING * Math.min(1, Math.max(0, ofFile));
}

/** Progress from 0 to 1 while turns are read for facts. */
export function shareEnriched({
  consolidated,
  setAside,
  pending,
}: Pick<ImportCounts, 'consolidated' | 'setAside' | 'pending'>): number {
  const done = consolidated + setAside;
  return STORING + ((1 - STORING) * done) / Math.max(1, done + pending);
}
