import { Check, EyeOff, Lock } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Message } from '../../main/contract.ts';
import { useReply } from '../state/connection.tsx';
import { useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import styles from './message.module.css';
import { Action } from './message-actions.tsx';
import { rememberedWords } from './remembered-words.ts';
import { useThread } from './thread-context.ts';

const labels = text.chat.remembered;

/** What became of an exchange in memory. */
export function RememberedChip({ message }: { readonly message: Message }) {
  const decision = message.remembered?.decision;
  if (message.isPrivate || decision === 'private')
    return (
      <span className={`${styles.chip} private`} title={text.chat.message.privateTitle}>
        <Lock size={13} aria-hidden />
        {labels.private}
      </span>
    );
  if (decision === 'declined')
    return (
      <span className={styles.chip}>
        <EyeOff size={13} aria-hidden />
        {labels.declined}
      </span>
    );
  if (decision !== 'remembered' || message.remembered === null) return null;
  return <LearnedChip id={message.id} turns={message.remembered.turns} />;
}

/** While memory takes an exchange in. */
export function RememberingChip() {
  return (
    <span className={styles.chip} role="status">
      <span className={styles.dot} aria-hidden />
      {labels.pending}
    </span>
  );
}

/** Most turns of one request. */
const MOST = 100;
/** Milliseconds in view before memory is asked, so that scrolling past asks nothing. */
const REST = 250;

function LearnedChip({ id, turns }: { readonly id: string; readonly turns: readonly string[] }) {
  const { scope } = useThread();
  const isResting = useResting();
  const { data } = useReply(
    'learned',
    { scope, episodes: turns.slice(0, MOST) },
    { isOff: !isResting || turns.length === 0 },
  );
  if (turns.length === 0) return null;
  const isReading = data !== undefined && data.pending > 0;
  const words = rememberedWords(data);
  const open = () => useUi.getState().set({ inspected: { kind: 'learned', scope, message: id, turns } });
  if (words === null)
    return (
      <span className={styles.chip}>
        <EyeOff size={13} aria-hidden />
        {labels.forgotten}
      </span>
    );
  // Beside the other actions, as there is nothing to announce.
  if (words.isQuiet)
    return (
      <div className={styles.actions} data-actions>
        <Action icon={Check} label={words.label} title={words.title} onClick={open} />
      </div>
    );
  return (
    <button type="button" className={`${styles.chip} ${styles.learned}`} title={words.title} onClick={open}>
      {isReading ? <span className={styles.dot} aria-hidden /> : <Check size={13} aria-hidden />}
      {words.label}
    </button>
  );
}

function useResting(): boolean {
  const [isResting, setResting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setResting(true), REST);
    return () => clearTimeout(timer);
  }, []);
  return isResting;
}
