import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import { options } from '../model/options.ts';
import { MAX_CONTENT_LENGTH } from '../model/turn-input.ts';
import { type FieldFilter, readFilter } from '../search/field-filter.ts';
import { type ItemFields, type ItemValue, itemRow } from '../store/item-json.ts';
import { describeIssues } from '../util/describe-issues.ts';
import type { ItemWrite } from './draft-items.ts';

/** `*` matches any single label. */
export interface NamespaceCondition {
  readonly at: 'prefix' | 'suffix';
  readonly path: readonly string[];
}

interface Page {
  /** Default 10; for namespaces 100. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Which items of a namespace to return: those that pass the filter, ranked by the query. */
export interface ItemSearchOptions extends Page {
  readonly filter?: FieldFilter | null | undefined;
  /** Ranks the items by content. Without it, the oldest come first. */
  readonly query?: string | null | undefined;
  /** The fields to search in items whose writer did not set them. Default `['$']`, the whole value. */
  readonly fields?: ItemFields | undefined;
}

/** Which namespaces to list: those that meet every condition. */
export interface NamespaceOptions extends Page {
  readonly conditions?: readonly NamespaceCondition[] | undefined;
  /** Longer namespaces are cut to this many labels. */
  readonly maxDepth?: number | undefined;
}

/** One operation of a batch: reads see the state before the batch, writes are one transaction. */
export type ItemOperation =
  | { readonly op: 'get'; readonly namespace: readonly string[]; readonly key: string }
  | ({ readonly op: 'search'; readonly prefix: readonly string[] } & ItemSearchOptions)
  | ({ readonly op: 'namespaces' } & NamespaceOptions)
  | {
      readonly op: 'put';
      readonly namespace: readonly string[];
      readonly key: string;
      readonly value: ItemValue;
      readonly fields?: ItemFields | null | undefined;
    }
  | { readonly op: 'delete'; readonly namespace: readonly string[]; readonly key: string };

const LONGEST_NAME = 4_000;

const whole = z.number().int().min(0);
const paths = z.array(z.string().min(1).max(LONGEST_NAME)).max(100);
const fields = z.union([z.literal(false), paths]);
const address = { namespace: z.array(z.string()), key: z.string() };
const label = z
  .string({ error: 'is not a text' })
  .min(1, 'is an empty text')
  .max(LONGEST_NAME)
  .refine((text) => !text.includes('.'), 'has a period in it, which LangGraph treats as the end of a label')
  .refine((text) => text.isWellFormed(), 'contains half of a surrogate pair');
const written = {
  namespace: z
    .array(label, { error: 'is not a list of labels' })
    .min(1, 'has no label')
    .max(100)
    .refine(([root]) => root !== 'langgraph', 'begins with a label that LangGraph reserves'),
  key: z
    .string({ error: 'is not a text' })
    .min(1, 'is an empty text')
    .max(LONGEST_NAME)
    .refine((text) => text.isWellFormed(), 'contains half of a surrogate pair'),
};

const schemas = {
  get: z.object(address),
  search: z.object({
    prefix: z.array(z.string()),
    filter: z.custom<FieldFilter>(isObject, 'is not an object').nullish(),
    query: options.query.nullish(),
    fields: fields.default(['$']),
    limit: whole.default(10),
    offset: whole.default(0),
  }),
  namespaces: z.object({
    conditions: z
      .array(z.object({ at: z.enum(['prefix', 'suffix']), path: z.array(z.string()) }))
      .default([]),
    maxDepth: z.number().int().min(1).optional(),
    limit: whole.default(100),
    offset: whole.default(0),
  }),
  put: z.object({ ...written, value: z.unknown(), fields: fields.nullish() }),
  delete: z.object(address),
} as const;

/** A validated operation; a batch validates all operations before it executes any. */
export type ReadOperation =
  | ({ readonly op: 'get' } & z.output<typeof schemas.get>)
  | ({ readonly op: 'search'; readonly holds: (value: ItemValue) => boolean } & Omit<
      z.output<typeof schemas.search>,
      'filter'
    >)
  | ({ readonly op: 'namespaces' } & z.output<typeof schemas.namespaces>)
  | { readonly op: 'write'; readonly write: ItemWrite };

/** @throws InvalidInputError */
export function readOperation(operation: ItemOperation): ReadOperation {
  switch (operation.op) {
    case 'get':
      return { op: 'get', ...parsed('The address of an item', schemas.get, operation) };
    case 'search': {
      const { filter, ...search } = parsed('The search of a store', schemas.search, operation);
      return { op: 'search', ...search, holds: readFilter(filter ?? {}) };
    }
    case 'namespaces':
      return { op: 'namespaces', ...parsed('The list of namespaces', schemas.namespaces, operation) };
    case 'put':
      return { op: 'write', write: readPut(operation) };
    case 'delete':
      return {
        op: 'write',
        write: { ...parsed('The address of an item', schemas.delete, operation), text: null },
      };
  }
}

function readPut(operation: ItemOperation & { op: 'put' }): ItemWrite {
  const { namespace, key, value, fields: given } = parsed('The item', schemas.put, operation);
  const searched = given ?? undefined;
  const row = itemRow({ value: value as ItemValue, fields: searched });
  if ('reason' in row) throw new InvalidInputError(`The item: value ${row.reason}`);
  if (row.text.length > MAX_CONTENT_LENGTH)
    throw new InvalidInputError(`The item: value is longer than ${MAX_CONTENT_LENGTH} characters as JSON`);
  return { namespace, key, ...row, fields: searched };
}

function parsed<Schema extends z.ZodType>(what: string, schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (!read.success) throw new InvalidInputError(`${what}: ${describeIssues(read.error)}`);
  return read.data;
}

function isObject(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object Object]';
}
