import { BaseStore, type Item, type Operation, type OperationResults } from '@langchain/langgraph-checkpoint';
import { z } from 'zod';
import type { MemoryScope } from '../../engine/memory-scope.ts';
import { InvalidInputError } from '../../errors/index.ts';
import type { ItemOperation } from '../../items/item-operations.ts';
import type { ItemResult } from '../../items/scope-items.ts';
import type { FoundItem, ItemFields, ItemValue, StoredItem } from '../../store/item-json.ts';
import { describeIssues } from '../../util/describe-issues.ts';

/** The scope of the items, and which of their fields are searched by meaning. */
export interface MnemisStoreOptions {
  /** The scope of the items. A store reads and writes only this scope. */
  readonly memory: Pick<MemoryScope, 'items'>;
  /**
   * Fields that a search with a `query` reads of items put without `index`: paths as in `index`, or `false` for none.
   * Default `['$']`, the whole value.
   */
  readonly fields?: ItemFields | undefined;
}

const optionsSchema = z.strictObject({
  memory: z.custom<MnemisStoreOptions['memory']>(
    (value) => typeof value === 'object' && value !== null && 'items' in value,
    'is not a scope of a memory',
  ),
  fields: z.union([z.literal(false), z.array(z.string().min(1))]).default(['$']),
});

/**
 * A LangGraph store with its items in one scope of a memory: pass it as `store` to `compile` or `createAgent`.
 * Acknowledged writes of `put` are on disk. Unlike LangGraph's in-memory store, it compares namespace labels as a
 * whole, returns copies of values, and rejects invalid operations.
 */
export class MnemisStore extends BaseStore {
  readonly #memory: MnemisStoreOptions['memory'];
  readonly #fields: ItemFields;

  /** @throws InvalidInputError */
  constructor(options: MnemisStoreOptions) {
    super();
    const parsed = optionsSchema.safeParse(options);
    if (!parsed.success)
      throw new InvalidInputError(`The options of the store: ${describeIssues(parsed.error)}`);
    this.#memory = parsed.data.memory;
    this.#fields = parsed.data.fields;
  }

  /**
   * Reads see the state before the batch; writes are one transaction, in the order given.
   *
   * @throws InvalidInputError if an operation is invalid: then none is executed.
   * @throws DiskFullError, StoreWriteError, StoreClosedError: nothing of the batch is stored.
   */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const read = operations.map((operation) => toItemOperation(operation, this.#fields));
    const results = await this.#memory.items.batch(read);
    return results.map((result, at) => toResult(read[at]!.op, result)) as OperationResults<Op>;
  }

  /** As in the base class, but every path throws the same kind of error. */
  override async put(
    namespace: string[],
    key: string,
    value: Item['value'],
    index?: false | string[],
  ): Promise<void> {
    await this.batch([{ namespace, key, value, ...(index === undefined ? {} : { index }) }]);
  }
}

function toResult(op: ReturnType<typeof toItemOperation>['op'], result: ItemResult): unknown {
  if (op === 'get') return result === null ? null : toItem(result as StoredItem);
  if (op === 'search')
    return (result as readonly FoundItem[]).map((found) => ({
      ...toItem(found),
      score: found.score ?? undefined,
    }));
  return op === 'namespaces' ? result : undefined;
}

function toItem({ namespace, key, value, createdAt, updatedAt }: StoredItem): Item {
  return {
    namespace: [...namespace],
    key,
    value,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  };
}

const conditionsSchema = z.array(
  z.object({ matchType: z.enum(['prefix', 'suffix']), path: z.array(z.string()) }),
);

/**
 * Converts an operation of LangGraph to one of memory. Its properties determine its kind; memory validates the values.
 *
 * @throws InvalidInputError
 */
function toItemOperation(operation: Operation, fields: ItemFields): ItemOperation {
  if (typeof operation !== 'object' || operation === null)
    throw new InvalidInputError('An operation of the store is not an object');
  if ('namespacePrefix' in operation) {
    const { namespacePrefix: prefix, filter, query, limit, offset } = operation;
    return { op: 'search', prefix, filter, query, limit, offset, fields };
  }
  if ('value' in operation) {
    const { namespace, key, value, index } = operation;
    if (value === null) return { op: 'delete', namespace, key };
    return { op: 'put', namespace, key, value: value as ItemValue, fields: index };
  }
  if ('key' in operation) return { op: 'get', namespace: operation.namespace, key: operation.key };
  if ('matchConditions' in operation || 'limit' in operation || 'maxDepth' in operation) {
    const { matchConditions, maxDepth, limit, offset } = operation;
    return { op: 'namespaces', conditions: conditionsOf(matchConditions), maxDepth, limit, offset };
  }
  throw new InvalidInputError('An operation of the store is none of get, search, put and listNamespaces');
}

function conditionsOf(conditions: unknown) {
  const parsed = conditionsSchema.safeParse(conditions ?? []);
  if (!parsed.success)
    throw new InvalidInputError(`The list of namespaces: matchConditions.${describeIssues(parsed.error)}`);
  return parsed.data.map(({ matchType: at, path }) => ({ at, path }));
}
