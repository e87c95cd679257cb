import { CircleAlert, Info, Lock, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { text } from '../strings/text.ts';
import { Button } from './button.tsx';
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
      <h2 className="bright">{title}</h2>
      {children}
    </div>
  );
}

interface SkeletonProps {
  readonly height?: number;
  readonly width?: number | string;
}

/** Holds the place of text that is being loaded. */
export function Skeleton({ height = 16, width = '100%' }: SkeletonProps) {
  return <div className={styles.skeleton} style={{ height, width }} aria-hidden />;
}

interface LoadingProps {
  readonly bars: readonly (readonly [height: number, width?: string])[];
  readonly label?: string;
  readonly className?: string;
}

/** Holds the place of a part of a screen that is being loaded. */
export function Loading({ bars, label = text.app.loading, className = 'stack gap-3' }: LoadingProps) {
  return (
    <div role="status" aria-label={label} className={className}>
      {bars.map(([height, width], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
        <Skeleton key={at} height={height} {...(width !== undefined && { width })} />
      ))}
    </div>
  );
}

const KINDS = {
  info: { icon: Info, colours: 'accent' },
  warning: { icon: TriangleAlert, colours: 'warned' },
  problem: { icon: CircleAlert, colours: 'endangered' },
  private: { icon: Lock, colours: 'private' },
};

interface NoticeProps {
  readonly kind?: keyof typeof KINDS;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** A message in the page. */
export function Notice({ kind = 'info', children, action }: NoticeProps) {
  const { icon: Icon, colours } = KINDS[kind];
  return (
    <div className={`${styles.notice} ${colours}`} role={kind === 'problem' ? 'alert' : 'note'}>
      <Icon size={17} aria-hidden />
      <div className="fills">{children}</div>
      {action}
    </div>
  );
}

interface FailedProps {
  readonly children: ReactNode;
  readonly onRetry: () => void;
}

/** What failed, and a button that tries it again. */
export function Failed({ children, onRetry }: FailedProps) {
  return (
    <Notice
      kind="problem"
      action={
        <Button size="small" onClick={onRetry}>
          {text.app.retry}
        </Button>
      }
    >
      {children}
    </Notice>
  );
}
