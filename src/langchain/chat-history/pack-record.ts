import { redactSecrets } from '../../ingest/admit/redact-secrets.ts';
import type { Attachment } from '../../model/nodes.ts';
import { type MessageRecord, readRecord } from './message-record.ts';

/** What a URI of an attachment may have, and how many attachments a turn; some are left for the message's own. */
const PIECE = 1_900;
const MOST_PIECES = 80;
const PREFIX = 'data:application/json;mnemis=message,';
/** What is left of a text in a record that is too large. */
const LONGEST_KEPT = 500;

/**
 * A record as attachments of its turn, so that it is kept, found by the proof of forgetting, exported and forgotten with
 * it. They have no description: search and models see nothing of them. Null for a record that is too large even when
 * its long texts are left out.
 */
export function packRecord(record: MessageRecord, redacts: boolean): Attachment[] | null {
  const whole = redacts ? withoutSecrets(record) : record;
  return piecesOf(whole) ?? piecesOf(shortened({ ...whole, content: undefined }));
}

/** Null where there is none, or none that can be read. */
export function unpackRecord(attachments: readonly Attachment[]): MessageRecord | null {
  const pieces = attachments.flatMap(({ uri }) =>
    uri?.startsWith(PREFIX) ? [uri.slice(PREFIX.length)] : [],
  );
  return pieces.length === 0 ? null : readRecord(pieces.join(''));
}

function piecesOf(record: unknown): Attachment[] | null {
  const text = JSON.stringify(record, plain);
  if (text.length > PIECE * MOST_PIECES) return null;
  const pieces: Attachment[] = [];
  for (let at = 0; at < text.length; ) {
    // A pair of surrogates stays together: half a one cannot be stored.
    const last = text.charCodeAt(at + PIECE - 1);
    const end = at + PIECE - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    pieces.push({ kind: 'message', description: '', uri: PREFIX + text.slice(at, end) });
    at = end;
  }
  return pieces;
}

/** What JSON has no form for. */
function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * Keys, passwords and the like are blacked out value by value: the engine does it piece by piece, and might see half of
 * one, or break the JSON.
 */
function withoutSecrets<T>(value: T, key = ''): T {
  return mapTexts(value, key, (text, name) => {
    // Some are known by the word before them.
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

/** A copy in which each text is another; `name` is the nearest field's. */
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
