import type { SqlTable } from './sql-schema.ts';

/** What a server keeps beside a memory, such as its tokens. `scope` is a kind of records, and no scope of the memory. */
export const RECORD_TABLE: SqlTable = {
  name: 'record',
  columns: [
    { name: 'id', type: 'text' },
    { name: 'value', type: 'text' },
  ],
  key: ['id'],
  indexes: [],
};
