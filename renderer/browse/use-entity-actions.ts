import { useCallback, useMemo } from 'react';
import { toast } from 'sonner';
import type { InputOf, OutputOf } from '../../main/contract.ts';
import { told } from '../parts/fact/use-fact-actions.ts';
import { refresh, useClient } from '../state/connection.tsx';
import { SHOWS_MEMORY } from '../state/refresh.ts';
import { text } from '../strings/text.ts';

type Correction = InputOf<'correct'>['correction'];
type Corrected = OutputOf<'correct'>;

/** What a person can do to an entity, each with a way back. */
export interface EntityActions {
  /** The correction as it was made; null if it failed, which is told. */
  correct(correction: Correction, done: string): Promise<Corrected | null>;
  undo(correction: string): Promise<boolean>;
}

/** Corrections of entities. They tell the person what came of them. */
export function useEntityActions(scope: string): EntityActions {
  const client = useClient();
  const undo = useCallback(
    async (correction: string) => {
      const isDone = await told(async () => {
        await client.correct({ scope, correction: { kind: 'undo', correction } });
        toast(text.browse.entity.done.undo);
      });
      refresh(...SHOWS_MEMORY);
      return isDone;
    },
    [client, scope],
  );
  const correct = useCallback(
    async (correction: Correction, done: string) => {
      let made: Corrected | null = null;
      await told(async () => {
        const reply = await client.correct({ scope, correction });
        made = reply;
        toast(done, { action: { label: text.app.undo, onClick: () => void undo(reply.correction) } });
      });
      refresh(...SHOWS_MEMORY);
      return made;
    },
    [client, scope, undo],
  );
  return useMemo(() => ({ correct, undo }), [correct, undo]);
}
