import type { Migration } from './migration.ts';

/** A file of version 3 has no categories. */
export const hierarchy: Migration = {
  version: 4,
  statements: [
    'ALTER TABLE Category ADD `staleSince` INT64 DEFAULT 9007199254740991',
    'CREATE NODE TABLE Hierarchy(id STRING PRIMARY KEY, scope STRING, sequence INT64, categorizer STRING, stoppedBy INT64, layers INT64, minimumChildren INT64, maximumLayers INT64, entities INT64, topNodes INT64, builtAt INT64, createdAt INT64)',
  ],
};
