import type { ReactNode } from 'react';
import { text } from '../strings/text.ts';
import styles from './settings.module.css';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** The whole text of a cell that may be cut off. */
  readonly whole?: (row: Row) => string | null;
  /** Sorts by this column. */
  readonly onSort?: () => void;
  readonly isSorted?: boolean;
}

interface TableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  readonly className?: string | undefined;
}

/** Figures in rows; the first column names the row. */
export function Table<Row>({ rows, columns, keyOf, className = '' }: TableProps<Row>) {
  return (
    <div className={`${styles.tableFrame} ${className}`}>
      <table className={styles.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.title} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, whole }, index) => {
                const Cell = index === 0 ? 'th' : 'td';
                return (
                  <Cell key={title} scope={index === 0 ? 'row' : undefined} title={whole?.(row) ?? undefined}>
                    {cell(row)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Head<Row>({ column: { title, onSort, isSorted = false } }: { readonly column: Column<Row> }) {
  if (onSort === undefined) return <th>{title}</th>;
  return (
    <th aria-sort={isSorted ? 'descending' : 'none'}>
      <button
        type="button"
        className="one-line lightens"
        title={text.backup.used.sortBy(title)}
        onClick={onSort}
      >
        {title}
        <span aria-hidden>{isSorted ? ' ↓' : ''}</span>
      </button>
    </th>
  );
}
