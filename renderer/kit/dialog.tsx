import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { text } from '../strings/text.ts';
import { Button } from './button.tsx';
import styles from './dialog.module.css';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  /** Buttons, the one that goes on last. */
  readonly actions?: ReactNode;
  readonly isWide?: boolean;
  readonly children?: ReactNode;
}

/** A modal dialog: it traps the focus, and Escape closes it. */
export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  actions,
  isWide = false,
  children,
}: DialogProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={styles.overlay} />
        <Radix.Content
          className={`${styles.dialog} ${isWide ? styles.wide : ''}`}
          {...(description === undefined && { 'aria-describedby': undefined })}
        >
          <Radix.Title asChild>
            <h2>{title}</h2>
          </Radix.Title>
          {description !== undefined && (
            <Radix.Description asChild>
              <div className="soft">{description}</div>
            </Radix.Description>
          )}
          {children}
          {actions && <div className="flow at-end gap-2">{actions}</div>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ConfirmProps
  extends Pick<DialogProps, 'title' | 'description' | 'children' | 'isWide' | 'onClose'> {
  readonly confirm: string;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onConfirm: () => void;
}

/** A question that is confirmed or left. */
export function ConfirmDialog({ confirm, isDanger, isDisabled = false, onConfirm, ...rest }: ConfirmProps) {
  const actions = (
    <>
      <Button onClick={rest.onClose}>{text.app.cancel}</Button>
      <Button kind={isDanger ? 'danger' : 'primary'} disabled={isDisabled} onClick={onConfirm}>
        {confirm}
      </Button>
    </>
  );
  return <Dialog isOpen actions={actions} {...rest} />;
}
