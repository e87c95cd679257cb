import { useState } from 'react';
import type { ReviewCounts, ReviewKind } from '../../main/contract.ts';
import { Loading, Notice } from '../kit/feedback.tsx';
import { MemoryScreen } from '../parts/place/memory-screen.tsx';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { ReviewQueue } from './review-queue.tsx';
import styles from './review-screen.module.css';

/** What a person decides, and what is folded under details; in the order in which they are offered. */
const DECIDED: readonly ReviewKind[] = ['contradiction', 'merge'];
const DETAILS: readonly ReviewKind[] = ['injection', 'unsure', 'set-aside', 'dropped'];

/** What memory is not sure of, and what a person decides about it. */
export function ReviewScreen({ scope }: { readonly scope: string }) {
  const { data, error } = useReply('review', { scope }, { keep: true });
  return (
    <MemoryScreen here="review" scope={scope} width={1320}>
      <h1 className="visually-hidden">{text.review.title}</h1>
      {error !== null && <Notice kind="problem">{error.message}</Notice>}
      {data === undefined && error === null && <Loading bars={[[220]]} />}
      {data !== undefined && <Kinds scope={scope} counts={data} />}
    </MemoryScreen>
  );
}

/** The first kind with something to decide. */
function firstOf(counts: ReviewCounts): ReviewKind {
  return DECIDED.find((kind) => counts[kind] > 0) ?? 'contradiction';
}

interface KindsProps {
  readonly scope: string;
  readonly counts: ReviewCounts;
}

function Kinds({ scope, counts }: KindsProps) {
  const words = text.review;
  // A kind that became empty while it was shown stays, so that its last decision can be undone.
  const [shown, setShown] = useState(() => firstOf(counts));
  const others = DECIDED.filter((kind) => kind !== shown && counts[kind] > 0).map((kind) => ({
    kind,
    count: counts[kind],
  }));
  const choice = (kind: ReviewKind) => (
    <button
      key={kind}
      type="button"
      className={styles.kind}
      aria-current={kind === shown || undefined}
      onClick={({ currentTarget }) => {
        currentTarget.scrollIntoView({ inline: 'center', block: 'nearest' });
        setShown(kind);
      }}
    >
      <span>{words.kinds[kind].name}</span>{' '}
      <b data-some={(counts[kind] > 0 && DECIDED.includes(kind)) || undefined}>
        {counts[kind].toLocaleString('en')}
      </b>
    </button>
  );
  return (
    <div className={styles.body}>
      <nav className={styles.kinds} aria-label={words.kindsLabel}>
        {DECIDED.map(choice)}
        <details>
          <summary className={styles.kind}>{words.details}</summary>
          {DETAILS.map(choice)}
        </details>
      </nav>
      <ReviewQueue key={shown} scope={scope} kind={shown} others={others} onChoose={setShown} />
    </div>
  );
}
