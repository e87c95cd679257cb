import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { FormField } from '../../main/contract.ts';
import { text } from '../strings/text.ts';
import { Segments } from './choice.tsx';
import { Options, Switch } from './field.tsx';
import { type ControlProps, inputClass, numberClass, Row } from './group.tsx';

/** A value that can be changed at once, with what became of the last change. */
export interface Saved<Value> {
  /** Undefined while it is loaded, null if it is not set. */
  readonly value: Value | null | undefined;
  /** Null restores the default. */
  save(value: Value | null): void;
  /** Why the last change was refused. */
  readonly problem: string | undefined;
  /** For a moment after a change. */
  readonly isSaved: boolean;
  /** Why it cannot be changed here. */
  readonly lock: string | undefined;
}

interface FormRowProps {
  /** Undefined while it is loaded. */
  readonly field: FormField | undefined;
  readonly saved: Saved<unknown>;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly placeholder?: string | undefined;
  /** What the choices are called. Where the field lists no choices, they are these. */
  readonly options?: Readonly<Record<string, string>>;
  readonly icons?: Readonly<Record<string, LucideIcon>>;
  /** Few choices are a list to open, too. */
  readonly isList?: boolean;
}

/** A value with its words, in the control of its kind. */
export function FormRow({ field, label, hint, saved, ...rest }: FormRowProps) {
  return (
    <Row label={label} hint={saved.lock ?? hint} problem={saved.problem} isSaved={saved.isSaved}>
      {(props) => field && <Control {...props} {...rest} field={field} saved={saved} />}
    </Row>
  );
}

const FEW_CHOICES = 3;

interface FormControlProps extends ControlProps, Omit<FormRowProps, 'label' | 'hint'> {
  readonly field: FormField;
}

function Control({ field, saved, options, icons, isList = false, placeholder, ...props }: FormControlProps) {
  const { value } = saved;
  const isOff = value === undefined || saved.lock !== undefined;
  if (field.type === 'boolean')
    return <Switch {...props} isOn={value === true} isDisabled={isOff} onChange={saved.save} />;
  const choices = field.enum ?? (options && Object.keys(options));
  if (choices === undefined)
    return <Line {...props} field={field} saved={saved} isOff={isOff} placeholder={placeholder} />;
  const chosen = String(value ?? '');
  const named = choices.map((choice) => ({
    value: choice,
    label: options?.[choice] ?? choice,
    icon: icons?.[choice],
  }));
  if (named.length <= FEW_CHOICES && !isList)
    return <Segments {...props} value={chosen} isDisabled={isOff} onChange={saved.save} options={named} />;
  return (
    <select
      {...props}
      className={inputClass}
      value={chosen}
      disabled={isOff}
      onChange={({ target }) => saved.save(field.type === 'integer' ? Number(target.value) : target.value)}
    >
      {chosen !== '' && !choices.includes(chosen) && <option value={chosen}>{chosen}</option>}
      <Options of={named} />
    </select>
  );
}

interface LineProps extends ControlProps, Pick<FormControlProps, 'field' | 'saved' | 'placeholder'> {
  readonly isOff: boolean;
}

/** A text or a number, saved when it is left or with Enter; Escape drops it. */
function Line({ field, saved, isOff, placeholder, ...props }: LineProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const isNumber = field.type === 'integer';
  const shown = String(saved.value ?? '');
  const finish = () => {
    const value = isNumber ? numberIn(typed ?? shown) : (typed ?? shown).trim() || null;
    if (value !== undefined && String(value ?? '') !== shown) saved.save(value);
    setTyped(null);
  };
  return (
    <input
      {...props}
      className={isNumber ? numberClass : inputClass}
      inputMode={isNumber ? 'numeric' : undefined}
      placeholder={placeholder ?? (isNumber ? text.settings.unset : undefined)}
      maxLength={field.maxLength}
      spellCheck={false}
      autoComplete="off"
      value={typed ?? shown}
      disabled={isOff}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={finish}
      onKeyDown={({ key }) => {
        if (key === 'Enter') finish();
        if (key === 'Escape') setTyped(null);
      }}
    />
  );
}

/** The number in a field, null if it is empty; undefined if it is none. */
export function numberIn(typed: string): number | null | undefined {
  const plain = typed.trim().replace(/[\s,_’']/g, '');
  if (plain === '') return null;
  const value = Number(plain);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
