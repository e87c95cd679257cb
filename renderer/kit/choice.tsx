import { ChevronRight, type LucideIcon } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import type { ReactNode } from 'react';
import styles from './choice.module.css';
import type { ControlProps } from './group.tsx';

interface SegmentsProps<Value extends string> extends Partial<ControlProps> {
  readonly value: Value;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    readonly icon?: LucideIcon | undefined;
  }[];
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
}

/** A choice of one among a few words. */
export function Segments<Value extends string>({
  value,
  options,
  onChange,
  isDisabled = false,
  ...rest
}: SegmentsProps<Value>) {
  return (
    <RadioGroup.Root
      className={styles.segments}
      orientation="horizontal"
      value={value}
      disabled={isDisabled}
      onValueChange={(next) => onChange(next as Value)}
      {...rest}
    >
      {options.map(({ value: each, label, icon: Icon }) => (
        <RadioGroup.Item key={each} value={each} className={styles.segment}>
          {Icon && <Icon size={14} aria-hidden />}
          {label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}

interface CardsProps<Value extends string> {
  readonly label: string;
  readonly value: Value | undefined;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    readonly note: ReactNode;
    readonly isDisabled?: boolean;
  }[];
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
}

/** A choice of one among some that each need a sentence. */
export function ChoiceCards<Value extends string>({
  label,
  value,
  options,
  onChange,
  isDisabled = false,
}: CardsProps<Value>) {
  return (
    <RadioGroup.Root
      className={styles.cards}
      aria-label={label}
      value={value ?? null}
      disabled={isDisabled}
      onValueChange={(next) => onChange(next as Value)}
    >
      {options.map(({ value: each, label: name, note, isDisabled: isOff = false }) => (
        <RadioGroup.Item key={each} value={each} className={styles.card} disabled={isOff || isDisabled}>
          <span className={styles.dot} aria-hidden />
          <span className={styles.words}>
            <strong>{name}</strong>
            <span className="soft text-13">{note}</span>
          </span>
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}

const PILLS = { plain: styles.plain, good: 'accent', warning: 'warned', bad: 'endangered' };

interface PillProps {
  readonly kind?: keyof typeof PILLS;
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}

/** A word about the state of a thing. */
export function Pill({ kind = 'plain', icon: Icon, children }: PillProps) {
  return (
    <span className={`${styles.pill} ${PILLS[kind]}`}>
      {Icon && <Icon size={12} aria-hidden />}
      {children}
    </span>
  );
}

interface DisclosureProps {
  readonly title: ReactNode;
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** Content that is shown on request. */
export function Disclosure({ title, isOpen = false, children }: DisclosureProps) {
  return (
    <details open={isOpen}>
      <summary className={styles.summary}>
        <ChevronRight size={15} aria-hidden />
        {title}
      </summary>
      <div className="above-3">{children}</div>
    </details>
  );
}
