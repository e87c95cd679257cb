import { useInfiniteQuery } from '@tanstack/react-query';
import type { FactLine, InputOf, OutputOf } from '../../main/contract.ts';
import { useClient } from '../state/connection.tsx';
import { type Pages, usePages } from '../state/use-pages.ts';

type Turn = OutputOf<'turns'>['items'][number];

/** @template Item What the list shows. */
interface List<Item> extends Pages<unknown> {
  readonly items: readonly Item[];
}

export function useFactPages(input: Omit<InputOf<'facts'>, 'after'>): List<FactLine> {
  const client = useClient();
  return listOf(
    usePages<OutputOf<'facts'>>(['facts', 'pages', input], (after, options) =>
      client.facts({ ...input, ...(after !== null && { after }) }, options),
    ),
  );
}

export function useTurnPages(input: Omit<InputOf<'turns'>, 'after'>): List<Turn> {
  const client = useClient();
  return listOf(
    usePages<OutputOf<'turns'>>(['turns', 'pages', input], (after, options) =>
      client.turns({ ...input, ...(after !== null && { after }) }, options),
    ),
  );
}

function listOf<Item>(pages: Pages<{ readonly items: readonly Item[] }>): List<Item> {
  return { ...pages, items: pages.pages.flatMap(({ items }) => items) };
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
