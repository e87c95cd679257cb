import { Search } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useState } from 'react';
import type { KnownName } from '../../main/contract.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { KindDot } from './kind-dot.tsx';
import styles from './name-box.module.css';

interface NameBoxProps {
  readonly scope: string;
  readonly label: string;
  readonly kinds?: ('entity' | 'category')[];
  /** An entity that cannot be chosen. */
  readonly except?: string;
  readonly onChoose: (name: KnownName) => void;
}

const MOST = 12;

/** A field that completes names while they are typed. */
export function NameBox({ scope, label, kinds, except, onChoose }: NameBoxProps) {
  const words = text.browse.names;
  const id = useId();
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const wanted = useDeferredValue(typed.trim());
  const { data, isPlaceholderData, error } = useReply(
    'names',
    { scope, typed: wanted, limit: MOST, ...(kinds !== undefined && { kinds }) },
    { isOff: wanted === '', keep: true },
  );
  const options = wanted === '' ? [] : (data ?? []).filter((each) => each.id !== except);
  const isShown = isOpen && wanted !== '' && (data !== undefined || error !== null);
  const current = options[Math.min(at, options.length - 1)];
  // Until the reply is there, the list is of what was typed before: Enter waits for it.
  const isLate = typed.trim() !== wanted || isPlaceholderData || (data === undefined && error === null);
  const [isEntered, setEntered] = useState(false);
  const choose = (name: KnownName) => {
    setTyped('');
    setOpen(false);
    onChoose(name);
  };
  useEffect(() => {
    if (!isEntered || isLate) return;
    setEntered(false);
    if (current !== undefined) choose(current);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      if (isLate) return;
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setAt((Math.min(at, options.length - 1) + step + options.length) % Math.max(1, options.length));
    } else if (event.key === 'Enter' && isOpen && typed.trim() !== '') {
      event.preventDefault();
      setEntered(true);
    } else if (event.key === 'Escape' && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div className={styles.box}>
      <Search size={16} aria-hidden />
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={isShown && options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && current !== undefined ? `${id}-${current.id}` : undefined}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        maxLength={300}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setEntered(false);
          setAt(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <span role="status" className="visually-hidden">
        {isShown && (options.length === 0 ? words.none(wanted) : words.found(options.length))}
      </span>
      <div id={`${id}-list`} role="listbox" aria-label={label} className={styles.list} hidden={!isShown}>
        {options.map((name) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus
          <div
            key={name.id}
            id={`${id}-${name.id}`}
            role="option"
            aria-selected={name === current}
            className={styles.option}
            // The field keeps the focus, so that the click arrives.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(name)}
          >
            <KindDot kind={name.kind} layer={name.layer} />
            <span className={styles.name}>
              {speakerName(name.name)}
              {name.alias !== null && <small>{words.also(name.alias)}</small>}
            </span>
            <small>{name.kind === 'category' ? words.category(name.size) : words.entity(name.size)}</small>
          </div>
        ))}
        {options.length === 0 && (
          <p role="presentation" className={styles.none}>
            {error === null ? words.none(wanted) : error.message}
          </p>
        )}
      </div>
    </div>
  );
}
