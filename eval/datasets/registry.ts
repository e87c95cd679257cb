import { UnknownNameError } from '../../src/errors/index.ts';
import type { Importer } from '../../src/importers/importer.ts';
import { readBeamDataset } from './beam.ts';
import type { DatasetReader } from './dataset.ts';
import { readDiaAsqDataset } from './diaasq.ts';
import { factsReader } from './facts/facts.ts';
import { hotpotQaImporter, readHotpotQaDataset } from './hotpotqa.ts';
import { readHotpotQaAsOne, readHotpotQaGold } from './hotpotqa-one.ts';
import { locomoImporter, readLocomoDataset } from './locomo.ts';
import { readLongDialQaDataset } from './longdialqa.ts';
import { longMemEvalImporter, readLongMemEvalDataset } from './longmemeval.ts';
import { paraphrasesReader } from './paraphrases/paraphrases.ts';
import { periodsReader } from './periods/periods.ts';
import { laterQuestionsReader, questionsReader } from './questions/questions.ts';
import { readRealtalkDataset } from './realtalk.ts';
import { readTriviaQaDataset } from './triviaqa.ts';

const HOTPOT = /(^|\/)hotpot[^/]*\.json$/i;
const TRIVIA = /(^|\/)(triviaqa[^/]*|qa\/(?:verified-)?(?:wikipedia|web)-dev)\.json$/i;

/** `--gold` applies only to LoCoMo: pass it to `readLocomoDataset`. */
export const DATASET_READERS: readonly DatasetReader[] = [
  { name: 'locomo', read: readLocomoDataset, fileName: /(^|\/)locomo(?![^/]*audit)[^/]*\.json$/i },
  { name: 'beam', read: readBeamDataset, fileName: /(^|\/)beam([^/]*\.json)?$/i },
  { name: 'hotpotqa', read: readHotpotQaDataset, fileName: HOTPOT },
  { name: 'longmemeval', read: readLongMemEvalDataset, fileName: /(^|\/)longmemeval[^/]*\.json$/i },
  { name: 'hotpotqa-one', read: readHotpotQaAsOne, fileName: HOTPOT, onlyNamed: true },
  { name: 'hotpotqa-gold', read: readHotpotQaGold, fileName: HOTPOT, onlyNamed: true },
  {
    name: 'realtalk',
    read: readRealtalkDataset,
    fileName: /(^|\/)realtalk([^/]*\.json)?$/i,
    onlyNamed: true,
  },
  {
    name: 'longdialqa',
    read: readLongDialQaDataset,
    fileName: /(^|\/)[^/]*dialsim[^/]*\.json$/i,
    onlyNamed: true,
  },
  { name: 'triviaqa', read: readTriviaQaDataset, fileName: TRIVIA, onlyNamed: true },
  { name: 'diaasq', read: readDiaAsqDataset, fileName: /(^|\/)diaasq[^/]*\.json$/i, onlyNamed: true },
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
