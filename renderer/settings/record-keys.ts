/** A pressed key, as a browser tells it. */
interface PressedKey {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const MODIFIERS = new Set(['Control', 'Meta', 'Alt', 'Shift', 'AltGraph', 'CapsLock', 'Fn']);

/**
 * The combination of a pressed key in the notation of the shortcuts, such as `$mod+Shift+k`; null while only modifiers
 * are held. A letter is named by what the layout gives, all other keys by their place.
 */
export function keysOfPress(press: PressedKey, isMac: boolean): string | null {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = press;
  if (MODIFIERS.has(key) || code === '') return null;
  const isLetter = /^[a-z]$/i.test(key) && !altKey;
  return [
    ...((isMac ? metaKey : ctrlKey) ? ['$mod'] : []),
    ...(isMac && ctrlKey ? ['Control'] : []),
    ...(!isMac && metaKey ? ['Meta'] : []),
    ...(altKey ? ['Alt'] : []),
    ...(shiftKey ? ['Shift'] : []),
    isLetter ? key.toLowerCase() : code,
  ].join('+');
}

const CODES: Readonly<Record<string, string>> = {
  comma: ',',
  period: '.',
  slash: '/',
  minus: '-',
  equal: '=',
};

/** One form for combinations that mean the same, for comparison only. */
export function canonicalKeys(keys: string): string {
  const parts = keys
    .toLowerCase()
    .split('+')
    .map((part) => CODES[part] ?? part.replace(/^(?:key|digit)(.)$/, '$1'));
  return [...parts.slice(0, -1).sort(), parts.at(-1)].join('+');
}

/** The commands that have the same keys as this one. */
export function conflictsOf<Command extends string>(
  command: Command,
  keys: string,
  all: Readonly<Record<Command, string>>,
): Command[] {
  if (keys === '') return [];
  const wanted = canonicalKeys(keys);
  return (Object.keys(all) as Command[]).filter(
    (other) => other !== command && all[other] !== '' && canonicalKeys(all[other]) === wanted,
  );
}

/** Combinations that a page does not get, or must not take. */
const RESERVED = new Set(
  ['$mod+w', '$mod+t', '$mod+n', '$mod+q', '$mod+r', '$mod+l', '$mod+Shift+n', '$mod+Shift+t', '$mod+Shift+w']
    .concat([
      '$mod+c',
      '$mod+v',
      '$mod+x',
      '$mod+a',
      '$mod+z',
      '$mod+p',
      '$mod+f',
      'Alt+F4',
      'F5',
      'F11',
      'F12',
    ])
    .map(canonicalKeys),
);

/** Why keys cannot be a shortcut; null if they can. */
export function problemOf(keys: string): 'plain' | 'reserved' | null {
  if (RESERVED.has(canonicalKeys(keys))) return 'reserved';
  const parts = keys.split('+');
  const last = parts.at(-1) ?? '';
  const isStrong = parts.some((part) => ['$mod', 'Control', 'Meta', 'Alt'].includes(part));
  return isStrong || /^(?:F\d{1,2}|Escape)$/.test(last) ? null : 'plain';
}
