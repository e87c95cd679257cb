import { EyeOff, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { FactLine } from '../../../main/contract.ts';
import { Button } from '../../kit/button.tsx';
import { ChoiceCards } from '../../kit/choice.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Notice, Skeleton } from '../../kit/feedback.tsx';
import { SwitchRow } from '../../kit/field.tsx';
import { useReply } from '../../state/connection.tsx';
import { type TakenBack, useUi } from '../../state/ui.ts';
import { text } from '../../strings/text.ts';
import { StatementEditor } from '../fact/statement-editor.tsx';
import { useFactActions } from '../fact/use-fact-actions.ts';
import { PreviewParts, Proof, StepProgress } from './preview-parts.tsx';
import { useForgetting } from './use-forgetting.ts';

const words = text.memory.forget;
const WAYS = ['correct', 'hide', 'forget'] as const;

/** The one dialog in which a sentence is taken back: corrected, hidden, or forgotten with the turns that it rests on. */
export function TakeBackDialog() {
  const { takenBack, set } = useUi();
  if (takenBack === null) return null;
  const close = () => set({ takenBack: null });
  const { scope, fact, episodes, onForgotten } = takenBack;
  const key = fact?.id ?? episodes.join();
  return fact === undefined ? (
    <Forgetting key={key} scope={scope} episodes={episodes} onForgotten={onForgotten} onClose={close} />
  ) : (
    <OfFact key={key} scope={scope} fact={fact} onClose={close} />
  );
}

interface FactProps {
  readonly scope: string;
  readonly fact: FactLine;
  readonly onClose: () => void;
}

function OfFact({ scope, fact, onClose }: FactProps) {
  const { ways, sentence } = words;
  const [way, setWay] = useState<(typeof WAYS)[number]>('correct');
  const actions = useFactActions(scope);
  const choice = (isDisabled: boolean) => (
    <ChoiceCards
      label={sentence}
      value={way}
      options={WAYS.map((value) => ({ value, ...ways[value] }))}
      isDisabled={isDisabled}
      onChange={setWay}
    />
  );
  const quoted = <q className="may-break">{fact.statement}</q>;
  if (way === 'forget')
    return (
      <Forgetting
        scope={scope}
        episodes={fact.sources.map(({ episode }) => episode)}
        title={sentence}
        above={choice}
        onClose={onClose}
      />
    );
  const hide = () => {
    void actions.reject(fact);
    onClose();
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={sentence}
      description={quoted}
      actions={
        way === 'hide' && (
          <>
            <Button onClick={onClose}>{text.app.cancel}</Button>
            <Button kind="primary" icon={EyeOff} onClick={hide}>
              {words.hide}
            </Button>
          </>
        )
      }
    >
      {choice(false)}
      {way === 'correct' && (
        <StatementEditor
          statement={fact.statement}
          onClose={onClose}
          onSave={(statement) => actions.edit(fact, statement)}
        />
      )}
    </Dialog>
  );
}

interface ForgettingProps extends Pick<TakenBack, 'scope' | 'episodes'> {
  readonly onForgotten?: (() => void) | undefined;
  readonly title?: string;
  /** The choice of other ways, which is over once it runs. */
  readonly above?: (isRunning: boolean) => React.ReactNode;
  readonly onClose: () => void;
}

/** Forgets turns: says first what goes with them, then how far it is, at last what was proved. */
function Forgetting({ scope, episodes, onForgotten, title, above, onClose }: ForgettingProps) {
  const { step, done, problem, isRunning, run } = useForgetting(scope);
  const [quotations, setQuotations] = useState(false);
  const target = episodes.length === 1 ? { episode: episodes[0]! } : { episodes: [...episodes] };
  const preview = useReply(
    'previewForget',
    { scope, target, quotations },
    { isOff: done !== null, keep: true },
  );
  const close = () => {
    if (isRunning && done === null) return;
    if (done !== null) onForgotten?.();
    onClose();
  };
  const failure = problem ?? preview.error?.message ?? null;
  const isOver = done !== null;
  return (
    <Dialog
      isOpen
      onClose={close}
      title={isOver ? words.done : (title ?? (episodes.length === 1 ? words.title : words.titleMany))}
      actions={
        isOver ? (
          <Button kind="primary" onClick={close}>
            {text.app.close}
          </Button>
        ) : (
          <>
            <Button disabled={isRunning} onClick={close}>
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
        )
      }
    >
      {isOver && <Proof done={done} />}
      {!isOver && above?.(isRunning)}
      {!isOver && preview.data === undefined && failure === null && (
        <div role="status" aria-label={words.counting}>
          <Skeleton width="70%" />
          <Skeleton height={48} />
        </div>
      )}
      {!isOver && preview.data !== undefined && (
        <>
          <PreviewParts preview={preview.data} />
          {preview.data.alsoSaid.total + Number(quotations) > 0 && (
            <SwitchRow
              label={words.quotations}
              isOn={quotations}
              isDisabled={isRunning}
              onChange={setQuotations}
            />
          )}
        </>
      )}
      {isRunning && <StepProgress step={step} />}
      {failure !== null && <Notice kind="problem">{failure}</Notice>}
    </Dialog>
  );
}
