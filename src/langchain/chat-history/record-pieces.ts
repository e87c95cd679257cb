import {
  LONGEST_PACKED,
  mapTexts,
  packText,
  recordText,
  unpackText,
  withoutSecrets,
} from '../../agent-memory/packed-text.ts';
import type { Attachment } from '../../model/nodes.ts';
import { RECORD_URI } from '../../model/turn-input.ts';
import { type MessageRecord, readRecord } from './message-record.ts';

const PACKING = { kind: 'message', prefix: `${RECORD_URI}message,` };
/** Characters kept of a text in a record that is too large. */
const LONGEST_KEPT = 500;

/** Stores a record as attachments of its turn. Null for a record that is too large even without its long texts. */
export function packRecord(record: MessageRecord, redacts: boolean): Attachment[] | null {
  const whole = redacts ? withoutSecrets(record) : record;
  return piecesOf(whole) ?? piecesOf(shortened({ ...whole, content: undefined }));
}

/** Null if there is none, or if it cannot be read. */
export function unpackRecord(attachments: readonly Attachment[]): MessageRecord | null {
  const text = unpackText(attachments, PACKING);
  return text === null ? null : readRecord(text);
}

function piecesOf(record: unknown): Attachment[] | null {
  const text = recordText(record);
  return text.length > LONGEST_PACKED ? null : packText(text, PACKING);
}

function shortened<T>(record: T): T {
  return mapTexts(record, (text) =>
    text.length <= LONGEST_KEPT ? text : `[${text.length} characters left out]`,
  );
}
