import { Switch as Radix } from 'radix-ui';
import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';

interface FieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
}

interface LabelledProps extends Pick<FieldProps, 'label' | 'hint' | 'problem'> {
  readonly children: (given: { readonly id: string; readonly 'aria-describedby': string }) => ReactNode;
}

/** A control under its label, with what is said of it. */
function Labelled({ label, hint, problem, children }: LabelledProps) {
  const id = useId();
  return (
    <div className="stack gap-6px">
      <label className="text-14 medium" htmlFor={id}>
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint` })}
      <Hint id={`${id}-hint`} hint={hint} problem={problem} />
    </div>
  );
}

/** A labelled line of text. */
export function Field({ label, hint, problem, ...rest }: FieldProps) {
  return (
    <Labelled label={label} hint={hint} problem={problem}>
      {(given) => (
        <input
          className={styles.input}
          aria-invalid={problem !== undefined}
          autoComplete="off"
          spellCheck={false}
          {...given}
          {...rest}
        />
      )}
    </Labelled>
  );
}

interface LinesFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly value: string;
  readonly rows?: number;
  readonly onChange: (value: string) => void;
}

/** Labelled lines, such as of settings. */
export function LinesField({ label, hint, rows = 3, onChange, ...rest }: LinesFieldProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(given) => (
        <textarea
          className={styles.lines}
          rows={rows}
          maxLength={200_000}
          spellCheck={false}
          {...given}
          {...rest}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Labelled>
  );
}

interface OptionsProps {
  readonly of: readonly { readonly value: string; readonly label?: string }[];
}

/** The choices of a list or of a field with suggestions. */
export function Options({ of }: OptionsProps) {
  return of.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
}

interface SelectProps extends Omit<ComponentProps<'select'>, 'id'> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** A labelled choice of one. */
export function Select({ label, hint, options, ...rest }: SelectProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(given) => (
        <select className={styles.input} {...given} {...rest}>
          <Options of={options} />
        </select>
      )}
    </Labelled>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
}

/** A labelled choice of yes or no, which takes effect at once. */
export function SwitchRow({ label, hint, isOn, onChange, isDisabled = false }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex apart at-top gap-5">
      <div className="stack gap-2px">
        <label className="text-14 medium" htmlFor={id}>
          {label}
        </label>
        <Hint id={`${id}-hint`} hint={hint} />
      </div>
      <Switch
        id={id}
        isOn={isOn}
        isDisabled={isDisabled}
        onChange={onChange}
        aria-describedby={`${id}-hint`}
      />
    </div>
  );
}

interface BareSwitchProps extends Pick<SwitchProps, 'isOn' | 'onChange' | 'isDisabled'> {
  readonly id: string;
  readonly 'aria-labelledby'?: string;
  readonly 'aria-describedby'?: string;
}

/** The switch alone, for a row that has words of its own. */
export function Switch({ isOn, isDisabled = false, onChange, ...rest }: BareSwitchProps) {
  return (
    <Radix.Root
      className={styles.switch}
      checked={isOn}
      disabled={isDisabled}
      onCheckedChange={onChange}
      {...rest}
    >
      <Radix.Thumb className={styles.thumb} />
    </Radix.Root>
  );
}

function Hint({
  id,
  hint,
  problem,
}: {
  readonly id: string;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
}) {
  if (problem !== undefined)
    return (
      <span id={id} className="danger text-13" role="alert">
        {problem}
      </span>
    );
  return hint === undefined ? (
    <span id={id} hidden />
  ) : (
    <span id={id} className="note">
      {hint}
    </span>
  );
}
