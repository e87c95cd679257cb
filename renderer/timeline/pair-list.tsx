import { useId } from 'react';
import type { OutputOf, Supersession } from '../../main/contract.ts';
import { MoreButton } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { useClient } from '../state/connection.tsx';
import { usePages } from '../state/use-pages.ts';
import { timelineText } from '../strings/timeline-text.ts';
import { FactPair } from './fact-pair.tsx';

const PAGE = 10;

interface PairListProps {
  readonly scope: string;
  readonly entity: string | null;
  readonly by: 'held' | 'known';
  readonly onShow: (pair: Supersession) => void;
}

/** Which fact superseded which, the latest first, page by page. */
export function PairList({ scope, entity, by, onShow }: PairListProps) {
  const words = timelineText;
  const client = useClient();
  const title = useId();
  const asked = { scope, by, limit: PAGE, ...(entity !== null && { entity }) };
  const list = usePages<OutputOf<'supersessions'>>(['supersessions', asked], (after, options) =>
    client.supersessions({ ...asked, ...(after !== null && { after }) }, options),
  );
  const pairs = list.pages.flatMap(({ items }) => items);
  return (
    <section className="stack gap-3 above-3" aria-labelledby={title}>
      <h2 id={title}>{words.pairs}</h2>
      {list.isLoading && <Skeleton height={80} />}
      {list.problem !== null && <Notice kind="problem">{list.problem}</Notice>}
      {!list.isLoading && list.problem === null && pairs.length === 0 && (
        <p className="note">{words.pairsNone}</p>
      )}
      <ul className="stack gap-2">
        {pairs.map((pair) => (
          <FactPair key={pair.id} pair={pair} scope={scope} onShow={() => onShow(pair)} />
        ))}
      </ul>
      <MoreButton isShown={list.hasMore} disabled={list.isFetchingMore} onClick={list.more}>
        {words.pairsMore}
      </MoreButton>
    </section>
  );
}
