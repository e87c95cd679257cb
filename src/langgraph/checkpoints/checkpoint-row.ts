import type { Checkpoint, CheckpointMetadata } from '@langchain/langgraph-checkpoint';
import { z } from 'zod';
import { parseJson } from '../../util/parse-json.ts';
import { CheckpointFileError, type SqliteFile, type SqlValue } from './sqlite-file.ts';

/** Name of a channel, reference to its value, and its version where that is known. */
const channelsSchema = z.array(
  z.tuple([z.string(), z.number().int(), z.union([z.number(), z.string()]).nullable()]),
);
export type Channels = z.infer<typeof channelsSchema>;

/** For each outer namespace of a subgraph's checkpoint, the checkpoint there that it belongs to. */
const parentsSchema = z.record(z.string(), z.string());
export type Parents = z.infer<typeof parentsSchema>;

/** Which earlier checkpoints of its namespace are needed to read a checkpoint. */
export const Leaning = {
  none: 0,
  /** Before version 4, what was sent to the next step are writes of the parent. */
  onParent: 1,
  /** Delta channels are read from the writes of all ancestors back to a snapshot. */
  onAncestors: 2,
} as const;
export type Leaning = (typeof Leaning)[keyof typeof Leaning];

export function leaningOf(
  { v }: Pick<Checkpoint, 'v'>,
  { counters_since_delta_snapshot: counters }: CheckpointMetadata,
): Leaning {
  if (Object.keys(counters ?? {}).length > 0) return Leaning.onAncestors;
  return v < 4 ? Leaning.onParent : Leaning.none;
}

/** Null where there are none, as in the outermost graph. */
export function parentsColumn(parents: unknown): string | null {
  const known = parentsSchema.safeParse(parents);
  return known.success && Object.keys(known.data).length > 0 ? JSON.stringify(known.data) : null;
}

export function channelsIn(file: SqliteFile, column: SqlValue | undefined): Channels {
  return parseColumn(file, channelsSchema, column) ?? [];
}

export function parentsIn(file: SqliteFile, column: SqlValue | undefined): Parents {
  return parseColumn(file, parentsSchema, column) ?? {};
}

function parseColumn<T>(file: SqliteFile, schema: z.ZodType<T>, column: SqlValue | undefined): T | null {
  if (typeof column !== 'string') return null;
  const read = parseJson(column);
  const known = schema.safeParse(read.ok ? read.value : undefined);
  if (!known.success) throw new CheckpointFileError(file.path, 'a row is not as it was written');
  return known.data;
}
