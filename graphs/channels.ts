import type { ReducedZodChannel, SchemaMeta } from '@langchain/langgraph/zod';
import type { z } from 'zod';

/** First value and reducer of the channels of states, by their schema. `compileGraph` tells LangGraph of them. */
const CHANNELS = new WeakMap<z.ZodType, SchemaMeta>();

/** A channel with a first value; LangGraph does not apply a schema's own default to a channel. */
export function channel<Schema extends z.ZodType>(schema: Schema, initial: () => z.output<Schema>): Schema {
  CHANNELS.set(schema, { default: initial });
  return schema;
}

/** A channel whose updates are reduced, and may be of another type than its value. */
export function reducedChannel<Value, Update, Schema extends z.ZodType<Value>>(
  schema: Schema,
  meta: SchemaMeta<Value, Update>,
): ReducedZodChannel<Schema, z.ZodType<Update>> {
  CHANNELS.set(schema, meta);
  return schema as ReducedZodChannel<Schema, z.ZodType<Update>>;
}

/** Undefined for a channel that holds the last value and has no first one. */
export function channelMeta(schema: z.ZodType): SchemaMeta | undefined {
  return CHANNELS.get(schema);
}
