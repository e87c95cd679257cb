import { Check, type LucideIcon } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import styles from './menu.module.css';

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  readonly side?: 'top' | 'bottom' | 'right';
}

export function Menu({ trigger, children, align = 'end', side = 'bottom' }: MenuProps) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={`popup ${styles.menu}`}
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface ItemProps {
  readonly icon?: LucideIcon;
  readonly onSelect: () => void;
  readonly isDangerous?: boolean;
  readonly isDisabled?: boolean;
  /** Shows a check mark. */
  readonly isChecked?: boolean;
  readonly note?: string;
  readonly children: ReactNode;
}

export function MenuItem({
  icon: Icon,
  onSelect,
  isDangerous = false,
  isDisabled = false,
  isChecked,
  note,
  children,
}: ItemProps) {
  return (
    <DropdownMenu.Item
      className={`popup-item ${styles.item}`}
      data-is-dangerous={isDangerous || undefined}
      disabled={isDisabled}
      onSelect={onSelect}
    >
      {Icon && <Icon size={16} aria-hidden />}
      <span className="stack fills">
        {children}
        {note && <span className="faint text-12">{note}</span>}
      </span>
      {isChecked && <Check size={15} aria-label="chosen" />}
    </DropdownMenu.Item>
  );
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return (
    <DropdownMenu.Label className={`faint text-12 medium ${styles.label}`}>{children}</DropdownMenu.Label>
  );
}

export function MenuLine() {
  return <DropdownMenu.Separator className={styles.line} />;
}
