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

/** Where each list of a history goes on; '' is its begin, null its end. */
interface HistoryPlace {
  readonly profiles: string | null;
  readonly facts: string | null;
}

const BEGIN: HistoryPlace = { profiles: '', facts: '' };

/** The history of an entity. Its profiles and its facts have pages of their own, which are asked for together. */
export function useEntityHistory(input: Omit<InputOf<'entity'>, 'after'>) {
  const client = useClient();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['entity', 'pages', input],
    queryFn: ({ pageParam, signal }: { pageParam: HistoryPlace; signal: AbortSignal }) => {
      const after = {
        ...(pageParam.profiles && { profiles: pageParam.profiles }),
        ...(pageParam.facts && { facts: pageParam.facts }),
      };
      return client.entity({ ...input, after }, { signal });
    },
    initialPageParam: BEGIN,
    getNextPageParam: (last, _, place) => {
      const profiles = place.profiles === null ? null : last.profiles.next;
      const facts = place.facts === null ? null : last.facts.next;
      return profiles === null && facts === null ? null : { profiles, facts };
    },
  });
  const first = data?.pages[0];
  if (data === undefined || first === undefined) return { history: undefined, error };
  // A list that has ended is in later replies with its first page.
  const inList = (list: keyof HistoryPlace) =>
    data.pages.filter((_, at) => (data.pageParams[at] as HistoryPlace)[list] !== null);
  const [profiles, facts] = [inList('profiles'), inList('facts')];
  return {
    error,
    history: {
      corrections: first.corrections,
      profiles: profiles.flatMap((page) => page.profiles.items),
      facts: facts.flatMap((page) => page.facts.items),
      totalFacts: first.facts.total,
      hasMoreProfiles: profiles.at(-1)!.profiles.next !== null,
      hasMoreFacts: facts.at(-1)!.facts.next !== null,
      more: () => {
        if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
      },
    },
  };
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
