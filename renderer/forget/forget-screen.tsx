import { useState } from 'react';
import { useForgetting } from '../parts/forget/use-forgetting.ts';
import { MemoryScreen } from '../parts/place/memory-screen.tsx';
import { text } from '../strings/text.ts';
import { ForgetDone } from './forget-done.tsx';
import { ForgetHistory } from './forget-history.tsx';
import styles from './forget-screen.module.css';
import { EMPTY_FORM, type ForgetForm, type Wanted } from './forget-target.ts';
import { PlannedForgetting } from './planned-forgetting.tsx';
import { TargetForm } from './target-form.tsx';

/** Forgets by anything that memory allows: what, a preview, the run, the proof, and the file on the disk. */
export function ForgetScreen({ scope }: { readonly scope: string }) {
  const words = text.forget;
  const forgetting = useForgetting(scope);
  const [form, setForm] = useState<ForgetForm>(EMPTY_FORM);
  /** What the preview is of; null before it is asked for, and after the form has changed. */
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const change = (part: Partial<ForgetForm>) => {
    setForm((before) => ({ ...before, ...part }));
    setWanted(null);
  };
  return (
    <MemoryScreen width={980}>
      <div className="stack gap-4 above-4">
        <header className={styles.head}>
          <h1>{words.title}</h1>
          <p className="soft">{words.lead}</p>
        </header>
        {forgetting.done === null ? (
          <>
            <TargetForm
              scope={scope}
              form={form}
              isDisabled={forgetting.isRunning}
              onChange={change}
              onShow={setWanted}
            />
            {wanted !== null && (
              <PlannedForgetting
                key={JSON.stringify(wanted)}
                scope={scope}
                wanted={wanted}
                query={form.way === 'words' ? form.query.trim() : ''}
                forgetting={forgetting}
              />
            )}
          </>
        ) : (
          <ForgetDone
            done={forgetting.done}
            onAgain={() => {
              forgetting.reset();
              setForm(EMPTY_FORM);
              setWanted(null);
            }}
          />
        )}
        <ForgetHistory scope={scope} hasErase={forgetting.done === null} />
      </div>
    </MemoryScreen>
  );
}
