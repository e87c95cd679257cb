import { quoted, type SqlDialect, type SqlType } from '../sql-database.ts';

const TYPES: Readonly<Record<SqlType, string>> = {
  /** Ids are compared byte by byte, as in JavaScript and SQLite, not as words of a language. */
  text: 'text COLLATE "C"',
  integer: 'bigint',
  double: 'double precision',
  bytes: 'bytea',
};

/** @param schema - its name, unquoted. */
export function postgresDialect(schema: string): SqlDialect {
  return {
    schema: quoted(schema),
    types: TYPES,
    now: '(extract(epoch FROM clock_timestamp()) * 1000)::bigint',
    isIn: (column) => `${quoted(column)} = ANY(?::text[])`,
    createIndex: (name, table, columns) =>
      `CREATE INDEX IF NOT EXISTS ${quoted(name)} ON ${quoted(schema)}.${quoted(table)} (${columns})`,
  };
}

/** The type of an array that holds the values of a column. */
export function arrayOf(type: SqlType): string {
  return type === 'text' ? 'text[]' : `${TYPES[type]}[]`;
}

/** Question marks become `$1`, `$2`, … No statement holds one in a text or a name. */
export function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
}
