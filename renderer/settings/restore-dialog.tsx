import { useState } from 'react';
import type { BackupEntry, RestorePreview } from '../../main/contract.ts';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { Field, SwitchRow } from '../kit/field.tsx';
import { useReply, useSend } from '../state/connection.tsx';
import { formatDateTime, text } from '../strings/text.ts';

const words = text.backup.restoring;

interface RestoreProps {
  readonly backup: BackupEntry;
  readonly onClose: () => void;
}

/** Says what a restore replaces, takes away and brings back, and starts it once it is confirmed. */
export function RestoreDialog({ backup: { name, createdAt }, onClose }: RestoreProps) {
  const [typed, setTyped] = useState('');
  const [again, setAgain] = useState(true);
  const preview = useReply('previewRestore', { name });
  const start = useSend('startRestore', ['jobs']);
  const isRefused = preview.data === undefined || preview.isFetching || preview.data.problem !== null;
  const isTyped = typed.trim().toLowerCase() === words.word;
  const restore = () =>
    start.mutate({ job: crypto.randomUUID(), name, forgetAgain: again }, { onSuccess: onClose });
  return (
    <ConfirmDialog
      isWide
      onClose={onClose}
      title={words.title(formatDateTime(Date.parse(createdAt)))}
      confirm={words.confirm}
      isDanger
      isDisabled={isRefused || !isTyped || start.isPending}
      onConfirm={restore}
    >
      {(preview.data === undefined || preview.isFetching) && !preview.error && (
        <div role="status" className="stack gap-3">
          <p>{words.comparing}</p>
          <Skeleton height={48} />
        </div>
      )}
      {preview.error && <Notice kind="problem">{preview.error.message}</Notice>}
      {preview.data?.problem != null && <Notice kind="problem">{preview.data.problem}</Notice>}
      {preview.data !== undefined && !isRefused && (
        <div className="stack gap-3">
          <Changes preview={preview.data} again={again} setAgain={setAgain} />
          <Field
            label={words.type}
            value={typed}
            maxLength={20}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
      )}
      {start.error && <Notice kind="problem">{start.error.message}</Notice>}
    </ConfirmDialog>
  );
}

interface ChangesProps {
  readonly preview: RestorePreview;
  readonly again: boolean;
  readonly setAgain: (again: boolean) => void;
}

function Changes({ preview: { scopes, isOther }, again, setAgain }: ChangesProps) {
  const sum = (of: (scope: RestorePreview['scopes'][number]) => number) =>
    scopes.reduce((total, scope) => total + of(scope), 0);
  const [forgotten, lost] = [sum((scope) => scope.forgotten), sum((scope) => scope.lost)];
  const absent = sum((scope) => scope.back) - forgotten;
  return (
    <>
      {isOther && <Notice kind="warning">{words.other}</Notice>}
      <p>
        {words.replaces(
          sum(({ now }) => now),
          sum(({ turns }) => turns),
        )}
      </p>
      {scopes.length > 1 && (
        <ul className="grid gap-2 soft text-13 figures">
          {scopes.map(({ scope, now, turns }) => (
            <li key={scope} className="flex apart gap-3 may-break">
              <span>{scope}</span>
              <span>{words.scope(now, turns)}</span>
            </li>
          ))}
        </ul>
      )}
      {lost > 0 && <Notice kind="warning">{words.lost(lost)}</Notice>}
      {absent > 0 && <Notice>{words.absent(absent)}</Notice>}
      {forgotten > 0 && <Notice kind="warning">{words.forgotten(forgotten)}</Notice>}
      {forgotten > 0 && (
        <SwitchRow label={words.again} hint={words.againHint} isOn={again} onChange={setAgain} />
      )}
      {lost + forgotten + absent === 0 && <p>{words.same}</p>}
      <p className="note may-break">
        {forgotten === 0 && `${words.corrections} `}
        {words.keeps}
      </p>
    </>
  );
}
