import type { z } from 'zod';
import { describeIssues } from '../util/describe-issues.ts';
import type { ChatFormat } from './chat-importer.ts';
import type { ImportRecord } from './importer.ts';
import type { ReadContext } from './read-context.ts';
import { readElements } from './read-elements.ts';
import { rejected } from './turn-record.ts';

/** A conversation's place in what is read. */
export interface ConversationPlace {
  readonly where: string;
  readonly context: ReadContext;
}

/** Reads a file that is a list of conversations, or one of them; one that is none is rejected, and the others go in. */
export function conversationsOf<Data>(
  schema: z.ZodType<Data>,
  recordsOf: (data: Data, place: ConversationPlace) => Iterable<ImportRecord>,
): ChatFormat['records'] {
  return async function* (file, context) {
    for await (const element of readElements(file, context)) {
      const where = `${context.in(file)}conversation ${element.number}`;
      if ('problem' in element) yield rejected(where, element.problem);
      else {
        const parsed = schema.safeParse(element.value);
        if (parsed.success) yield* recordsOf(parsed.data, { where, context });
        else yield rejected(where, describeIssues(parsed.error));
      }
    }
  };
}
