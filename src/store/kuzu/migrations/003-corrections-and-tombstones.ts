import type { Migration } from './migration.ts';

/** Nothing was corrected by hand or forgotten in a file of version 2; with which end a fact of it came is not known (none: 2^53 − 1). */
export const correctionsAndTombstones: Migration = {
  version: 3,
  statements: [
    'ALTER TABLE Fact ADD `statedEnd` INT64 DEFAULT 9007199254740991',
    'CREATE NODE TABLE Correction(id STRING PRIMARY KEY, scope STRING, sequence INT64, kind INT64, author STRING, targets STRING, detail STRING, createdAt INT64, finishedAt INT64, undoneAt INT64)',
    'CREATE NODE TABLE Tombstone(id STRING PRIMARY KEY, scope STRING, sequence INT64, kind INT64, digest STRING, salt STRING, createdAt INT64)',
  ],
};
