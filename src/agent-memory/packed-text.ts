import { redactSecrets } from '../ingest/admit/redact-secrets.ts';
import type { Attachment } from '../model/nodes.ts';

/** Characters of a piece: an attachment's URI has at most 2,000. */
const PIECE = 1_900;
/** Pieces of one turn; some of its attachments are reserved for the message's own. */
export const MOST_PIECES = 80;
/** Characters of a text that one turn can carry: some 150,000. */
export const LONGEST_PACKED = PIECE * MOST_PIECES;

/** What a packed text is: the kind of its attachments, and how their URIs begin: `RECORD_URI`, a name and a comma. */
interface Packing {
  readonly kind: string;
  readonly prefix: string;
}

/**
 * A text as attachments of a turn, so that it is kept, exported, forgotten and covered by the proof together with the
 * turn. They have no description, so search and models do not see them.
 */
export function packText(text: string, { kind, prefix }: Packing): Attachment[] {
  const pieces: Attachment[] = [];
  for (let at = 0; at < text.length; ) {
    // Keeps surrogate pairs together: half a pair cannot be stored.
    const last = text.charCodeAt(at + PIECE - 1);
    const end = at + PIECE - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    pieces.push({ kind, description: '', uri: prefix + text.slice(at, end) });
    at = end;
  }
  return pieces;
}

/** Null if there is none. */
export function unpackText(
  attachments: readonly Attachment[],
  { prefix }: Pick<Packing, 'prefix'>,
): string | null {
  const pieces = attachments.flatMap(({ uri }) =>
    uri?.startsWith(prefix) ? [uri.slice(prefix.length)] : [],
  );
  return pieces.length === 0 ? null : pieces.join('');
}

/**
 * A copy of a value with keys, passwords and the like redacted in each text. The engine redacts nothing in a record: it
 * could miss a secret that two pieces share, or break the JSON.
 */
export function withoutSecrets<T>(value: T): T {
  return mapTexts(value, (text, name) => {
    // Some secrets are recognized by the word before them.
    const told = `${name}: `;
    const redacted = redactSecrets(told + text).text;
    return redacted.startsWith(told) ? redacted.slice(told.length) : redactSecrets(text).text;
  });
}

/** Returns a copy with each text replaced, and each number whose digits are; `name` is the name of the nearest field. */
export function mapTexts<T>(value: T, map: (text: string, name: string) => string): T {
  const mapped = (part: unknown, key: string): unknown => {
    if (typeof part === 'string') return map(part, key);
    if (typeof part === 'number') {
      const digits = String(part);
      const replaced = map(digits, key);
      return replaced === digits ? part : replaced;
    }
    if (Array.isArray(part)) return part.map((each) => mapped(each, key));
    if (typeof part !== 'object' || part === null) return part;
    if (ArrayBuffer.isView(part)) return `[${part.byteLength} bytes left out]`;
    return Object.fromEntries(Object.entries(part).map(([field, each]) => [field, mapped(each, field)]));
  };
  return mapped(value, '') as T;
}

/** JSON of a record, with text for a value that JSON cannot represent. */
export const recordText = (record: unknown): string =>
  JSON.stringify(record, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
