import { parseTimestamp } from '../../util/parse-timestamp.ts';
import { inRange } from '../chat-times.ts';
import type { ImportFile } from '../files/import-file.ts';

const KEYS = ['date', 'created', 'created_at', 'updated', 'modified'];
const IN_NAME = /(?<!\d)((?:19|20)\d{2})[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?!\d)/;

export interface DocumentDate {
  readonly at: number;
  readonly from: 'front matter' | 'file name' | 'file';
}

/** When a document was written: as it says itself, as its name says, else when the file was last changed. */
export function documentDate(file: ImportFile, values: ReadonlyMap<string, string>): DocumentDate | null {
  for (const key of KEYS) {
    const at = possible(parseTimestamp(values.get(key) ?? ''));
    if (at !== null) return { at, from: 'front matter' };
  }
  const name = IN_NAME.exec(file.name);
  const named = name === null ? null : possible(parseTimestamp(name.slice(1).join('-')));
  if (named !== null) return { at: named, from: 'file name' };
  const changed = possible(file.modifiedAt);
  return changed === null ? null : { at: Math.trunc(changed), from: 'file' };
}

function possible(at: number | null): number | null {
  if (at === null) return null;
  const time = inRange(at);
  return 'at' in time ? time.at : null;
}
