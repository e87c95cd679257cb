import { createHash } from 'node:crypto';
import { type TurnInput, turnInputSchema } from '../model/turn-input.ts';
import { parseJson } from '../util/parse-json.ts';
import {
  type Importer,
  type ImportRecord,
  type ReadOptions,
  readSettings,
  rejected,
  turnRecord,
  withTolerance,
} from './importer.ts';
import { type Line, readLines } from './read-lines.ts';
import { UniqueNames } from './unique-names.ts';

/**
 * Gives a turn without position and id an id derived from its content, so that importing a file twice, or continuing
 * after an interruption, does not store it twice. A count distinguishes turns with equal content.
 */
class ImpliedIdentity {
  readonly #names = new UniqueNames();

  /** @param isTimed Whether the line has a time; a time that it was given is not part of the id. */
  complete(turn: TurnInput, isTimed: boolean): TurnInput {
    if (turn.sourceId !== undefined || turn.index !== undefined) return turn;
    const { at, ...untimed } = turn;
    return { ...turn, sourceId: this.#names.take(`said:${digest(isTimed ? turn : untimed)}`) };
  }
}

function digest({
  session,
  at,
  speaker,
  role,
  content,
  attachments,
}: Omit<TurnInput, 'at'> & { readonly at?: TurnInput['at'] }): string {
  const said = JSON.stringify([session, at, speaker ?? role, content, attachments]);
  return createHash('sha256').update(said).digest('base64url').slice(0, 22);
}

export const MAX_LINE_BYTES = 8 * 1024 * 1024;

/**
 * A line is the input of `add`; one with neither `index` nor `sourceId` gets a `sourceId` from its content, and one
 * without `at` gets the present time, which a note reports. A turn of the user without a speaker gets the name `me`.
 */
export const jsonlImporter: Importer = {
  name: 'jsonl',
  description: 'JSON lines: one turn per line, as `add` takes it',
  read: (path, options = {}) => withTolerance(path, options, (inner) => readRecords(path, inner)),
  recognize: ({ isWithin, keys }) => {
    if (isWithin || !keys.has('content')) return null;
    if (keys.has('at')) return 'its lines have "content" and "at"';
    const names = [...keys].map((path) => path.replace(/[.[].*$/s, ''));
    const isTurn = names.every((name) => FIELDS.has(name) || OTHER_NAMES.has(name));
    return isTurn ? 'its lines have "content", and only fields of a turn' : null;
  },
};

const FIELDS: ReadonlySet<string> = new Set(Object.keys(turnInputSchema.shape));

/** How the lines of other programs name the fields of a turn. */
const OTHER_NAMES: ReadonlyMap<string, 'at' | 'speaker' | 'session'> = new Map([
  ...['timestamp', 'created_at', 'createdAt', 'create_time', 'sent_at', 'time', 'date', 'datetime', 'ts'].map(
    (name) => [name, 'at'] as const,
  ),
  ...['name', 'author', 'sender'].map((name) => [name, 'speaker'] as const),
  ...['session_id', 'conversation_id', 'thread_id'].map((name) => [name, 'session'] as const),
]);
/** Numbers below are seconds since 1970, above milliseconds. */
const SECONDS_UP_TO = 1e11;

/** A line with the names of a turn's fields. A field that it has under its own name stays. */
function withOwnNames(line: object): Record<string, unknown> {
  const turn: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(line)) {
    const own = OTHER_NAMES.get(name);
    const isFree = own !== undefined && !(own in line) && !(own in turn);
    if (isFree && value === null) continue;
    turn[isFree ? own : name] = isFree && own === 'at' ? timeOf(value) : isFree ? String(value) : value;
  }
  return turn;
}

function timeOf(value: unknown): unknown {
  const number = typeof value === 'string' && /^\d{9,10}(?:\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number < SECONDS_UP_TO ? Math.round(number * 1000) : number;
}

async function* readRecords(path: string, options: ReadOptions): AsyncGenerator<ImportRecord> {
  const regularOnly = options.tolerate === false;
  const { me } = readSettings(options.settings);
  const identity = new ImpliedIdentity();
  const now = new Date();
  let untimed = 0;
  for await (const line of readLines(path, { ...options, regularOnly, maxBytes: MAX_LINE_BYTES })) {
    if ('text' in line && line.text.trim() === '') continue;
    const { record, isTimed } = readLine(line, now);
    if (!isTimed) untimed++;
    if (record.kind !== 'turn') {
      yield record;
      continue;
    }
    // The identity is that without the name, so that a line is known again whoever imports it.
    const turn = identity.complete(record.turn, isTimed);
    const isMine = me !== undefined && turn.role === 'user' && turn.speaker === undefined;
    yield { ...record, turn: isMine ? { ...turn, speaker: me } : turn };
  }
  if (untimed > 0)
    options.onNote?.(
      `${untimed === 1 ? '1 turn has no time ("at") and gets' : `${untimed} turns have no time ("at") and get`} the present one, if memory does not have ${untimed === 1 ? 'it' : 'them'} yet`,
    );
}

interface ReadLine {
  readonly record: ImportRecord;
  /** False for a turn that was given the present time. */
  readonly isTimed: boolean;
}

function readLine(line: Line, now: Date): ReadLine {
  const where = `line ${line.number}`;
  if ('problem' in line) return { record: rejected(where, line.problem), isTimed: true };
  const json = parseJson(line.text);
  // Removes "line 1" of the parser's message, which would look like a line of the file.
  if (!json.ok) return { record: rejected(where, json.reason.replace('line 1, ', '')), isTimed: true };
  const isObject = typeof json.value === 'object' && json.value !== null && !Array.isArray(json.value);
  const value = isObject ? withOwnNames(json.value as object) : json.value;
  const isTimed = typeof value !== 'object' || value === null || Array.isArray(value) || 'at' in value;
  const record = turnRecord(isTimed ? value : { ...value, at: now }, { where, line: line.number });
  return { record, isTimed: isTimed || record.kind === 'rejected' };
}
