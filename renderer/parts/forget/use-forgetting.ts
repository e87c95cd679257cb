import { useCallback, useRef, useState } from 'react';
import type { ForgetEvent, InputOf, MethodName } from '../../../main/contract.ts';
import { refresh, useClient } from '../../state/connection.tsx';
import { SHOWS_MEMORY } from '../../state/refresh.ts';
import { messageOf, text } from '../../strings/text.ts';

/** What may have changed after something was forgotten. */
const AFFECTED: readonly MethodName[] = [
  ...SHOWS_MEMORY,
  ...(['why', 'conversation', 'conversations', 'find'] as const),
];

export type ForgetDone = Extract<ForgetEvent, { readonly type: 'done' }>;
export type ForgetStep = Exclude<ForgetEvent, ForgetDone>;

export type Forgetting = ReturnType<typeof useForgetting>;

/** Forgets, and says how far it is. */
export function useForgetting(scope: string) {
  const client = useClient();
  /** The last step; null before the first one. */
  const [step, setStep] = useState<ForgetStep | null>(null);
  const [done, setDone] = useState<ForgetDone | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const stop = useRef<AbortController | null>(null);
  const run = useCallback(
    async (input: Omit<InputOf<'forget'>, 'scope'>) => {
      const cancelled = new AbortController();
      stop.current = cancelled;
      setRunning(true);
      setProblem(null);
      let hasBegun = false;
      try {
        for await (const event of client.forget({ scope, ...input }, { signal: cancelled.signal }))
          if (event.type === 'done') setDone(event);
          else {
            hasBegun = true;
            setStep(event);
          }
      } catch (error) {
        if (cancelled.signal.aborted)
          setProblem(hasBegun ? text.forget.cancelledLate : text.forget.cancelled);
        else setProblem(messageOf(error));
      }
      refresh(...AFFECTED);
      setRunning(false);
      setStep(null);
    },
    [client, scope],
  );
  return {
    step,
    done,
    problem,
    isRunning,
    run,
    /** Has an effect before the first step only; after it, what was begun is completed. */
    cancel: () => stop.current?.abort(),
    /** Begins with the next one. */
    reset: () => {
      setDone(null);
      setProblem(null);
    },
  };
}
