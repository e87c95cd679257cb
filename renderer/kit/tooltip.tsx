import { Tooltip as Radix } from 'radix-ui';
import type { ReactElement } from 'react';
import styles from './tooltip.module.css';

interface TooltipProps {
  readonly label: string;
  readonly keys?: string | undefined;
  readonly children: ReactElement;
}

/** Names its child when the pointer rests on it or it has the focus. */
export function Tooltip({ label, keys, children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles.tip} sideOffset={6} collisionPadding={8}>
          {label}
          {keys && <kbd>{keys}</kbd>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export const TooltipProvider = Radix.Provider;
