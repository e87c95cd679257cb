import { RotateCw } from 'lucide-react';
import { text } from '../strings/text.ts';
import styles from './settings.module.css';

interface SectionHeadProps {
  readonly title: string;
  readonly lead: string;
  /** Whether changes of the section restart the engine. */
  readonly restarts?: boolean;
}

/** Title of a section, and what its changes do. */
export function SectionHead({ title, lead, restarts = false }: SectionHeadProps) {
  return (
    <header className={styles.head}>
      <h2>{title}</h2>
      <p className="soft text-label">{lead}</p>
      {restarts && (
        <p className="flex at-top gap-6px note icon-first">
          <RotateCw size={13} aria-hidden />
          {text.settings.restartNote}
        </p>
      )}
    </header>
  );
}
