import type { Importer, ImportSettings } from '../../../src/importers/importer.ts';

/** What is to be imported, and how it is read. */
export interface ImportTask {
  readonly importer: Importer;
  readonly file: string;
  readonly settings: ImportSettings;
}
