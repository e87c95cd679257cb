import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import { DEFAULT_K, MOST_RESULTS, options } from '../model/options.ts';
import type { RankedSearch, RetrievedItem } from '../model/retrieved-item.ts';
import { describeIssues } from '../util/describe-issues.ts';
import type { MemoryScope } from './memory-scope.ts';
import type { SearchOptions } from './search-options.ts';

/** Scopes of one search, each of which is searched by itself. */
const scopesSchema = z.array(options.scope).min(1).max(MOST_RESULTS).readonly();

/** What a search of several scopes found. */
export interface ScopesSearch {
  readonly query: string;
  /** The most relevant items of all scopes, as many as were asked for, each with its scope. */
  readonly items: readonly (RetrievedItem & { readonly scope: string })[];
  /** What each scope returned, in the order in which they were named. */
  readonly results: readonly (RankedSearch & { readonly scope: string })[];
}

/**
 * Searches scopes one after the other, since ranks and scores of two are not comparable, and orders what they found by
 * relevance; items of equal relevance by rank, then by the order of the scopes.
 *
 * @throws InvalidInputError for no scopes or more than a hundred, and as a search of one scope.
 */
export async function searchScopes(
  scopes: readonly string[],
  {
    open,
    query,
    ...given
  }: SearchOptions & {
    readonly query: string;
    readonly open: (scope: string) => Pick<MemoryScope, 'search'>;
  },
): Promise<ScopesSearch> {
  const parsed = scopesSchema.safeParse(scopes);
  if (!parsed.success)
    throw new InvalidInputError(`The scopes of a search are not valid: ${describeIssues(parsed.error, [])}`);
  const results: (RankedSearch & { scope: string })[] = [];
  for (const scope of new Set(parsed.data))
    results.push({ ...(await open(scope).search(query, given)), scope });
  const found = results.flatMap(({ items, scope }) => items.map((item) => ({ ...item, scope })));
  const items = found
    .toSorted((a, b) => (b.relevance ?? 0) - (a.relevance ?? 0) || a.rank - b.rank)
    .slice(0, given.k ?? given.limit ?? DEFAULT_K);
  return { query, items, results };
}
