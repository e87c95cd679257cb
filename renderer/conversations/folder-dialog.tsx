import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Field } from '../kit/field.tsx';
import { useSend } from '../state/connection.tsx';
import { useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';

/** Creates a project. */
export function FolderDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [, navigate] = useLocation();
  const { set } = useUi();
  const save = useSend('saveFolder', ['folders']);
  const create = (event: FormEvent) => {
    event.preventDefault();
    const folder = crypto.randomUUID();
    save.mutate(
      { folder, name: name.trim() },
      {
        onSuccess: () => {
          set({ folder });
          navigate('/');
          onClose();
        },
      },
    );
  };
  return (
    <Dialog isOpen onClose={onClose} title={text.projectDialog.title} description={text.projectDialog.text}>
      <form className="grid gap-4" onSubmit={create}>
        <Field
          label={text.projectDialog.name}
          value={name}
          maxLength={100}
          autoFocus
          onChange={({ target }) => setName(target.value)}
        />
        {save.error && <Notice kind="problem">{save.error.message}</Notice>}
        <div className="flex at-end gap-2">
          <Button onClick={onClose}>{text.app.cancel}</Button>
          <Button kind="primary" type="submit" disabled={name.trim() === '' || save.isPending}>
            {text.projectDialog.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
