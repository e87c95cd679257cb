import { useInfiniteQuery } from '@tanstack/react-query';
import type { MethodName } from '../../main/contract.ts';

/** A list that is loaded page by page, and asked for again when it changed. */
export interface Pages<Page> {
  readonly pages: readonly Page[];
  readonly isLoading: boolean;
  readonly isFetching: boolean;
  readonly isFetchingMore: boolean;
  readonly hasMore: boolean;
  readonly problem: string | null;
  more(): void;
}

type Place = string | number;

/** @param ask The page at a place of the list; null is its beginning. */
export function usePages<Page extends { readonly next: Place | null }>(
  key: readonly [MethodName, ...unknown[]],
  ask: (place: Page['next'], options: { readonly signal: AbortSignal }) => Promise<Page>,
): Pages<Page> {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask(pageParam as Page['next'], { signal }),
    initialPageParam: null as Page['next'],
    getNextPageParam: ({ next }: Page) => next,
  });
  return {
    pages: query.data?.pages ?? [],
    isLoading: query.isPending,
    isFetching: query.isFetching,
    isFetchingMore: query.isFetchingNextPage,
    hasMore: query.hasNextPage,
    problem: query.error?.message ?? null,
    more: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
    },
  };
}
