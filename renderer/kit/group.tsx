import { Check } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { text } from '../strings/text.ts';
import styles from './group.module.css';

interface GroupProps {
  readonly title?: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
  /** Without a frame around the content. */
  readonly isBare?: boolean;
}

/** Things that belong together, under a heading. */
export function Group({ title, lead, children, isBare = false }: GroupProps) {
  const id = useId();
  return (
    <section className={styles.group} {...(title !== undefined && { 'aria-labelledby': id })}>
      {(title !== undefined || lead !== undefined) && (
        <div className="stack gap-2px">
          {title !== undefined && (
            <h2 id={id} className="text-16">
              {title}
            </h2>
          )}
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
      )}
      {isBare ? children : <div className={styles.card}>{children}</div>}
    </section>
  );
}

/** Attributes that tie a control to the words of its row. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-labelledby': string;
  readonly 'aria-describedby': string;
}

interface RowProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
  /** Shows for a moment that a change was saved. */
  readonly isSaved?: boolean;
  readonly children?: (props: ControlProps) => ReactNode;
}

/** A row of a group: words at the left, a control at the right. */
export function Row({ label, hint, problem, isSaved = false, children }: RowProps) {
  const id = useId();
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <span className={styles.label}>
          <label id={`${id}-label`} htmlFor={id}>
            {label}
          </label>
          <Saved isShown={isSaved} />
        </span>
        <span id={`${id}-hint`} className="note may-break">
          {hint}
        </span>
        {problem !== undefined && (
          <span className="danger text-13" role="alert">
            {problem}
          </span>
        )}
      </div>
      {children && (
        <div className={styles.control}>
          {children({ id, 'aria-labelledby': `${id}-label`, 'aria-describedby': `${id}-hint` })}
        </div>
      )}
    </div>
  );
}

/** Content of a group that has the whole width. */
export function Block({ children }: { readonly children: ReactNode }) {
  return <div className={styles.block}>{children}</div>;
}

/** A quiet confirmation. */
export function Saved({ isShown }: { readonly isShown: boolean }) {
  return (
    <span role="status">
      {isShown && (
        <span className={styles.saved}>
          <Check size={13} aria-hidden />
          {text.app.saved}
        </span>
      )}
    </span>
  );
}

export const inputClass = styles.input!;
export const numberClass = `${styles.input} ${styles.number}`;
