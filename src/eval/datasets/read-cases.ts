import { type RejectedRecord, throwIfCancelled } from '../../importers/importer.ts';
import {
  type Entry,
  type JsonFormat,
  parseEntries,
  readEntryList,
} from '../../importers/json/json-format.ts';
import { breathe } from '../../util/breathe.ts';
import type { DatasetOptions, EvaluationCase, EvaluationDataset } from './evaluation-dataset.ts';

/** Null where the entry is of no use; the reason is then put onto `rejected`. */
export type CaseBuilder<Data> = (entry: Entry<Data>, rejected: RejectedRecord[]) => EvaluationCase | null;

/** A data set of a JSON format: an entry is a case with a scope of its own. */
export async function readCases<Data>(
  format: JsonFormat<Data>,
  path: string,
  { build, signal }: DatasetOptions & { readonly build: CaseBuilder<Data> },
): Promise<EvaluationDataset> {
  const cases: EvaluationCase[] = [];
  const rejected: RejectedRecord[] = [];
  for (const entry of parseEntries(format, await readEntryList(format, path, signal))) {
    throwIfCancelled(signal);
    if (entry.kind === 'rejected') rejected.push(entry);
    else addCase(build(entry, rejected), cases);
    await breathe();
  }
  return { name: format.name, cases, rejected };
}

function addCase(built: EvaluationCase | null, cases: EvaluationCase[]): void {
  if (built !== null) cases.push(built);
}
