import { CornerDownRight, Sparkles } from 'lucide-react';
import { useState } from 'react';
import { Notice } from '../kit/feedback.tsx';
import { placeOfMessage } from '../parts/conversation/conversation-place.ts';
import { useClient, useSend } from '../state/connection.tsx';
import { mannerFor } from '../state/manner.ts';
import { sendMessage } from '../state/running-chats.ts';
import { messageOf, text } from '../strings/text.ts';
import styles from './welcome.module.css';

const SHOWN = 3;

/** A memory to play with: made on request, then questions that show what it can do. */
export function SampleMemory({ onLeave }: { readonly onLeave: (place: string) => void }) {
  const words = text.welcome.sample;
  const client = useClient();
  const sample = useSend('sample');
  const [problem, setProblem] = useState<string | null>(null);
  const { data } = sample;
  const ask = async (question: string) => {
    if (data === undefined) return;
    const conversation = crypto.randomUUID();
    try {
      await client.saveConversation({ conversation, scope: data.scope });
      sendMessage(client, { conversation, text: question, parent: null }, mannerFor(false));
      onLeave(placeOfMessage(conversation));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const refusal = problem ?? sample.error?.message ?? null;
  return (
    <section className="stack gap-3" aria-live="polite">
      {data === undefined ? (
        <button
          type="button"
          className={styles.offer}
          disabled={sample.isPending}
          onClick={() => sample.mutate({})}
        >
          <Sparkles size={18} className="soft" aria-hidden />
          <span className="stack">
            <strong className="text-14 medium">{sample.isPending ? words.loading : words.button}</strong>
            <span className="note">{words.note}</span>
          </span>
        </button>
      ) : (
        <>
          <p className="soft text-label text-centre">{words.ready(data.turns)}</p>
          <ul className="grid gap-2">
            {data.questions.slice(0, SHOWN).map((question) => (
              <li key={question}>
                <button type="button" className={styles.question} onClick={() => void ask(question)}>
                  <CornerDownRight size={16} className="accent-text" aria-hidden />
                  {question}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {refusal !== null && <Notice kind="problem">{refusal}</Notice>}
    </section>
  );
}
