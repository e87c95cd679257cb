import type { ReactNode } from 'react';
import { MemoryBar } from './memory-bar.tsx';
import styles from './memory-screen.module.css';
import type { MemoryPlace } from './places.ts';

interface ScreenProps {
  readonly here: MemoryPlace;
  readonly scope: string;
  /** The most pixels that the content takes. */
  readonly width: number;
  readonly children: ReactNode;
}

/** A screen of memory: the way to the others, and a column that scrolls. */
export function MemoryScreen({ here, scope, width, children }: ScreenProps) {
  return (
    <div className={styles.screen}>
      <div className={styles.column} style={{ maxWidth: width }} data-is-wide={width > 1_000 || undefined}>
        <MemoryBar here={here} scope={scope} />
        {children}
      </div>
    </div>
  );
}
