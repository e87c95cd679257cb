import {
  Brain,
  FlaskConical,
  type LucideIcon,
  MessageCircleQuestionMark,
  NotebookPen,
  Upload,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { navigate } from 'wouter/use-hash-location';
import { create } from 'zustand';
import { placeOfMessage } from '../parts/conversation/conversation-place.ts';
import { useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './new-chat.module.css';
import { topicsOf } from './suggested-topics.ts';

const MOST = 4;

/** Questions of sample memories that were made in this window, by scope. */
const useSamples = create<{ readonly questions: Readonly<Record<string, readonly string[]>> }>()(() => ({
  questions: {},
}));

interface SuggestionsProps {
  readonly scope: string;
  /** Sends at once. */
  readonly onAsk: (question: string) => void;
  /** Begins a message. */
  readonly onWrite: (words: string) => void;
}

/** Ways to begin: what memory could be asked, or how it gets something to know. */
export function Suggestions({ scope, onAsk, onWrite }: SuggestionsProps) {
  const questions = useSamples((samples) => samples.questions[scope]);
  const portrait = useReply('portrait', { scope, limit: 60 }, { isOff: questions !== undefined });
  const sample = useSend('sample', ['conversations']);
  const begin = useSend('saveConversation', ['conversations']);
  const words = text.chat.suggestions;
  if (questions !== undefined)
    return (
      <Cards>
        {questions.slice(0, MOST).map((question) => (
          <Card
            key={question}
            icon={MessageCircleQuestionMark}
            title={question}
            onClick={() => onAsk(question)}
          />
        ))}
      </Cards>
    );
  if (portrait.isPending) return <Cards />;
  if (portrait.data !== undefined && portrait.data.turns > 0) {
    const topics = topicsOf(portrait.data).slice(0, MOST - 1);
    return (
      <Cards>
        <Card icon={Brain} title={words.me} note={words.meNote} onClick={() => onAsk(words.me)} />
        {topics.map(({ title, facts }) => (
          <Card
            key={title}
            icon={MessageCircleQuestionMark}
            title={words.ask(title)}
            note={words.about(facts)}
            onClick={() => onAsk(words.ask(title))}
          />
        ))}
        {topics.length < MOST - 1 && (
          <Card
            icon={NotebookPen}
            title={words.note}
            note={words.noteNote}
            onClick={() => onWrite(words.noteText)}
          />
        )}
      </Cards>
    );
  }
  const trySample = () =>
    sample.mutate(
      {},
      {
        onSuccess: ({ scope: sampled, questions: asked }) => {
          useSamples.setState((samples) => ({ questions: { ...samples.questions, [sampled]: asked } }));
          const conversation = crypto.randomUUID();
          begin.mutate(
            { conversation, scope: sampled },
            { onSuccess: () => navigate(placeOfMessage(conversation)) },
          );
        },
        onError: (error) => toast.error(error.message),
      },
    );
  return (
    <Cards>
      <Card
        icon={NotebookPen}
        title={words.note}
        note={words.noteNote}
        onClick={() => onWrite(words.noteText)}
      />
      <Card icon={Upload} title={words.import} note={words.importNote} onClick={() => navigate('/import')} />
      <Card
        icon={FlaskConical}
        title={words.sample}
        note={words.sampleNote}
        isDisabled={sample.isPending}
        onClick={trySample}
      />
    </Cards>
  );
}

function Cards({ children }: { readonly children?: ReactNode }) {
  return (
    <section className={styles.cards} aria-label={text.chat.suggestions.label}>
      {children}
    </section>
  );
}

interface CardProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly note?: string;
  readonly isDisabled?: boolean;
  readonly onClick: () => void;
}

function Card({ icon: Icon, title, note, isDisabled = false, onClick }: CardProps) {
  return (
    <button type="button" className={styles.suggestion} disabled={isDisabled} onClick={onClick}>
      <Icon size={17} className="accent-text" aria-hidden />
      <span className="grid gap-2px may-narrow">
        <strong className={styles.question}>{title}</strong>
        {note !== undefined && <small className="note">{note}</small>}
      </span>
    </button>
  );
}
