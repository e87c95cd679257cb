import { UnknownNameError } from '../errors/unknown-name-error.ts';
import { hotpotQaImporter } from './hotpotqa.ts';
import type { Importer } from './importer.ts';
import { jsonlImporter } from './jsonl.ts';
import { locomoImporter } from './locomo.ts';
import { longMemEvalImporter } from './longmemeval.ts';

export const IMPORTERS: readonly Importer[] = [
  jsonlImporter,
  locomoImporter,
  longMemEvalImporter,
  hotpotQaImporter,
];

/** Throws UnknownNameError, which lists the known names. */
export function importerNamed(name: string): Importer {
  const importer = IMPORTERS.find((candidate) => candidate.name === name);
  if (importer !== undefined) return importer;
  throw new UnknownNameError(
    'import format',
    name,
    IMPORTERS.map((known) => known.name),
  );
}
