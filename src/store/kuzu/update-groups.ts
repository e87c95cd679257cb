import { InvalidChangeError } from '../../errors/invalid-change-error.ts';
import type { MutableKind, RowUpdate } from '../../model/graph-changes.ts';
import { groupBy } from '../../util/group-by.ts';
import { type ColumnType, NODE_TABLES } from '../schema.ts';
import type { KuzuRecord, KuzuValue } from './parameters.ts';
import { encodeScalar } from './row-codec.ts';

/** Rows of one table that set the same columns, so that one statement can do it. */
export interface UpdateGroup {
  readonly kind: MutableKind;
  readonly columns: readonly string[];
  /** `id` and the columns, in one order; an id stands in one record, or the last value might not win. */
  readonly records: readonly KuzuRecord[];
}

/** @throws InvalidChangeError for a column that the schema lacks. */
export function groupUpdates(updates: readonly RowUpdate[]): UpdateGroup[] {
  const records = new Map<string, { readonly kind: MutableKind; record: Record<string, KuzuValue> }>();
  for (const { kind, id, set } of updates) {
    const name = `${kind} ${id}`;
    const known = records.get(name);
    records.set(name, { kind, record: { ...known?.record, ...encodeSet(kind, set), id } });
  }
  const groups = groupBy(records.values(), ({ kind, record }) => `${kind} ${columnsIn(record)}`);
  return [...groups.values()].flatMap((group) => {
    const { kind, record } = group[0]!;
    const columns = columnsIn(record);
    return columns.length === 0 ? [] : [{ kind, columns, records: group.map((one) => one.record) }];
  });
}

const columnsIn = (record: KuzuRecord): string[] =>
  Object.keys(record)
    .filter((name) => name !== 'id')
    .sort();

function encodeSet(kind: MutableKind, set: RowUpdate['set']): Record<string, KuzuValue> {
  const columns = NODE_TABLES[kind].columns as Readonly<Record<string, ColumnType>>;
  const values: Record<string, KuzuValue> = {};
  for (const [name, value] of Object.entries(set)) {
    const column = columns[name];
    if (column === undefined) throw new InvalidChangeError(`${kind}.${name} may not change`);
    values[name] = encodeScalar(column, value);
  }
  return values;
}
