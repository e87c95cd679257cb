import { type TurnInput, turnInputSchema } from '../model/turn-input.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { parseTimestamp } from '../util/parse-timestamp.ts';
import type { ImportRecord, RejectedRecord } from './importer.ts';

export interface Place {
  readonly where: string;
  readonly line?: number;
}

const FIELDS = Object.keys(turnInputSchema.shape);

/** A record of `input`, which should be the input of `add`: a turn, or the reason why it is none. */
export function turnRecord(input: unknown, place: Place): ImportRecord {
  const parsed = turnInputSchema.safeParse(input);
  if (!parsed.success) return rejected(place.where, describeIssues(parsed.error, FIELDS));
  const problem = problemOf(parsed.data);
  return problem === null ? { kind: 'turn', turn: parsed.data, ...place } : rejected(place.where, problem);
}

/** What the schema cannot say and the engine would refuse; known here, it is reported with its place. */
function problemOf(turn: TurnInput): string | null {
  if (parseTimestamp(turn.at) === null) return 'at is not a time';
  if (turn.content.trim() === '' && !turn.attachments?.length) return 'content is empty';
  return null;
}

export function rejected(where: string, reason: string): RejectedRecord {
  return { kind: 'rejected', where, reason };
}
