import type { Operation } from '@langchain/langgraph-checkpoint';
import { z } from 'zod';
import type { ItemOperation } from '../../engine/items/item-operations.ts';
import { InvalidInputError } from '../../errors/index.ts';
import type { ItemFields, ItemValue } from '../../store/item-json.ts';
import { describeIssues } from '../../util/describe-issues.ts';

const conditionsSchema = z.array(
  z.object({ matchType: z.enum(['prefix', 'suffix']), path: z.array(z.string()) }),
);

/**
 * An operation of LangGraph as one of memory. Which one it is shows in its properties; what they hold is checked by
 * memory itself.
 *
 * @throws InvalidInputError
 */
export function toItemOperation(operation: Operation, fields: ItemFields): ItemOperation {
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
