import { Brain } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { Message } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/feedback.tsx';
import { useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './message.module.css';

const labels = text.chat.remembered;

interface DecideCardProps {
  readonly answer: Message;
  /** The text that was answered. */
  readonly question: string;
}

/** Asks whether an exchange is remembered, and in which words. */
export function DecideCard({ answer, question }: DecideCardProps) {
  const [isEditing, setEditing] = useState(false);
  const decide = useSend('decide', ['conversation', 'learned']);
  const choose = (decision: 'approve' | 'decline') => decide.mutate({ message: answer.id, decision });
  const saveEdited = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const words = new FormData(event.currentTarget);
    const [asked, said] = [String(words.get('question')).trim(), String(words.get('answer')).trim()];
    decide.mutate({
      message: answer.id,
      decision: 'edit',
      ...(asked !== '' && { question: asked }),
      ...(said !== '' && { answer: said }),
    });
  };
  return (
    <section className={styles.decide} aria-label={labels.ask}>
      <div className="flex gap-3 icon-first">
        <Brain size={17} className="accent-text" aria-hidden />
        <div>
          <strong>{labels.ask}</strong>
          <p className="soft">{labels.askNote}</p>
        </div>
      </div>
      {isEditing ? (
        <form className="grid gap-3" onSubmit={saveEdited}>
          <label className="grid gap-5px medium">
            {labels.question}
            <textarea
              className={styles.area}
              name="question"
              rows={3}
              defaultValue={question}
              maxLength={40_000}
            />
          </label>
          <label className="grid gap-5px medium">
            {labels.answer}
            <textarea
              className={styles.area}
              name="answer"
              rows={5}
              defaultValue={answer.text}
              maxLength={40_000}
            />
          </label>
          <div className="flow at-end gap-2">
            <Button size="small" onClick={() => setEditing(false)}>
              {text.app.cancel}
            </Button>
            <Button size="small" kind="primary" type="submit" disabled={decide.isPending}>
              {labels.saveEdited}
            </Button>
          </div>
        </form>
      ) : (
        <div className="flow at-end gap-2">
          <Button size="small" kind="quiet" disabled={decide.isPending} onClick={() => setEditing(true)}>
            {labels.edit}
          </Button>
          <Button size="small" disabled={decide.isPending} onClick={() => choose('decline')}>
            {labels.no}
          </Button>
          <Button size="small" kind="primary" disabled={decide.isPending} onClick={() => choose('approve')}>
            {labels.yes}
          </Button>
        </div>
      )}
      {decide.error && <Notice kind="problem">{decide.error.message}</Notice>}
    </section>
  );
}
