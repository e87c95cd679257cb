import { HardDrive } from 'lucide-react';
import { useState } from 'react';
import type { OutputOf } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice, Progress } from '../kit/feedback.tsx';
import { refresh, useClient } from '../state/connection.tsx';
import { formatBytes, messageOf, text } from '../strings/text.ts';

type Event = OutputOf<'compact'>;
type Done = Extract<Event, { readonly type: 'done' }>;
type Step = Exclude<Event, Done>;

/** Rewrites the file of the memory, so that nothing removed is left in it. */
export function EraseFromDisk({ lead }: { readonly lead?: string }) {
  const words = text.forget;
  const client = useClient();
  const [step, setStep] = useState<Step | null>(null);
  const [done, setDone] = useState<Done | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isRunning, setRunning] = useState(false);
  const erase = async () => {
    setRunning(true);
    setProblem(null);
    setDone(null);
    try {
      for await (const event of client.compact({}))
        if (event.type === 'done') setDone(event);
        else setStep(event);
    } catch (error) {
      setProblem(messageOf(error));
    }
    setRunning(false);
    setStep(null);
    refresh('settings');
  };
  const label = words.erasing[step?.step ?? 'copy'] ?? words.erasing.copy!;
  return (
    <>
      {done === null && !isRunning && (
        <>
          {lead !== undefined && <p>{lead}</p>}
          <p className="soft text-14">{words.diskWhat}</p>
          <div>
            <Button icon={HardDrive} onClick={() => void erase()}>
              {words.erase}
            </Button>
          </div>
        </>
      )}
      <div role="status">
        {isRunning && (
          <div className="stack gap-2">
            <p>{label}</p>
            <Progress share={shareOf(step)} label={label} />
          </div>
        )}
        {done !== null && <p>{words.erased(formatBytes(done.bytesBefore), formatBytes(done.bytesAfter))}</p>}
      </div>
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
    </>
  );
}

/** Copying is the first half, checking the second. */
function shareOf(step: Step | null): number {
  if (step === null) return 0;
  const half = step.done / Math.max(1, step.total) / 2;
  return step.step === 'copy' ? half : 0.5 + half;
}
