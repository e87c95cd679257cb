import type { Migration } from './migration.ts';

/** Written out, not derived from `schema.ts`: a migration stays what it was when files were made by it. */
const vectors = Array.from({ length: 16 }, (_, index) => `vector${index} STRING`).join(', ');
const row = 'id STRING PRIMARY KEY, scope STRING, sequence INT64';

export const initial: Migration = {
  version: 1,
  statements: [
    'CREATE NODE TABLE Scope(name STRING PRIMARY KEY, sequence INT64, token INT64)',
    `CREATE NODE TABLE Episode(${row}, \`key\` STRING, version INT64, session STRING, \`index\` INT64, content STRING, speaker STRING, role INT64, validAt INT64, atText STRING, createdAt INT64, expiredAt INT64, source STRING, sourceId STRING, contentHash STRING, attachments STRING, gate INT64, verified INT64, status INT64)`,
    `CREATE NODE TABLE Segment(${row}, session STRING, keywords STRING, summary STRING, startAt INT64, endAt INT64, createdAt INT64, expiredAt INT64)`,
    `CREATE NODE TABLE Entity(${row}, createdAt INT64)`,
    `CREATE NODE TABLE \`Profile\`(${row}, owner STRING, name STRING, aliases STRING, summary STRING, tags STRING, createdAt INT64, expiredAt INT64)`,
    `CREATE NODE TABLE Description(${row}, entity STRING, segment STRING, text STRING, createdAt INT64)`,
    `CREATE NODE TABLE Fact(${row}, kind INT64, statement STRING, relation STRING, validAt INT64, invalidAt INT64, createdAt INT64, expiredAt INT64, confidence DOUBLE, eventStart INT64, eventEnd INT64, eventPrecision INT64, eventText STRING)`,
    `CREATE NODE TABLE Category(${row}, layer INT64, createdAt INT64, expiredAt INT64)`,
    `CREATE NODE TABLE Item(${row}, namespace STRING, \`key\` STRING, value STRING, createdAt INT64, expiredAt INT64)`,
    `CREATE NODE TABLE Embedding(${row}, owner STRING, field INT64, model STRING, ${vectors})`,
    `CREATE NODE TABLE Piece(${row}, text STRING)`,
    'CREATE REL TABLE NEXT(FROM Episode TO Episode, sequence INT64)',
    'CREATE REL TABLE IN_SEGMENT(FROM Episode TO Segment, sequence INT64)',
    'CREATE REL TABLE MENTIONS(FROM Episode TO Entity, sequence INT64)',
    'CREATE REL TABLE ABOUT(FROM Fact TO Entity, sequence INT64, role INT64)',
    'CREATE REL TABLE EVIDENCED_BY(FROM Fact TO Episode, FROM Description TO Episode, sequence INT64)',
    'CREATE REL TABLE SUPERSEDES(FROM Fact TO Fact, sequence INT64)',
    'CREATE REL TABLE RELATED(FROM Segment TO Segment, sequence INT64, relation INT64, confidence DOUBLE)',
    'CREATE REL TABLE CATEGORIZES(FROM Category TO Category, FROM Category TO Entity, sequence INT64)',
  ],
};
