import { UnknownNameError } from '../../errors/index.ts';
import type { DatasetReader } from './evaluation-dataset.ts';
import { readHotpotQaDataset } from './hotpotqa-dataset.ts';
import { readLocomoDataset } from './locomo-dataset.ts';
import { readLongMemEvalDataset } from './longmemeval-dataset.ts';

/** `--gold` is LoCoMo's alone: pass it to `readLocomoDataset`. */
export const DATASET_READERS: readonly DatasetReader[] = [
  { name: 'locomo', read: readLocomoDataset },
  { name: 'longmemeval', read: readLongMemEvalDataset },
  { name: 'hotpotqa', read: readHotpotQaDataset },
];

/** Throws UnknownNameError, which lists the known names. */
export function datasetReaderNamed(name: string): DatasetReader {
  const reader = DATASET_READERS.find((candidate) => candidate.name === name);
  if (reader !== undefined) return reader;
  throw new UnknownNameError(
    'data set',
    name,
    DATASET_READERS.map((known) => known.name),
  );
}
