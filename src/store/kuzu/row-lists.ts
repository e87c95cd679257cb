import type { KuzuParameters, KuzuRecord, KuzuValue } from './kuzu-connection.ts';

/**
 * Rows as parameters of a statement: one list per column, and a statement that walks their positions. Kùzu takes two to
 * three times as long for a list of records (docs/decisions/2026-11-28-cost-of-writing.md).
 */
export const EACH_ROW = 'UNWIND range(1, $rows) AS i';

/** The value of a column in the row of the walk. */
export const cellOf = (column: string): string => `$c_${column}[i]`;

/** The parameters for `EACH_ROW` and `cellOf`. All records have these columns. */
export function rowLists(columns: readonly string[], records: readonly KuzuRecord[]): KuzuParameters {
  const lists: Record<string, number | KuzuValue[]> = { rows: records.length };
  for (const column of columns) lists[`c_${column}`] = records.map((record) => record[column]!);
  return lists;
}
