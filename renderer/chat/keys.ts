import type { Preferences } from '../../main/contract.ts';

/** What is read of a key event. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
  readonly keyCode: number;
}

/** Key code of a key that an input method consumes; Safari ends composition before it reports Enter. */
const INPUT_METHOD = 229;

export const isComposing = ({ isComposing, keyCode }: Key): boolean =>
  isComposing || keyCode === INPUT_METHOD;

/**
 * Whether a key sends the message.
 * @param isTouch - the screen has no Shift key at hand, so Enter is a new line
 */
export function isSendKey(key: Key, send: Preferences['send'], isTouch = false): boolean {
  if (key.key !== 'Enter' || key.shiftKey || key.altKey || isComposing(key)) return false;
  return key.ctrlKey || key.metaKey || (send === 'enter' && !isTouch);
}
