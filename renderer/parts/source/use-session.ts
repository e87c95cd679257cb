import { useInfiniteQuery } from '@tanstack/react-query';
import type { OutputOf } from '../../../main/contract.ts';
import { useClient } from '../../state/connection.tsx';

type SessionPage = OutputOf<'session'>;
export type Turn = SessionPage['turns'][number];

/** Turns on each side at first, and on each further page. */
const [AT_FIRST, PER_PAGE] = [6, 30];

interface Part {
  readonly episode: string;
  readonly before: number;
  readonly after: number;
}

/** The turns around a turn; more on either side on demand. */
export function useSession(scope: string, episode: string) {
  const client = useClient();
  const first: Part = { episode, before: AT_FIRST, after: AT_FIRST };
  const query = useInfiniteQuery({
    queryKey: ['session', scope, episode],
    queryFn: ({ pageParam, signal }) => client.session({ scope, ...pageParam }, { signal }),
    initialPageParam: first,
    getPreviousPageParam: ({ turns, first: position }: SessionPage) =>
      position > 0 && turns[0] ? { episode: turns[0].id, before: PER_PAGE, after: 0 } : undefined,
    getNextPageParam: ({ turns, first: position, total }: SessionPage) => {
      const last = turns.at(-1);
      return last && position + turns.length < total
        ? { episode: last.id, before: 0, after: PER_PAGE }
        : undefined;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const pages = query.data?.pages ?? [];
  const [top, bottom] = [pages[0], pages.at(-1)];
  return {
    ...query,
    turns: distinctTurns(pages),
    session: top?.session ?? null,
    total: top?.total ?? 0,
    earlier: top?.first ?? 0,
    later: bottom === undefined ? 0 : Math.max(0, bottom.total - bottom.first - bottom.turns.length),
  };
}

/** The turns of all pages in order. Pages meet at a turn that both have. */
export function distinctTurns(pages: readonly { readonly turns: readonly Turn[] }[]): readonly Turn[] {
  const known = new Map<string, Turn>();
  for (const { turns } of pages) for (const turn of turns) known.set(turn.id, turn);
  return [...known.values()];
}
