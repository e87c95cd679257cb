import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import styles from './button.module.css';
import { Tooltip } from './tooltip.tsx';

interface ButtonProps extends ComponentProps<'button'> {
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger';
  readonly size?: 'normal' | 'small';
  readonly icon?: LucideIcon;
}

/** A button with words, and an optional icon before them. */
export function Button({
  kind = 'secondary',
  size = 'normal',
  icon: Icon,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  const classes = [styles.button, styles[kind], size === 'small' ? styles.small : '', className];
  return (
    <button type="button" className={classes.join(' ')} {...rest}>
      {Icon && <Icon size={size === 'small' ? 14 : 16} aria-hidden />}
      {children}
    </button>
  );
}

interface MoreProps extends ComponentProps<'button'> {
  /** Whether there is more. */
  readonly isShown: boolean;
}

/** Shows more of a list. */
export function MoreButton({ isShown, ...rest }: MoreProps) {
  return isShown ? <Button kind="quiet" size="small" {...rest} /> : null;
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly icon: LucideIcon;
  /** Its name for everybody: the tooltip, and the label for screen readers. */
  readonly label: string;
  /** Keys that do the same, shown in the tooltip. */
  readonly keys?: string | undefined;
  readonly iconSize?: number;
}

/** A button with an icon only. */
export function IconButton({
  icon: Icon,
  label,
  keys,
  iconSize = 17,
  className = '',
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip label={label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        className={`${styles.button} ${styles.icon} ${className}`}
        {...rest}
      >
        <Icon size={iconSize} aria-hidden />
      </button>
    </Tooltip>
  );
}
