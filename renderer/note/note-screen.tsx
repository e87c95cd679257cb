import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button, IconButton } from '../kit/button.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Page } from '../kit/page.tsx';
import { useMay, useReply, useSend } from '../state/connection.tsx';
import { SHOWS_MEMORY } from '../state/refresh.ts';
import { takeBack, useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';

/** A line of this window that memory keeps. */
interface Kept {
  readonly episode: string;
  readonly words: string;
}

/** A field whose line is kept at once, without an answer. What another app shared stands in it. */
export function NoteScreen({ scope }: { readonly scope: string }) {
  const words = text.note;
  const { note, set } = useUi();
  const name = useReply('settings', {}).data?.preferences.name ?? '';
  const [kept, setKept] = useState<readonly Kept[]>([]);
  /** Why memory did not take the line. */
  const [refusal, setRefusal] = useState<string | null>(null);
  const send = useSend('add', SHOWS_MEMORY);
  const mayKeep = useMay('add');
  const problem = send.error?.message ?? refusal;
  const line = note.trim();
  const keep = (event: FormEvent) => {
    event.preventDefault();
    if (line === '' || send.isPending || !mayKeep) return;
    const at = new Date();
    const turn = {
      content: line,
      at: at.toISOString(),
      session: `notes ${at.toISOString().slice(0, 10)}`,
      source: 'note',
      ...(name !== '' && { speaker: name }),
    };
    send.mutate(
      { scope, turns: [turn] },
      {
        onSuccess: ({ outcomes: [outcome] }) => {
          if (outcome === undefined || !('id' in outcome)) return setRefusal(outcome?.reason ?? null);
          setRefusal(null);
          setKept((before) => [{ episode: outcome.id, words: line }, ...before]);
          set({ note: '' });
        },
      },
    );
  };
  const drop = (episode: string) =>
    takeBack({
      scope,
      episodes: [episode],
      onForgotten: () => setKept((before) => before.filter((each) => each.episode !== episode)),
    });
  return (
    <Page title={words.title}>
      <form className="stack gap-3" onSubmit={keep}>
        <textarea
          className="text-box"
          aria-label={words.title}
          placeholder={words.placeholder}
          rows={4}
          maxLength={40_000}
          // biome-ignore lint/a11y/noAutofocus: the screen is this field
          autoFocus
          value={note}
          onChange={({ target }) => set({ note: target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) keep(event);
          }}
        />
        <Button
          className="keeps-width"
          kind="primary"
          type="submit"
          disabled={line === '' || send.isPending || !mayKeep}
        >
          {words.keep}
        </Button>
        {!mayKeep && <p className="note">{text.device.reads}</p>}
        {problem !== null && <Notice kind="problem">{problem}</Notice>}
        <p className="visually-hidden" role="status">
          {kept.length > 0 && words.kept}
        </p>
        <ul className={kept.length === 0 ? '' : 'list-frame'} aria-label={words.kept}>
          {kept.map((each) => (
            <li key={each.episode} className="line gap-2 pad-row">
              <span className="fills may-break">{each.words}</span>
              <IconButton
                icon={Trash2}
                iconSize={15}
                label={words.takeBack(each.words)}
                onClick={() => drop(each.episode)}
              />
            </li>
          ))}
        </ul>
      </form>
    </Page>
  );
}
