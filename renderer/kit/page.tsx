import { PanelLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import { IconButton } from './button.tsx';
import styles from './page.module.css';

interface PageProps {
  readonly title: string;
  /** One or two sentences below the title. */
  readonly lead?: ReactNode;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A screen beside the chat: its title, and a column that scrolls. */
export function Page({ title, lead, isWide = false, children }: PageProps) {
  const { isSideOpen, set } = useUi();
  return (
    <div className="scrolls stack">
      <div className={styles.bar}>
        {!isSideOpen && (
          <IconButton icon={PanelLeft} label={text.side.open} onClick={() => set({ isSideOpen: true })} />
        )}
      </div>
      <div className={`${styles.column} ${isWide ? styles.wide : ''}`}>
        <header className={styles.head}>
          <h1>{title}</h1>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </header>
        {children}
      </div>
    </div>
  );
}
