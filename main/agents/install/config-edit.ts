import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  checkJson,
  hasEntry,
  type IsOurs,
  insertionsFor,
  type JsonEntry,
  missingIn,
  withoutEntry,
} from './edit-json.ts';
import { checkToml, TOML_BEGIN, withBlock, withoutBlock } from './edit-toml.ts';
import type { Insertion } from './insertion.ts';

/** What a file of an agent's configuration gets. */
export type ConfigEdit =
  | { readonly kind: 'json'; readonly entries: readonly JsonEntry[] }
  /** A block of lines at the end. */
  | { readonly kind: 'toml'; readonly block: string }
  /** A file that is ours as a whole. */
  | { readonly kind: 'own'; readonly text: string };

/** What was done to a file, by which it is undone. */
export const editRecordSchema = z.object({
  /** Whether the file was not there before. */
  isNew: z.boolean(),
  /** Of the whole text after it. */
  digest: z.string(),
  /** One after the other. */
  insertions: z.array(z.object({ at: z.number(), text: z.string() })),
  /** Objects and lists of JSON that were not there before. */
  made: z.array(z.string()),
});
export type EditRecord = z.output<typeof editRecordSchema>;

export interface Edited {
  readonly text: string;
  readonly record: EditRecord;
}

const BOM = '\ufeff';
/** The beginning of a file of JSON that is made. */
const EMPTY_JSON = '{\n}\n';

/**
 * A file's text with the edit; `before` is null for a file that is not there. What is there stays, byte for byte.
 *
 * @throws ConfigBrokenError for a text that cannot be read, or that has something else in its place
 */
export function withEdit(before: string | null, edit: ConfigEdit, file: string): Edited {
  if (edit.kind === 'own') return edited(before, edit.text, { insertions: [], made: [] });
  if (edit.kind === 'toml') {
    checkToml(before ?? '', file);
    const insertion = withBlock(before ?? '', edit.block);
    const text = `${before ?? ''}${insertion.text}`;
    checkToml(text, file);
    return edited(before, text, { insertions: [insertion], made: [] });
  }
  const insertions: Insertion[] = [];
  let text = before ?? '';
  const put = (insertion: Insertion) => {
    text = text.slice(0, insertion.at) + insertion.text + text.slice(insertion.at);
    insertions.push(insertion);
  };
  if (text.replace(BOM, '').trim() === '') put({ at: text.startsWith(BOM) ? 1 : 0, text: EMPTY_JSON });
  const start = text.startsWith(BOM) ? 1 : 0;
  const body = () => text.slice(start);
  checkJson(body(), file);
  const made = edit.entries.flatMap(({ path }) => missingIn(body(), path, file));
  for (const entry of edit.entries)
    for (const { at, ...insertion } of insertionsFor(body(), entry, file))
      put({ at: at + start, ...insertion });
  return edited(before, text, { insertions, made: [...new Set(made)] });
}

function edited(before: string | null, text: string, done: Pick<EditRecord, 'insertions' | 'made'>): Edited {
  return { text, record: { isNew: before === null, digest: digestOfText(text), ...done } };
}

/** The text without the edit; null where the file is then to be deleted. What others wrote meanwhile stays. */
export function withoutEdit(
  text: string,
  edit: ConfigEdit,
  {
    file,
    record,
    isOurs,
  }: { readonly file: string; readonly record: EditRecord | null; readonly isOurs: IsOurs },
): string | null {
  const isAsWritten = record !== null && digestOfText(text) === record.digest;
  if (edit.kind === 'own') return isAsWritten || text === edit.text ? null : text; // else somebody has changed it
  if (isAsWritten) {
    if (record.isNew) return null;
    return record.insertions.reduceRight(
      (rest, { at, text: put }) => rest.slice(0, at) + rest.slice(at + put.length),
      text,
    );
  }
  if (edit.kind === 'toml') return withoutBlock(text, record?.insertions[0]?.text);
  const start = text.startsWith(BOM) ? 1 : 0;
  const made = record?.made ?? [];
  const rest = edit.entries
    .filter(({ isDefault }) => isDefault !== true)
    .reduce((left, entry) => withoutEntry(left, entry, { file, isOurs, made }), text.slice(start));
  return text.slice(0, start) + rest;
}

/** Whether a text has the edit, in whole or in part. */
export function hasEdit(text: string, edit: ConfigEdit, isOurs: IsOurs): boolean {
  if (edit.kind === 'own') return isOwnFile(text);
  if (edit.kind === 'toml') return text.includes(TOML_BEGIN);
  return edit.entries.some(
    (entry) => entry.isDefault !== true && hasEntry(text.replace(BOM, ''), entry, isOurs),
  );
}

/** A file that another version wrote begins with the same words. */
export const isOwnFile = (text: string) => text.startsWith('// Mnemis');

export const digestOfText = (text: string) => createHash('sha256').update(text).digest('hex');
