import { UnknownNameError } from '../../src/errors/index.ts';
import type { Importer } from '../../src/importers/importer.ts';
import { readBeamDataset } from './beam.ts';
import type { DatasetReader } from './dataset.ts';
import { factsReader } from './facts/facts.ts';
import { hotpotQaImporter, readHotpotQaDataset } from './hotpotqa.ts';
import { locomoImporter, readLocomoDataset } from './locomo.ts';
import { longMemEvalImporter, readLongMemEvalDataset } from './longmemeval.ts';
import { paraphrasesReader } from './paraphrases/paraphrases.ts';
import { periodsReader } from './periods/periods.ts';
import { laterQuestionsReader, questionsReader } from './questions/questions.ts';

/** `--gold` applies only to LoCoMo: pass it to `readLocomoDataset`. */
export const DATASET_READERS: readonly DatasetReader[] = [
  { name: 'locomo', read: readLocomoDataset, fileName: /(^|\/)locomo(?![^/]*audit)[^/]*\.json$/i },
  { name: 'beam', read: readBeamDataset, fileName: /(^|\/)beam([^/]*\.json)?$/i },
  { name: 'hotpotqa', read: readHotpotQaDataset, fileName: /(^|\/)hotpot[^/]*\.json$/i },
  { name: 'longmemeval', read: readLongMemEvalDataset, fileName: /(^|\/)longmemeval[^/]*\.json$/i },
  questionsReader,
  laterQuestionsReader,
  paraphrasesReader,
  periodsReader,
];

/** Those whose conversations can be read for facts: one of them has no questions. */
export const FACT_READERS: readonly DatasetReader[] = [...DATASET_READERS, factsReader];

/** How their files are imported into a memory, without their questions. */
export const DATASET_IMPORTERS: readonly Importer[] = [locomoImporter, longMemEvalImporter, hotpotQaImporter];

/** Throws UnknownNameError, which lists the known names. */
export function datasetReaderNamed(name: string): DatasetReader {
  const reader = FACT_READERS.find((candidate) => candidate.name === name);
  if (reader !== undefined) return reader;
  throw new UnknownNameError(
    'data set',
    name,
    FACT_READERS.map((known) => known.name),
  );
}
