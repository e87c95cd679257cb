import type { NamespaceCondition } from './item-operations.ts';

export interface NamespaceListing {
  readonly conditions: readonly NamespaceCondition[];
  readonly maxDepth?: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Those of sorted namespaces that meet all conditions, cut to the depth, each once. */
export function matchNamespaces(
  namespaces: readonly string[][],
  { conditions, maxDepth, limit, offset }: NamespaceListing,
): string[][] {
  const cut = new Map<string, string[]>();
  for (const namespace of namespaces) {
    if (!conditions.every((condition) => meets(namespace, condition))) continue;
    const labels = namespace.slice(0, maxDepth);
    cut.set(JSON.stringify(labels), labels);
  }
  return [...cut.values()].slice(offset, offset + limit);
}

function meets(namespace: readonly string[], { at, path }: NamespaceCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = at === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, place) => label === '*' || label === namespace[start + place]);
}
