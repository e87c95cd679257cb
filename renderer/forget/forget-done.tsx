import { RotateCcw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '../kit/button.tsx';
import { Proof } from '../parts/forget/preview-parts.tsx';
import type { ForgetDone as Done } from '../parts/forget/use-forgetting.ts';
import { text } from '../strings/text.ts';
import { EraseFromDisk } from './erase-from-disk.tsx';
import styles from './forget-screen.module.css';

/** What came of a forgetting: in memory, and on the disk. */
export function ForgetDone({ done, onAgain }: { readonly done: Done; readonly onAgain: () => void }) {
  const words = text.forget;
  const { removed, proof, alsoSaid, reread, onDisk } = done;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <section className={styles.card} aria-labelledby="removed-from-memory">
        <h2 id="removed-from-memory" ref={heading} tabIndex={-1}>
          {words.memoryTitle}
        </h2>
        <p>{words.removed(removed.episode ?? 0, removed.fact ?? 0)}</p>
        <Proof done={done} isBrief={false} />
        {proof.alsoElsewhere > 0 && (
          <p className="soft text-14">{words.alsoElsewhere(proof.alsoElsewhere)}</p>
        )}
        {proof.notSearched > 0 && <p className="soft text-14">{words.notSearched(proof.notSearched)}</p>}
        {alsoSaid > 0 && <p className="soft text-14">{words.quotationsStay(alsoSaid)}</p>}
        {reread > 0 && <p className="soft text-14">{text.memory.forget.reread(reread)}</p>}
      </section>
      <section className={styles.card} aria-labelledby="erased-from-disk">
        <h2 id="erased-from-disk">{words.diskTitle}</h2>
        {onDisk === 'needs compact' ? (
          <EraseFromDisk lead={words.diskNot} />
        ) : (
          <p className="soft text-14">{onDisk === 'needs vacuum' ? words.diskServer : words.diskNothing}</p>
        )}
      </section>
      <div>
        <Button icon={RotateCcw} onClick={onAgain}>
          {words.again}
        </Button>
      </div>
    </>
  );
}
