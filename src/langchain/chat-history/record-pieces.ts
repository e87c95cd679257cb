import { redactSecrets } from '../../ingest/admit/redact-secrets.ts';
import type { Attachment } from '../../model/nodes.ts';
import { type MessageRecord, readRecord } from './message-record.ts';

/** Limits of an attachment's URI and of a turn's attachments; some attachments are reserved for the message's own. */
const PIECE = 1_900;
const MOST_PIECES = 80;
/** Characters of the largest record: some 150,000. */
const LARGEST_RECORD = PIECE * MOST_PIECES;
const PREFIX = 'data:application/json;mnemis=message,';
/** Characters kept of a text in a record that is too large. */
const LONGEST_KEPT = 500;

/**
 * Stores a record as attachments of its turn, so that it is kept, exported, forgotten and covered by the proof together
 * with the turn. They have no description, so search and models do not see them. Null for a record that is too large
 * even without its long texts.
 */
export function packRecord(record: MessageRecord, redacts: boolean): Attachment[] | null {
  const whole = redacts ? withoutSecrets(record) : record;
  return piecesOf(whole) ?? piecesOf(shortened({ ...whole, content: undefined }));
}

/** Null if there is none, or if it cannot be read. */
export function unpackRecord(attachments: readonly Attachment[]): MessageRecord | null {
  const pieces = attachments.flatMap(({ uri }) =>
    uri?.startsWith(PREFIX) ? [uri.slice(PREFIX.length)] : [],
  );
  return pieces.length === 0 ? null : readRecord(pieces.join(''));
}

function piecesOf(record: unknown): Attachment[] | null {
  const text = JSON.stringify(record, plain);
  if (text.length > LARGEST_RECORD) return null;
  const pieces: Attachment[] = [];
  for (let at = 0; at < text.length; ) {
    // Keeps surrogate pairs together: half a pair cannot be stored.
    const last = text.charCodeAt(at + PIECE - 1);
    const end = at + PIECE - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    pieces.push({ kind: 'message', description: '', uri: PREFIX + text.slice(at, end) });
    at = end;
  }
  return pieces;
}

/** Values that JSON cannot represent. */
function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * Redacts keys, passwords and the like in each value. The engine redacts each attachment separately: it could miss a
 * secret that two share, or break the JSON.
 */
function withoutSecrets<T>(value: T, key = ''): T {
  return mapTexts(value, key, (text, name) => {
    // Some secrets are recognized by the word before them.
    const told = `${name}: `;
    const redacted = redactSecrets(told + text).text;
    return redacted.startsWith(told) ? redacted.slice(told.length) : redactSecrets(text).text;
  });
}

function shortened<T>(record: T): T {
  return mapTexts(record, '', (text) =>
    text.length <= LONGEST_KEPT ? text : `[${text.length} characters left out]`,
  );
}

/** Returns a copy with each text replaced; `name` is the name of the nearest field. */
function mapTexts<T>(value: T, name: string, map: (text: string, name: string) => string): T {
  const mapped = (part: unknown, key: string): unknown => {
    if (typeof part === 'string') return map(part, key);
    if (Array.isArray(part)) return part.map((each) => mapped(each, key));
    if (typeof part !== 'object' || part === null) return part;
    if (ArrayBuffer.isView(part)) return `[${part.byteLength} bytes left out]`;
    return Object.fromEntries(Object.entries(part).map(([field, each]) => [field, mapped(each, field)]));
  };
  return mapped(value, name) as T;
}
