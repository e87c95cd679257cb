import { useEffect, useState } from 'react';
import type { MemoryClient, OutputOf, ReviewItem, ReviewKind } from '../../main/contract.ts';
import { useClient } from '../state/connection.tsx';
import { usePages } from '../state/use-pages.ts';

const PAGE = 50;
/** The next page is asked for when so few items are left. */
const NEAR_END = 5;

interface Options {
  readonly scope: string;
  /** In the order in which their items are listed. */
  readonly kinds: readonly ReviewKind[];
  readonly isSettled: (item: string) => boolean;
}

/** The items of some kinds that are to be decided, and the one that keys act on. */
export function useQueue({ scope, kinds, isSettled }: Options) {
  const client = useClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const [place, setPlace] = useState(0);
  const list = usePages<QueuePage>(['reviewItems', scope, ...kinds], (after, options) =>
    pageOf({ client, scope, kinds }, String(after ?? '0 '), options),
  );
  const items = list.pages.flatMap((page) => page.items).filter(({ id }) => !isSettled(id));
  const at = items.findIndex(({ id }) => id === chosen);
  // Of the chosen item, or of the one that takes its place.
  const here = at >= 0 ? at : Math.min(place, items.length - 1);
  // If the chosen item disappears, do not choose the next one: the user may be deciding about it.
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
    item,
    isGone,
    show,
    // The item that follows one that disappeared is at its place.
    step: (by: 1 | -1) => show(isGone && by === 1 ? here : here + by),
    choose: setChosen,
    /** The next item takes the place of an item that was decided. */
    close: () => setChosen(null),
  };
}

type QueuePage = Pick<OutputOf<'reviewItems'>, 'items' | 'next'>;

interface Asked extends Pick<Options, 'scope' | 'kinds'> {
  readonly client: MemoryClient;
}

/** A page of the lists of all kinds, one after the other. @param place Number of the kind, and where its list goes on. */
async function pageOf(
  { client, scope, kinds }: Asked,
  place: string,
  options: { readonly signal: AbortSignal },
): Promise<QueuePage> {
  const items: ReviewItem[] = [];
  let [at, after] = [Number.parseInt(place, 10), place.slice(place.indexOf(' ') + 1)];
  for (let kind = kinds[at]; kind !== undefined && items.length < PAGE; kind = kinds[at]) {
    const limit = PAGE - items.length;
    const page = await client.reviewItems({ scope, kind, limit, ...(after !== '' && { after }) }, options);
    items.push(...page.items);
    if (page.next === null) at += 1;
    after = page.next ?? '';
  }
  return { items, next: at < kinds.length ? `${at} ${after}` : null };
}
