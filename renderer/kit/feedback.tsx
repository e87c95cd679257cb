import { CircleAlert, Info, Lock, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './feedback.module.css';

/** @param share - from 0 to 1 */
export function Progress({ share, label }: { readonly share: number; readonly label: string }) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  return (
    <div
      className={styles.bar}
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <div className={styles.done} style={{ width: `${percent}%` }} />
    </div>
  );
}

interface EmptyProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
}

/** What a screen shows while it has nothing: what would be here, and how to get it. */
export function Empty({ icon: Icon, title, children }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <span className={styles.badge}>
        <Icon size={24} aria-hidden />
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Holds the place of text that is being loaded. */
export function Skeleton({
  height = 16,
  width = '100%',
}: {
  readonly height?: number;
  readonly width?: number | string;
}) {
  return <div className={styles.skeleton} style={{ height, width }} aria-hidden />;
}

const ICONS = { info: Info, warning: TriangleAlert, problem: CircleAlert, private: Lock };

interface NoticeProps {
  readonly kind?: keyof typeof ICONS;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** A message in the page. */
export function Notice({ kind = 'info', children, action }: NoticeProps) {
  const Icon = ICONS[kind];
  return (
    <div
      className={`${styles.notice} ${kind === 'info' ? '' : styles[kind]}`}
      role={kind === 'problem' ? 'alert' : 'note'}
    >
      <Icon size={17} aria-hidden />
      <div>{children}</div>
      {action}
    </div>
  );
}
