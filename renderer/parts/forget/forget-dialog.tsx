import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Notice, Skeleton } from '../../kit/feedback.tsx';
import { SwitchRow } from '../../kit/field.tsx';
import { useReply } from '../../state/connection.tsx';
import { text } from '../../strings/text.ts';
import { PreviewParts, Proof, StepProgress } from './preview-parts.tsx';
import { useForgetting } from './use-forgetting.ts';

interface ForgetProps {
  readonly scope: string;
  /** Ids of the turns. */
  readonly episodes: readonly string[];
  /** @param isForgotten Whether they are gone. */
  readonly onClose: (isForgotten: boolean) => void;
}

/** Forgets turns: says first what goes with them, then how far it is, at last what was proved. */
export function ForgetDialog({ scope, episodes, onClose }: ForgetProps) {
  const words = text.memory.forget;
  const { step, done, problem, isRunning, run } = useForgetting(scope);
  const [quotations, setQuotations] = useState(false);
  const target = episodes.length === 1 ? { episode: episodes[0]! } : { episodes: [...episodes] };
  const preview = useReply(
    'previewForget',
    { scope, target, quotations },
    { isOff: done !== null, keep: true },
  );
  if (done !== null)
    return (
      <Dialog
        isOpen
        onClose={() => onClose(true)}
        title={words.done}
        actions={
          <Button kind="primary" onClick={() => onClose(true)}>
            {text.app.close}
          </Button>
        }
      >
        <Proof done={done} />
      </Dialog>
    );
  const failure = problem ?? preview.error?.message ?? null;
  return (
    <Dialog
      isOpen
      onClose={() => !isRunning && onClose(false)}
      title={episodes.length === 1 ? words.title : words.titleMany}
      actions={
        <>
          <Button disabled={isRunning} onClick={() => onClose(false)}>
            {text.app.cancel}
          </Button>
          <Button
            kind="danger"
            icon={Trash2}
            disabled={isRunning || preview.data === undefined || preview.isPlaceholderData}
            onClick={() => void run({ target, quotations })}
          >
            {words.confirm}
          </Button>
        </>
      }
    >
      {preview.data === undefined && failure === null && (
        <div role="status" aria-label={words.counting}>
          <Skeleton width="70%" />
          <Skeleton height={48} />
        </div>
      )}
      {preview.data !== undefined && <PreviewParts preview={preview.data} />}
      {preview.data !== undefined && preview.data.alsoSaid.total + Number(quotations) > 0 && (
        <SwitchRow
          label={words.quotations}
          isOn={quotations}
          isDisabled={isRunning}
          onChange={setQuotations}
        />
      )}
      {isRunning && <StepProgress step={step} />}
      {failure !== null && <Notice kind="problem">{failure}</Notice>}
    </Dialog>
  );
}
