import type { ReactNode } from 'react';
import styles from './memory-screen.module.css';

interface ScreenProps {
  /** The most pixels that the content takes. */
  readonly width: number;
  readonly children: ReactNode;
}

/** A screen of memory: a column that scrolls below the bar. */
export function MemoryScreen({ width, children }: ScreenProps) {
  return (
    <div className={styles.screen}>
      <div className={styles.column} style={{ maxWidth: width }} data-is-wide={width > 1_000 || undefined}>
        {children}
      </div>
    </div>
  );
}
