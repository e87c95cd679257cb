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
export function NameBox({ label, onChoose, ...rest }: NameBoxProps) {
  const words = text.browse.names;
  const id = useId();
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const [isEntered, setEntered] = useState(false);
  const { wanted, options, error, isKnown, isLate } = useNames(typed.trim(), rest);
  const isShown = isOpen && wanted !== '' && isKnown;
  const current = options[Math.min(at, options.length - 1)];
  const choose = (name: KnownName) => {
    setTyped('');
    setOpen(false);
    onChoose(name);
  };
  // Until the reply is there, the list is of what was typed before: Enter waits for it.
  useEffect(() => {
    if (!isEntered || isLate) return;
    setEntered(false);
    if (current !== undefined) choose(current);
  });
  const step = (by: 1 | -1) => {
    setOpen(true);
    if (isLate) return;
    setAt((Math.min(at, options.length - 1) + by + options.length) % Math.max(1, options.length));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      ...(isOpen && typed.trim() !== '' && { Enter: () => setEntered(true) }),
      ...(isOpen && { Escape: () => setOpen(false) }),
    };
    const handle = keys[event.key];
    if (handle === undefined || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (event.key === 'Escape') event.stopPropagation();
    handle();
  };
  return (
    <div className="search-box">
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
            <Name name={name} />
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

/** The names that begin like what is typed; `isLate` while they are of what was typed before. */
function useNames(typed: string, { scope, kinds, except }: Pick<NameBoxProps, 'scope' | 'kinds' | 'except'>) {
  const wanted = useDeferredValue(typed);
  const { data, isPlaceholderData, error } = useReply(
    'names',
    { scope, typed: wanted, limit: MOST, ...(kinds !== undefined && { kinds }) },
    { isOff: wanted === '', keep: true },
  );
  const isKnown = data !== undefined || error !== null;
  return {
    wanted,
    options: wanted === '' ? [] : (data ?? []).filter(({ id }) => id !== except),
    error,
    isKnown,
    isLate: typed !== wanted || isPlaceholderData || !isKnown,
  };
}

function Name({ name: { kind, layer, name, alias, size } }: { readonly name: KnownName }) {
  const words = text.browse.names;
  return (
    <>
      <KindDot kind={kind} layer={layer} />
      <span className="fills may-break">
        {speakerName(name)}
        {alias !== null && <small> {words.also(alias)}</small>}
      </span>
      <small>{kind === 'category' ? words.category(size) : words.entity(size)}</small>
    </>
  );
}
