import { z } from 'zod';
import { type FactInput, factInputSchema } from '../../model/fact-input.ts';
import type { Episode } from '../../model/nodes.ts';
import type { TurnInput } from '../../model/turn-input.ts';

/** Source of the turns that hold a graph of `@modelcontextprotocol/server-memory`. */
export const SERVER_MEMORY = 'server-memory';

const text = z.string();
/** A part of such a graph, as the metadata of its turn has it; the text of an observation is the turn's own. */
const metadataSchema = z.discriminatedUnion('statement', [
  z.object({ statement: z.literal('entity'), name: text, type: text }),
  z.object({ statement: z.literal('observation'), name: text }),
  z.object({ statement: z.literal('relation'), from: text, to: text, type: text }),
]);

/** A part of a graph: an entity, one observation about an entity, or a relation between two. */
export type Statement =
  | { readonly statement: 'entity'; readonly name: string; readonly type: string }
  | { readonly statement: 'observation'; readonly name: string; readonly text: string }
  | { readonly statement: 'relation'; readonly from: string; readonly to: string; readonly type: string };

/** The turn that holds a statement, in words that a search finds. */
export function turnOf(statement: Statement, sourceId: string): TurnInput {
  const metadata: TurnInput['metadata'] =
    statement.statement === 'observation'
      ? { statement: 'observation', name: statement.name }
      : { ...statement };
  const said = { session: SERVER_MEMORY, source: SERVER_MEMORY, role: 'other' as const };
  return { ...said, content: wordsOf(statement), sourceId, metadata };
}

function wordsOf(statement: Statement): string {
  switch (statement.statement) {
    case 'entity':
      return `${statement.name} (${statement.type})`;
    case 'observation':
      return `${beforeText(statement.name)}${statement.text}`;
    case 'relation':
      return `${statement.from} ${statement.type} ${statement.to}`;
  }
}

const beforeText = (name: string) => `${name}: `;

/** What a turn holds; null for one that is no statement. */
export function statementOf({ content, metadata }: Pick<Episode, 'content' | 'metadata'>): Statement | null {
  const { data } = metadataSchema.safeParse(metadata);
  if (data?.statement !== 'observation') return data ?? null;
  const start = beforeText(data.name);
  return { ...data, text: content.startsWith(start) ? content.slice(start.length) : content };
}

/** The statement as a fact of the graph; null where a name does not fit into one. */
export function factOf(statement: Statement, sourceId: string): FactInput | null {
  const about =
    statement.statement === 'relation'
      ? { subject: statement.from, relation: statement.type, object: statement.to }
      : { participants: [statement.name] };
  const evidence = [{ source: SERVER_MEMORY, sourceId }];
  const parsed = factInputSchema.safeParse({ statement: wordsOf(statement), ...about, evidence });
  return parsed.success ? parsed.data : null;
}
