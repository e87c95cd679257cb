import { type ComponentProps, type ReactNode, useState } from 'react';
import { Switch } from '../kit/field.tsx';
import { inputClass, numberClass, Row } from '../kit/group.tsx';
import { text } from '../strings/text.ts';
import { numberIn } from './setting-text.ts';
import { type Saved, useSetting } from './use-settings.ts';

interface TextRowProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly saved: Saved<string | null | undefined>;
  readonly placeholder?: string;
  readonly most?: number;
}

/** A line of text, saved when it is left or with Enter; an empty one is saved as null. */
export function TextRow({ saved, placeholder, most = 2_000, ...rest }: TextRowProps) {
  const shown = saved.value ?? '';
  const onDone = (typed: string) => {
    if (typed.trim() !== shown) saved.save(typed.trim() || null);
  };
  return (
    <TypedRow
      {...{ ...rest, saved, shown, onDone }}
      input={{ className: inputClass, placeholder, maxLength: most, spellCheck: false }}
    />
  );
}

interface NumberRowProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
}

/** A number of the settings file; an empty field restores the default. */
export function NumberRow({ name, ...rest }: NumberRowProps) {
  const saved = useSetting<number>(name);
  const shown = saved.value === null || saved.value === undefined ? '' : String(saved.value);
  const onDone = (typed: string) => {
    const value = numberIn(typed);
    if (value !== undefined && String(value ?? '') !== shown) saved.save(value);
  };
  return (
    <TypedRow
      {...{ ...rest, saved, shown, onDone }}
      input={{ className: numberClass, placeholder: text.settings.unset, inputMode: 'numeric' }}
    />
  );
}

interface TypedRowProps extends Pick<TextRowProps, 'label' | 'hint'> {
  readonly saved: Pick<Saved<unknown>, 'value' | 'lock' | 'problem' | 'isSaved'>;
  /** What is saved. */
  readonly shown: string;
  /** Called with what was typed when the field is left or with Enter; Escape drops it. */
  readonly onDone: (typed: string) => void;
  readonly input: ComponentProps<'input'>;
}

function TypedRow({ label, hint, saved, shown, onDone, input }: TypedRowProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const finish = () => {
    if (typed !== null) onDone(typed);
    setTyped(null);
  };
  return (
    <Row label={label} hint={saved.lock ?? hint} problem={saved.problem} isSaved={saved.isSaved}>
      {(props) => (
        <input
          {...props}
          {...input}
          value={typed ?? shown}
          disabled={saved.value === undefined || saved.lock !== undefined}
          autoComplete="off"
          onChange={({ target }) => setTyped(target.value)}
          onBlur={finish}
          onKeyDown={({ key }) => {
            if (key === 'Enter') finish();
            if (key === 'Escape') setTyped(null);
          }}
        />
      )}
    </Row>
  );
}

interface ToggleRowProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly saved: Saved<boolean | null | undefined>;
}

/** Yes or no. */
export function ToggleRow({ label, hint, saved }: ToggleRowProps) {
  return (
    <Row label={label} hint={saved.lock ?? hint} problem={saved.problem} isSaved={saved.isSaved}>
      {(props) => (
        <Switch
          {...props}
          isOn={saved.value === true}
          isDisabled={saved.value === undefined || saved.lock !== undefined}
          onChange={saved.save}
        />
      )}
    </Row>
  );
}

interface SelectRowProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly saved: Saved<string | null | undefined>;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** A choice of one from a list; a value that the list lacks is shown too. */
export function SelectRow({ label, hint, saved, options }: SelectRowProps) {
  const value = saved.value ?? '';
  const isListed = value === '' || options.some((option) => option.value === value);
  return (
    <Row label={label} hint={saved.lock ?? hint} problem={saved.problem} isSaved={saved.isSaved}>
      {(props) => (
        <select
          {...props}
          className={inputClass}
          value={value}
          disabled={saved.value === undefined || saved.lock !== undefined}
          onChange={({ target }) => saved.save(target.value)}
        >
          {!isListed && <option value={value}>{value}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Row>
  );
}
