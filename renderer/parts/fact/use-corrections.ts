import { useMemo } from 'react';
import { toast } from 'sonner';
import type { InputOf, OutputOf } from '../../../main/contract.ts';
import { refresh, useClient } from '../../state/connection.tsx';
import { SHOWS_MEMORY } from '../../state/refresh.ts';
import { messageOf, text } from '../../strings/text.ts';

type Correction = InputOf<'correct'>['correction'];
type Corrected = OutputOf<'correct'>;

/** What a person corrects, each with a way back. They are told what came of it. */
export interface Corrections {
  /** The correction as it was made; null if it failed. */
  correct(correction: Correction, done: string): Promise<Corrected | null>;
  /** False if it failed. */
  undo(correction: string, done?: string): Promise<boolean>;
}

/** @param onUndone Is told each correction that was undone; always the same function. */
export function useCorrections(scope: string, onUndone?: (correction: string) => void): Corrections {
  const client = useClient();
  return useMemo(() => {
    const send = async (correction: Correction, tell: (made: Corrected) => void) => {
      try {
        const made = await client.correct({ scope, correction });
        tell(made);
        return made;
      } catch (error) {
        toast.error(messageOf(error));
        return null;
      } finally {
        refresh(...SHOWS_MEMORY);
      }
    };
    const undo = async (correction: string, done: string = text.memory.fact.done.undo) => {
      const made = await send({ kind: 'undo', correction }, () => {
        onUndone?.(correction);
        toast(done);
      });
      return made !== null;
    };
    const correct = (correction: Correction, done: string) =>
      send(correction, (made) =>
        toast(done, { action: { label: text.app.undo, onClick: () => void undo(made.correction) } }),
      );
    return { correct, undo };
  }, [client, scope, onUndone]);
}
