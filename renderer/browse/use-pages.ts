import { useInfiniteQuery } from '@tanstack/react-query';
import type { InputOf, OutputOf } from '../../main/contract.ts';
import { useClient } from '../state/connection.tsx';

type FactLine = OutputOf<'facts'>['items'][number];
type Turn = OutputOf<'turns'>['items'][number];

/** A list that is loaded page by page, and asked again when it changed. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly problem: string | null;
  more(): void;
}

export function useFactPages(input: Omit<InputOf<'facts'>, 'after'>): Pages<FactLine> {
  const client = useClient();
  const query = useInfiniteQuery({
    queryKey: ['facts', 'pages', input],
    queryFn: ({ pageParam, signal }) =>
      client.facts({ ...input, ...(pageParam !== null && { after: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  return pagesOf(query);
}

export function useTurnPages(input: Omit<InputOf<'turns'>, 'after'>): Pages<Turn> {
  const client = useClient();
  const query = useInfiniteQuery({
    queryKey: ['turns', 'pages', input],
    queryFn: ({ pageParam, signal }) =>
      client.turns({ ...input, ...(pageParam !== null && { after: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  return pagesOf(query);
}

interface Query<Item> {
  readonly data?:
    | { readonly pages: readonly { readonly items: readonly Item[]; readonly total: number }[] }
    | undefined;
  readonly isPending: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly error: Error | null;
  fetchNextPage(): unknown;
}

function pagesOf<Item>(query: Query<Item>): Pages<Item> {
  const pages = query.data?.pages ?? [];
  return {
    items: pages.flatMap(({ items }) => items),
    total: pages[0]?.total ?? 0,
    isLoading: query.isPending,
    hasMore: query.hasNextPage,
    problem: query.error?.message ?? null,
    more: () => {
      if (query.hasNextPage && !query.isFetchingNextPage) query.fetchNextPage();
    },
  };
}
