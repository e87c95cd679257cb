import type { LeaseKind } from '../store-sharing.ts';
import { type SqlDialect, type SqlSession, tableIn } from './sql-database.ts';
import { SCOPE_TABLE } from './sql-schema.ts';

/** Which process asks for a lease of a scope, by encoded names. */
export interface LeaseClaim {
  readonly scope: string;
  readonly kind: LeaseKind;
  readonly process: string;
}

/**
 * Whether no process holds a lease, in a statement that names the row of its scope `known`. Leases are columns of that
 * row: a commit that waits for the row sees them as they are when its turn comes.
 */
export function leaseIsFree(kind: LeaseKind, { now }: SqlDialect): string {
  return `known.${kind} IS NULL OR known.${kind}_until < ${now}`;
}

/** Takes a lease that is free or held by this process, until so many milliseconds from now. Returns whether it holds it. */
export async function takeLease(
  session: SqlSession,
  { scope, kind, process }: LeaseClaim,
  milliseconds: number,
): Promise<boolean> {
  const { dialect } = session;
  const until = `${kind}_until`;
  const held = await session.all(
    `INSERT INTO ${tableIn(dialect, SCOPE_TABLE)} AS known (scope, sequence, token, ${kind}, ${until}) VALUES (?, 0, 0, ?, ${dialect.now} + ?) ON CONFLICT (scope) DO UPDATE SET ${kind} = excluded.${kind}, ${until} = excluded.${until} WHERE ${leaseIsFree(kind, dialect)} OR known.${kind} = excluded.${kind} RETURNING sequence`,
    [scope, process, milliseconds],
  );
  return held.length > 0;
}

export async function endLease(session: SqlSession, { scope, kind, process }: LeaseClaim): Promise<void> {
  await session.run(
    `UPDATE ${tableIn(session.dialect, SCOPE_TABLE)} SET ${kind} = NULL, ${kind}_until = NULL WHERE scope = ? AND ${kind} = ?`,
    [scope, process],
  );
}
