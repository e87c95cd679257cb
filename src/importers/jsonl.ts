import { createHash } from 'node:crypto';
import type { TurnInput } from '../model/turn-input.ts';
import { parseJson } from '../util/parse-json.ts';
import {
  type Importer,
  type ImportRecord,
  type ReadOptions,
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

  complete(turn: TurnInput): TurnInput {
    if (turn.sourceId !== undefined || turn.index !== undefined) return turn;
    return { ...turn, sourceId: this.#names.take(`said:${digest(turn)}`) };
  }
}

function digest({ session, at, speaker, role, content, attachments }: TurnInput): string {
  const said = JSON.stringify([session, at, speaker ?? role, content, attachments]);
  return createHash('sha256').update(said).digest('base64url').slice(0, 22);
}

export const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** A line is the input of `add`; one with neither `index` nor `sourceId` gets a `sourceId` from its content. */
export const jsonlImporter: Importer = {
  name: 'jsonl',
  description: 'JSON lines: one turn per line, as `add` takes it',
  read: (path, options = {}) => withTolerance(path, options, (inner) => readRecords(path, inner)),
  recognize: ({ isWithin, keys }) =>
    !isWithin && keys.has('content') && keys.has('at') ? 'its lines have "content" and "at"' : null,
};

async function* readRecords(path: string, options: ReadOptions): AsyncGenerator<ImportRecord> {
  const regularOnly = options.tolerate === false;
  const identity = new ImpliedIdentity();
  for await (const line of readLines(path, { ...options, regularOnly, maxBytes: MAX_LINE_BYTES })) {
    if ('text' in line && line.text.trim() === '') continue;
    const record = readLine(line);
    yield record.kind === 'turn' ? { ...record, turn: identity.complete(record.turn) } : record;
  }
}

function readLine(line: Line): ImportRecord {
  const where = `line ${line.number}`;
  if ('problem' in line) return rejected(where, line.problem);
  const json = parseJson(line.text);
  if (json.ok) return turnRecord(json.value, { where, line: line.number });
  // Removes "line 1" of the parser's message, which would look like a line of the file.
  return rejected(where, json.reason.replace('line 1, ', ''));
}
