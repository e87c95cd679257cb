import { useInfiniteQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { OutputOf, Supersession } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { useClient } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { FactPair } from './fact-pair.tsx';
import styles from './timeline-screen.module.css';

const PAGE = 10;

interface PairListProps {
  readonly scope: string;
  readonly entity: string | null;
  readonly by: 'held' | 'known';
  readonly onShow: (pair: Supersession) => void;
}

/** Which fact superseded which, the latest first, page by page. */
export function PairList({ scope, entity, by, onShow }: PairListProps) {
  const words = text.timeline;
  const client = useClient();
  const title = useId();
  const asked = { scope, by, limit: PAGE, ...(entity !== null && { entity }) };
  const pages = useInfiniteQuery({
    queryKey: ['supersessions', asked],
    queryFn: ({ pageParam, signal }) =>
      client.supersessions({ ...asked, ...(pageParam !== null && { after: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: OutputOf<'supersessions'>) => next,
  });
  const pairs = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section className={styles.section} aria-labelledby={title}>
      <h2 id={title}>{words.pairs}</h2>
      {pages.isPending && <Skeleton height={80} />}
      {pages.error && <Notice kind="problem">{pages.error.message}</Notice>}
      {pages.isSuccess && pairs.length === 0 && <p className="note">{words.pairsNone}</p>}
      <ul className={styles.list}>
        {pairs.map((pair) => (
          <FactPair key={pair.id} pair={pair} scope={scope} onShow={() => onShow(pair)} />
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button
          kind="quiet"
          size="small"
          disabled={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          {words.pairsMore}
        </Button>
      )}
    </section>
  );
}
