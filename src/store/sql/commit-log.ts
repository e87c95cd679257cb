import { z } from 'zod';
import type { GraphChanges } from '../../model/graph-changes.ts';
import { NODE_KINDS, type NodeKind } from '../../model/nodes.ts';
import { RELATIONSHIP_KINDS } from '../../model/relationships.ts';
import { parseJson } from '../../util/parse-json.ts';
import type { ScopeState } from '../graph-store.ts';
import { type SqlSession, tableIn } from './sql-database.ts';
import type { SqlTable } from './sql-schema.ts';

/**
 * The commits of each scope, for the processes that hold it in memory: its new rows by their ids, everything else as it
 * is. No text of the user is in it, so that forgetting has nothing to remove here.
 */
export const COMMIT_LOG_TABLE: SqlTable = {
  name: 'commit_log',
  columns: [
    { name: 'sequence', type: 'integer' },
    { name: 'token', type: 'integer' },
    { name: 'changes', type: 'text' },
  ],
  key: ['sequence'],
  indexes: [],
};

/** Commits of a scope that the log keeps at least; it is cut at every `CUT_EVERY`th. */
const KEPT = 512;
const CUT_EVERY = 64;
/** A longer commit is not told: to build the index again is quicker than to follow it. */
const LONGEST = 4_000_000;

/** The text of a commit that changes no index. */
export const NOTHING_LOGGED = '{}';
/** The text of a commit that the log does not tell. */
const UNTOLD = '';

const kind = z.enum(NODE_KINDS as unknown as readonly [NodeKind, ...NodeKind[]]);
const edge = z.object({
  kind: z.enum(RELATIONSHIP_KINDS),
  fromKind: kind,
  from: z.string(),
  toKind: kind,
  to: z.string(),
});
const row = z.object({ kind, id: z.string() });
const loggedSchema = z.object({
  nodes: z.partialRecord(kind, z.array(z.string())).optional(),
  relationships: z
    .array(
      edge.extend({
        role: z.string().optional(),
        relation: z.string().optional(),
        confidence: z.number().optional(),
      }),
    )
    .optional(),
  unlinks: z.array(edge).optional(),
  updates: z
    .array(
      row.extend({ set: z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null()])) }),
    )
    .optional(),
  removals: z.array(row).optional(),
});

/** A commit with the ids of its new rows in their place. */
export type LoggedChanges = Omit<GraphChanges, 'nodes'> & {
  readonly nodes?: Readonly<Partial<Record<NodeKind, readonly string[]>>>;
};

/** The text of a commit. */
export function logOf({ nodes, ...changes }: GraphChanges): string {
  const ids = Object.entries(nodes ?? {}).map(([name, rows]) => [name, rows.map(({ id }) => id)] as const);
  const text = JSON.stringify({ ...changes, nodes: Object.fromEntries(ids) });
  return text.length > LONGEST ? UNTOLD : text;
}

export async function appendToLog(
  session: SqlSession,
  scope: string,
  { state: { sequence, token }, changes }: { readonly state: ScopeState; readonly changes: string },
): Promise<void> {
  const { name, columns } = COMMIT_LOG_TABLE;
  await session.insert(scope, { table: name, columns, rows: [[sequence, token, changes]] });
  if (sequence % CUT_EVERY === 0)
    await session.run(`DELETE FROM ${tableIn(session.dialect, name)} WHERE scope = ? AND sequence <= ?`, [
      scope,
      sequence - KEPT,
    ]);
}

/** Whether a commit is one of this history, unless so many followed it that the log was cut. */
export async function isLogged(
  session: SqlSession,
  scope: string,
  { sequence, token }: ScopeState,
): Promise<boolean> {
  const found = await session.all(
    `SELECT sequence FROM ${tableIn(session.dialect, COMMIT_LOG_TABLE.name)} WHERE scope = ? AND sequence = ? AND token = ?`,
    [scope, sequence, token],
  );
  return found.length > 0;
}

/** The commits after a state, oldest first; null if the log does not tell, or not in words that this version knows. */
export async function readLog(
  session: SqlSession,
  scope: string,
  since: ScopeState,
): Promise<{ readonly state: ScopeState; readonly changes: LoggedChanges }[] | null> {
  const rows = await session.all(
    `SELECT sequence, token, changes FROM ${tableIn(session.dialect, COMMIT_LOG_TABLE.name)} WHERE scope = ? AND sequence >= ? ORDER BY sequence`,
    [scope, since.sequence],
  );
  const entries = rows.map(({ sequence, token, changes }) => ({
    state: { sequence: Number(sequence), token: Number(token) },
    changes: parseLogged(String(changes)),
  }));
  if (since.sequence > 0 && entries.shift()?.state.token !== since.token) return null;
  const told = entries.flatMap(({ state, changes }) => (changes === null ? [] : [{ state, changes }]));
  const isWhole = told.every(({ state }, at) => state.sequence === since.sequence + 1 + at);
  return isWhole && told.length === entries.length ? told : null;
}

function parseLogged(text: string): LoggedChanges | null {
  const read = text === UNTOLD ? null : parseJson(text);
  const parsed = read?.ok ? loggedSchema.safeParse(read.value) : null;
  return parsed?.success ? (parsed.data as LoggedChanges) : null;
}
