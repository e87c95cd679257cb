import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { MAX_CONTENT_LENGTH } from '../../model/turn-input.ts';
import { type ItemFields, type ItemValue, itemRow } from '../../store/item-json.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import type { ItemWrite } from './draft-items.ts';

/** Conditions on a value's fields: a value, or operators such as `{ $gte: 3, $lt: 5 }`, all of which must hold. */
type ItemFilter = Readonly<Record<string, unknown>>;
type Test = (found: unknown) => boolean;

/**
 * `$gt`, `$gte`, `$lt` and `$lte` compare numbers and numeric texts as numbers, and other texts, such as ISO times,
 * character by character. Other values are neither greater nor less than anything.
 */
const OPERATORS: Readonly<Record<string, (operand: unknown) => Test>> = {
  $eq: (operand) => (found) => isDeepStrictEqual(found, operand),
  $ne: (operand) => (found) => !isDeepStrictEqual(found, operand),
  $gt: (operand) => (found) => order(found, operand) > 0,
  $gte: (operand) => (found) => order(found, operand) >= 0,
  $lt: (operand) => (found) => order(found, operand) < 0,
  $lte: (operand) => (found) => order(found, operand) <= 0,
  $in: (operand) => isOneOf('$in', operand),
  $nin: (operand) => {
    const isOne = isOneOf('$nin', operand);
    return (found) => !isOne(found);
  },
};

/** @throws InvalidInputError for an unknown operator, which would otherwise match nothing. */
function readFilter(filter: ItemFilter): (value: ItemValue) => boolean {
  const tests = Object.entries(filter).map(([field, wanted]) => ({ field, test: testFor(wanted) }));
  return (value) =>
    tests.every(({ field, test }) => test(Object.hasOwn(value, field) ? value[field] : undefined));
}

function testFor(wanted: unknown): Test {
  if (!isOperators(wanted)) return (found) => isDeepStrictEqual(found, wanted);
  const tests = Object.entries(wanted).map(([name, operand]) => {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (operator === undefined)
      throw new InvalidInputError(
        `A filter has an unknown operator; known: ${Object.keys(OPERATORS).join(', ')}`,
      );
    return operator(operand);
  });
  return (found) => tests.every((test) => test(found));
}

function isOperators(wanted: unknown): wanted is Readonly<Record<string, unknown>> {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return false;
  return Object.keys(wanted).some((key) => key.startsWith('$'));
}

function isOneOf(name: string, operand: unknown): Test {
  if (!Array.isArray(operand)) throw new InvalidInputError(`The operator ${name} of a filter takes a list`);
  return (found) => operand.some((each) => isDeepStrictEqual(found, each));
}

/** Negative, 0 or positive; NaN, which fails every comparison, for values without an order. */
function order(found: unknown, operand: unknown): number {
  const [a, b] = [numberOf(found), numberOf(operand)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  if (typeof found !== 'string' || typeof operand !== 'string') return Number.NaN;
  return found < operand ? -1 : found > operand ? 1 : 0;
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

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
  readonly filter?: ItemFilter | null | undefined;
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
const LONGEST_QUERY = 10_000;

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
    filter: z.custom<ItemFilter>(isObject, 'is not an object').nullish(),
    query: z.string().max(LONGEST_QUERY).nullish(),
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
