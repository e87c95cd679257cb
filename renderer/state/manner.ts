import { create } from 'zustand';
import type { InputOf } from '../../main/contract.ts';

/** Who answers: as the settings say, memory alone by quotations, or another model of the endpoint. */
export type Answerer =
  | { readonly kind: 'configured' | 'local' }
  | { readonly kind: 'model'; readonly name: string };

interface Manner {
  /** For all chats of this window. */
  readonly answerer: Answerer;
  /** Whether the next message is private, by conversation; `new` for a new chat. */
  readonly isPrivate: Readonly<Record<string, boolean>>;
}

/** How the next messages of this window are answered. */
export const useManner = create<Manner>()(() => ({ answerer: { kind: 'configured' }, isPrivate: {} }));

export const NEW = 'new';

export function setPrivate(conversation: string, isPrivate: boolean): void {
  useManner.setState((manner) => ({ isPrivate: { ...manner.isPrivate, [conversation]: isPrivate } }));
}

export const setAnswerer = (answerer: Answerer): void => useManner.setState({ answerer });

/** As a request names it. */
export function mannerFor(isPrivate: boolean): Pick<InputOf<'regenerate'>, 'isPrivate' | 'tier' | 'model'> {
  const { answerer } = useManner.getState();
  return {
    ...(isPrivate && { isPrivate }),
    ...(answerer.kind === 'local' && { tier: 'local' as const }),
    ...(answerer.kind === 'model' && { model: answerer.name }),
  };
}
