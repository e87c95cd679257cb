import { useState } from 'react';
import type { ReviewCounts, ReviewKind } from '../../main/contract.ts';
import { Loading, Notice } from '../kit/feedback.tsx';
import { MemoryScreen } from '../parts/place/memory-screen.tsx';
import { useReply } from '../state/connection.tsx';
import { reviewText } from '../strings/review-text.ts';
import { formatNumber } from '../strings/text.ts';
import { ReviewQueue } from './review-queue.tsx';
import styles from './review-screen.module.css';

type List = keyof typeof reviewText.lists;

/** What each list holds. A person decides about the first one; the others tell a developer how memory reads. */
const LISTS: Readonly<Record<List, readonly ReviewKind[]>> = {
  decisions: ['contradiction', 'merge'],
  injection: ['injection'],
  unsure: ['unsure'],
  'set-aside': ['set-aside'],
  dropped: ['dropped'],
};

/** What memory is not sure of, and what a person decides about it. */
export function ReviewScreen({ scope }: { readonly scope: string }) {
  const words = reviewText;
  const { data, error } = useReply('review', { scope }, { keep: true });
  const isDeveloper = useReply('settings', {}).data?.preferences.developer ?? false;
  const [shown, setShown] = useState<List>('decisions');
  return (
    <MemoryScreen width={980}>
      <div className="stack gap-4 above-4">
        <header>
          <h1>{words.title}</h1>
          <p className="soft">{words.lists[shown].about}</p>
        </header>
        {error !== null && <Notice kind="problem">{error.message}</Notice>}
        {data === undefined && error === null && <Loading bars={[[220]]} />}
        {data !== undefined && isDeveloper && <Lists counts={data} shown={shown} onChoose={setShown} />}
        {data !== undefined && <ReviewQueue key={shown} scope={scope} list={shown} kinds={LISTS[shown]} />}
      </div>
    </MemoryScreen>
  );
}

interface ListsProps {
  readonly counts: ReviewCounts;
  readonly shown: List;
  readonly onChoose: (list: List) => void;
}

function Lists({ counts, shown, onChoose }: ListsProps) {
  const words = reviewText;
  return (
    <nav className="flow gap-6px" aria-label={words.kindsLabel}>
      {(Object.keys(LISTS) as List[]).map((list) => (
        <button
          key={list}
          type="button"
          className={styles.kind}
          aria-current={list === shown || undefined}
          onClick={() => onChoose(list)}
        >
          <span>{words.lists[list].name}</span>{' '}
          <b className="note">{formatNumber(LISTS[list].reduce((sum, kind) => sum + counts[kind], 0))}</b>
        </button>
      ))}
    </nav>
  );
}
