import { createContext, useContext } from 'react';
import type { Message } from '../../main/contract.ts';

/** What a message can do in its conversation. The object stays the same, so that rows need not be drawn again. */
export interface Thread {
  readonly conversation: string;
  readonly scope: string;
  /** Sends a new version of a message. */
  edit(message: Message, text: string): void;
  /** Another answer beside this one. */
  regenerate(answer: Message): void;
  /** Shows the branch through a message. */
  show(id: string): void;
}

export const ThreadContext = createContext<Thread | null>(null);

export function useThread(): Thread {
  const thread = useContext(ThreadContext);
  if (thread === null) throw new TypeError('The component is outside of its thread');
  return thread;
}
