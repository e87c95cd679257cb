import { type FormEvent, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { text } from '../../strings/text.ts';

interface EditorProps {
  readonly statement: string;
  readonly isBusy?: boolean;
  readonly onClose: () => void;
  /** False if it failed, which is told. */
  readonly onSave: (statement: string) => Promise<boolean>;
}

/** The words of a fact in a field. Enter saves, Escape leaves them as they were. */
export function StatementEditor({ statement, isBusy = false, onClose, onSave }: EditorProps) {
  const [typed, setTyped] = useState(statement);
  const [isSaving, setSaving] = useState(false);
  const changed = typed.trim();
  const canSave = changed !== '' && !isBusy && !isSaving;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (!canSave) return;
    if (changed === statement) return onClose();
    setSaving(true);
    if (await onSave(changed)) onClose();
    else setSaving(false);
  };
  return (
    <form className="stack grows gap-2" onSubmit={(event) => void save(event)}>
      <textarea
        className="text-box"
        aria-label={text.memory.fact.editLabel}
        rows={2}
        maxLength={10_000}
        value={typed}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked to edit it
        autoFocus
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) void save(event);
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          onClose();
        }}
      />
      <div className="flex at-end gap-2">
        <Button size="small" onClick={onClose}>
          {text.app.cancel}
        </Button>
        <Button size="small" kind="primary" type="submit" disabled={!canSave}>
          {text.app.save}
        </Button>
      </div>
    </form>
  );
}
