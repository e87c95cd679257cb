import { UnknownNameError } from '../errors/index.ts';
import { chatGptImporter } from './chatgpt/chatgpt.ts';
import { claudeImporter } from './claude/claude.ts';
import { markdownImporter, textImporter } from './documents/documents.ts';
import { graphitiImporter } from './graphiti/graphiti.ts';
import type { Importer } from './importer.ts';
import { jsonlImporter } from './jsonl.ts';
import { mem0Importer } from './mem0.ts';
import { telegramImporter } from './telegram/telegram.ts';
import { whatsAppImporter } from './whatsapp/whatsapp.ts';

/** In the order of detection: documents come last, because any text may be one. */
export const IMPORTERS: readonly Importer[] = [
  jsonlImporter,
  chatGptImporter,
  claudeImporter,
  telegramImporter,
  whatsAppImporter,
  mem0Importer,
  graphitiImporter,
  markdownImporter,
  textImporter,
];

/**
 * @param importers - The candidates; `DATASET_IMPORTERS` of `mnemis/eval` reads the data sets of the papers.
 * @throws UnknownNameError, which lists the known names.
 */
export function importerNamed(name: string, importers: readonly Importer[] = IMPORTERS): Importer {
  const importer = importers.find((candidate) => candidate.name === name);
  if (importer !== undefined) return importer;
  throw new UnknownNameError(
    'import format',
    name,
    importers.map((known) => known.name),
  );
}
