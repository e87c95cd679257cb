import { type ReducedZodChannel, type SchemaMeta, withLangGraph } from '@langchain/langgraph/zod';
import { z } from 'zod';

/** A channel with a first value; LangGraph does not apply a schema's own default to a channel. */
export function channel<Schema extends z.ZodType>(schema: Schema, initial: () => z.output<Schema>): Schema {
  return withLangGraph(schema as unknown as z.ZodAny, { default: initial }) as unknown as Schema;
}

/** A channel whose updates are reduced, and may be of another type than its value. */
export function reducedChannel<Value, Update, Schema extends z.ZodType<Value>>(
  schema: Schema,
  meta: SchemaMeta<Value, Update>,
): ReducedZodChannel<Schema, z.ZodType<Update>> {
  withLangGraph(schema as unknown as z.ZodAny, meta as SchemaMeta);
  return schema as ReducedZodChannel<Schema, z.ZodType<Update>>;
}

const scopeSchema = z.string().nullable();

/**
 * The channel with the scope of a thread: the first value stays, so neither an input nor an edited state moves a thread
 * to another memory.
 */
export const threadScope = reducedChannel(
  scopeSchema.meta({ title: 'Scope', description: 'The memory of this thread, set by its first run.' }),
  {
    reducer: { schema: scopeSchema, fn: (known: string | null, given: string | null) => known ?? given },
    default: () => null,
  },
);
