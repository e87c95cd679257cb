import { ImpliedIdentity } from './implied-identity.ts';
import type { Importer, ImportRecord, ReadOptions } from './importer.ts';
import type { Line } from './line-splitter.ts';
import { parseJson } from './parse-json.ts';
import { readLines } from './read-lines.ts';
import { withTolerance } from './tolerate.ts';
import { rejected, turnRecord } from './turn-record.ts';

export const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** A line is the input of `add`; one with neither `index` nor `sourceId` gets a `sourceId` from what it says. */
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
  // Within a line, "line 1" would be mistaken for a line of the file.
  return rejected(where, json.reason.replace('line 1, ', ''));
}
