import { useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Imported, OutputOf } from '../../main/contract.ts';
import { useClient } from '../state/connection.tsx';

export type Turn = OutputOf<'session'>['turns'][number];

/** The turns of an imported conversation by their position, loaded where they are in view. */
export interface Turns {
  readonly total: number;
  /** Undefined while it is not loaded. */
  at(position: number): Turn | undefined;
  /** Loads the turns from one position to another. */
  need(from: number, to: number): void;
  /** Where to open it, from the end by default: the position of the wanted turn. */
  readonly wanted: number | null;
  /** Whether the turns are there that are in view at first. */
  readonly isReady: boolean;
}

const PER_PAGE = 100;
/** How the app stores its own chats, which are shown as messages. */
const without = 'assistant';
/** Documents are read from their beginning, chats from their end. */
const DOCUMENTS: ReadonlySet<string> = new Set([
  ...['markdown', 'text', 'pdf', 'html', 'docx', 'csv', 'documents'],
]);

export const NO_TURNS: Turns = {
  total: 0,
  at: () => undefined,
  need: () => undefined,
  wanted: null,
  isReady: true,
};

/** @param target The turn to open at; none: where one reads on. */
export function useTurns(imported: Imported | null, target: string | null): Turns {
  const client = useClient();
  const { scope = '', session = '', turns: known = 0, source = '' } = imported ?? {};
  const place = useQuery({
    queryKey: ['session', scope, session, 'place', target],
    queryFn: ({ signal }) =>
      client.session({ scope, session, episode: target!, before: 0, after: 0, without }, { signal }),
    enabled: imported !== null && target !== null,
    retry: false,
  });
  const isPlaced = imported === null || target === null || !place.isPending;
  const wanted = place.data?.first ?? (DOCUMENTS.has(source) ? 0 : null);
  const [view, setView] = useState<readonly [number, number] | null>(null);
  const opened = wanted ?? known - 1;
  const [from, to] = view ?? [opened - PER_PAGE / 4, opened + PER_PAGE / 4];
  const first = Math.max(0, Math.floor(from / PER_PAGE));
  const last = Math.floor(Math.max(0, Math.min(known - 1, to)) / PER_PAGE);
  const pages = imported === null || !isPlaced ? [] : range(first, last);
  const replies = useQueries({
    queries: pages.map((page) => ({
      queryKey: ['session', scope, session, page],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        client.session({ scope, session, from: page * PER_PAGE, after: PER_PAGE - 1, without }, { signal }),
    })),
  });
  const loaded = replies.map(({ data }) => data);
  const total = loaded.find((each) => each !== undefined)?.total ?? known;
  const need = useCallback((a: number, b: number) => {
    setView((earlier) => (earlier?.[0] === a && earlier[1] === b ? earlier : [a, b]));
  }, []);
  const isReady = isPlaced && (view !== null || loaded.every((each) => each !== undefined));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the replies, not their list, are what changes
  return useMemo(() => {
    const byPage = new Map(pages.map((page, at) => [page, loaded[at]?.turns]));
    const at = (position: number) => byPage.get(Math.floor(position / PER_PAGE))?.[position % PER_PAGE];
    return imported === null ? NO_TURNS : { total, at, need, wanted, isReady };
  }, [imported, total, first, last, wanted, isReady, need, ...loaded.slice(0, 4)]);
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
