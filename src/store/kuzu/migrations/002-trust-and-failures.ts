import type { Migration } from './migration.ts';

/** Turns of version 1 are trusted as most are (`normal`, position 1); its facts count as read; who made its segments is not known. */
export const trustAndFailures: Migration = {
  version: 2,
  statements: [
    'ALTER TABLE Episode ADD `trust` INT64 DEFAULT 1',
    'ALTER TABLE Fact ADD `origin` INT64 DEFAULT 0',
    "ALTER TABLE Segment ADD `profile` STRING DEFAULT ''",
    'CREATE NODE TABLE Failure(id STRING PRIMARY KEY, scope STRING, sequence INT64, session STRING, code STRING, reason STRING, attempts INT64, createdAt INT64, expiredAt INT64)',
    'CREATE REL TABLE FAILED_IN(FROM Episode TO Failure, sequence INT64)',
    'CREATE REL TABLE POSSIBLY_SAME(FROM Entity TO Entity, sequence INT64, confidence DOUBLE)',
  ],
};
