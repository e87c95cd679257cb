import {
  Brain,
  FlaskConical,
  type LucideIcon,
  MessageCircleQuestionMark,
  NotebookPen,
  Upload,
} from 'lucide-react';
import { toast } from 'sonner';
import { navigate } from 'wouter/use-hash-location';
import { create } from 'zustand';
import type { OutputOf } from '../../main/contract.ts';
import { placeOfMessage } from '../parts/conversation/conversation-place.ts';
import { useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './new-chat.module.css';

const words = text.chat.suggestions;
const MOST = 4;
/** Of something about which a question is offered. */
const FEWEST_FACTS = 2;
/** Entities among which named ones are looked for: recent ones first, then those of which most is known. */
const among = (scope: string, order: 'newest' | 'facts') => ({ scope, order, limit: 100 });

type Named = { readonly id: string } & Pick<OutputOf<'entities'>['items'][number], 'name' | 'tags' | 'facts'>;

/**
 * What has a name of its own, in the given order: people, places and groups, then works and other things. "bed",
 * "24-hour" and "PM" are names of no single thing.
 */
export function namedThings<Entity extends Named>(entities: readonly Entity[], user?: string): Entity[] {
  const named = entities.filter(
    ({ id, name, tags, facts }, at) =>
      id !== user &&
      facts >= FEWEST_FACTS &&
      /^(?!\p{Ll})\p{L}(?!\p{Lu}$)/u.test(name) &&
      !/^(?:assistant|system|tool|ai|user)$/i.test(name) &&
      !tags.includes('date') &&
      entities.findIndex((each) => each.id === id) === at,
  );
  const isSomebody = ({ tags }: Named) => tags.some((tag) => SOMEBODY.has(tag));
  return [...named.filter(isSomebody), ...named.filter((each) => !isSomebody(each))];
}

const SOMEBODY: ReadonlySet<string> = new Set(['person', 'place', 'organisation']);

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
  const { data, isPending } = useReply('portrait', { scope, limit: 1 }, { isOff: questions !== undefined });
  const isOff = data === undefined || data.turns === 0;
  const newest = useReply('entities', among(scope, 'newest'), { isOff }).data;
  const best = useReply('entities', among(scope, 'facts'), { isOff }).data;
  const { trySample, isMaking } = useTrySample();
  const question = (title: string, note?: string): Suggestion => ({
    icon: MessageCircleQuestionMark,
    title,
    note,
    act: () => onAsk(title),
  });
  if (questions !== undefined) return <Cards of={questions.slice(0, MOST).map((each) => question(each))} />;
  if (isPending) return <Cards of={[]} />;
  const note = {
    icon: NotebookPen,
    title: words.note,
    note: words.noteNote,
    act: () => onWrite(words.noteText),
  };
  if (data === undefined || data.turns === 0) {
    const file = {
      icon: Upload,
      title: words.import,
      note: words.importNote,
      act: () => navigate('/import'),
    };
    const sample = { icon: FlaskConical, title: words.sample, note: words.sampleNote, act: trySample };
    return <Cards of={[note, file, { ...sample, isDisabled: isMaking }]} />;
  }
  const entities = [newest, best].flatMap((page) => page?.items ?? []);
  const others = namedThings(entities, data.entity?.id).slice(0, MOST - 1);
  const asked = others.map(({ name, facts }) => question(words.ask(name), words.about(facts)));
  const first = { ...question(words.me, words.meNote), icon: Brain };
  return <Cards of={[first, ...asked, ...(others.length < MOST - 1 ? [note] : [])]} />;
}

/** Makes a sample memory, and opens a chat about it. */
function useTrySample() {
  const sample = useSend('sample', ['conversations']);
  const begin = useSend('saveConversation', ['conversations']);
  const trySample = () =>
    sample.mutate(
      {},
      {
        onSuccess: ({ scope, questions: asked }) => {
          useSamples.setState(({ questions }) => ({ questions: { ...questions, [scope]: asked } }));
          const conversation = crypto.randomUUID();
          const open = () => navigate(placeOfMessage(conversation));
          begin.mutate({ conversation, scope }, { onSuccess: open });
        },
        onError: (error) => toast.error(error.message),
      },
    );
  return { trySample, isMaking: sample.isPending };
}

interface Suggestion {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly note?: string | undefined;
  readonly isDisabled?: boolean;
  readonly act: () => void;
}

function Cards({ of }: { readonly of: readonly Suggestion[] }) {
  return (
    <section className={styles.cards} aria-label={words.label}>
      {of.map(({ icon: Icon, title, note, isDisabled = false, act }) => (
        <button key={title} type="button" className={styles.suggestion} disabled={isDisabled} onClick={act}>
          <Icon size={17} className="accent-text" aria-hidden />
          <span className="grid gap-2px may-narrow">
            <strong className={styles.question}>{title}</strong>
            {note !== undefined && <small className="note">{note}</small>}
          </span>
        </button>
      ))}
    </section>
  );
}
