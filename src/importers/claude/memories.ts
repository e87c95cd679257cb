import { z } from 'zod';
import { describeIssues } from '../../util/describe-issues.ts';
import type { ReadContext } from '../chat-importer.ts';
import { splitDocument } from '../documents/documents.ts';
import type { ImportFile } from '../files/import-file.ts';
import { type ImportRecord, rejected } from '../importer.ts';
import { readElements } from '../json/read-elements.ts';
import { digestOf, messageRecords } from '../message-records.ts';
import { SAVED_MEMORIES } from '../saved-memories.ts';

/** The file of an export that holds what Claude remembers of its user, beside the conversations. */
export const CLAUDE_MEMORIES = /(?:^|\/)memories(?:\/[^/]+)?\.json$/i;

const memoriesSchema = z.object({
  conversations_memory: z.string().nullish().catch(null),
  project_memories: z.record(z.string(), z.string()).nullish().catch(null),
});

/** Passages of Claude's memory, which it writes about its user, as notes at the time of the file. */
export async function* claudeMemories(file: ImportFile, context: ReadContext): AsyncGenerator<ImportRecord> {
  for await (const element of readElements(file, context)) {
    const where = `${context.in(file)}memory ${element.number}`;
    const { data, error } = memoriesSchema.safeParse('value' in element ? element.value : undefined);
    if ('problem' in element) yield rejected(where, element.problem);
    else if (data === undefined) yield rejected(where, describeIssues(error));
    else {
      const texts = [['', data.conversations_memory ?? ''], ...Object.entries(data.project_memories ?? {})];
      for (const [project, text] of texts as [string, string][])
        for (const { headings, text: passage } of splitDocument(text, { isMarkdown: true })) {
          const content = [...headings, passage].join('\n');
          const said = { content, speaker: 'Claude', role: 'assistant' as const, source: SAVED_MEMORIES };
          const conversation = { id: `${SAVED_MEMORIES}/claude`, title: 'What Claude remembered' };
          const at = Math.trunc(file.modifiedAt ?? Date.now());
          yield* messageRecords({ ...said, at, conversation, sourceId: digestOf([project, content]) }, where);
        }
    }
  }
}
