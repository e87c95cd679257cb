import { z } from 'zod';
import { parseJson } from '../util/parse-json.ts';
import type { ReadContext } from './chat-importer.ts';
import type { ImportFile } from './files/import-file.ts';
import { type RejectedRecord, rejected } from './importer.ts';
import { fileLines } from './read-lines.ts';

const objectSchema = z.record(z.string(), z.unknown());

/** An object of a file of JSON lines, not validated further, with its place. */
export interface JsonLine {
  readonly kind: 'line';
  readonly value: Readonly<Record<string, unknown>>;
  readonly where: string;
  readonly number: number;
}

/** The objects of a file of JSON lines; a line that is none is rejected. */
export async function* jsonLines(
  file: ImportFile,
  context: ReadContext,
): AsyncGenerator<JsonLine | RejectedRecord> {
  for await (const line of fileLines(file, context)) {
    const { number } = line;
    const where = `${context.in(file)}line ${number}`;
    if ('problem' in line) yield rejected(where, line.problem);
    else if (line.text.trim() !== '') {
      const json = parseJson(line.text);
      const parsed = json.ok ? objectSchema.safeParse(json.value) : null;
      if (!json.ok) yield rejected(where, json.reason.replace('line 1, ', ''));
      else if (!parsed?.success) yield rejected(where, 'is no JSON object');
      else yield { kind: 'line', value: parsed.data, where, number };
    }
  }
}
