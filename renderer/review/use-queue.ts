import { useEffect, useState } from 'react';
import type { OutputOf, ReviewKind } from '../../main/contract.ts';
import { useClient } from '../state/connection.tsx';
import { usePages } from '../state/use-pages.ts';

const PAGE = 50;
/** The next page is asked for when so few items are left. */
const NEAR_END = 5;

interface Options {
  readonly scope: string;
  readonly kind: ReviewKind;
  readonly isSettled: (item: string) => boolean;
}

export type Queue = ReturnType<typeof useQueue>;

/** The items of one kind that are to be decided, and the one that is open. */
export function useQueue({ scope, kind, isSettled }: Options) {
  const client = useClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const [place, setPlace] = useState(0);
  const list = usePages<OutputOf<'reviewItems'>>(['reviewItems', scope, kind], (after, options) =>
    client.reviewItems({ scope, kind, limit: PAGE, ...(after !== null && { after }) }, options),
  );
  const all = list.pages.flatMap((page) => page.items);
  const items = all.filter(({ id }) => !isSettled(id));
  const total = Math.max(items.length, (list.pages.at(-1)?.total ?? 0) - (all.length - items.length));
  const at = items.findIndex(({ id }) => id === chosen);
  // Of the open item, or of the one that takes its place.
  const here = at >= 0 ? at : Math.min(place, items.length - 1);
  // If the open item disappears, do not select the next one: the user may be deciding about it.
  const isGone = chosen !== null && at < 0;
  const item = isGone ? undefined : items[here];
  useEffect(() => {
    if (chosen === null && item !== undefined) setChosen(item.id);
  }, [chosen, item]);
  /** False where there is no item. */
  const show = (wanted: number) => {
    const index = Math.max(0, Math.min(items.length - 1, wanted));
    const next = items[index];
    if (next === undefined) return false;
    setChosen(next.id);
    setPlace(index);
    if (index >= items.length - NEAR_END) list.more();
    return true;
  };
  return {
    list,
    items,
    total,
    item,
    here,
    isGone,
    show,
    // The item that follows one that disappeared is at its place.
    step: (by: 1 | -1) => show(isGone && by === 1 ? here : here + by),
    open: setChosen,
    /** The next item takes the place of the open one. */
    close: () => {
      setChosen(null);
      setPlace(here);
    },
  };
}
