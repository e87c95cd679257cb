import { useEffect, useRef, useState } from 'react';
import type { ShownMessage } from '../state/message-tree.ts';
import { text } from '../strings/text.ts';

/** As much of an answer as is read out; the rest is in the page. */
const LONGEST = 400;

/** Reads a finished answer to those who do not see it; the pieces before are silent. */
export function Announcer({ rows }: { readonly rows: readonly ShownMessage[] }) {
  const [words, setWords] = useState('');
  const writing = useRef<string | null>(null);
  const last = rows.at(-1)?.message;
  useEffect(() => {
    if (last?.role !== 'assistant') return;
    if (last.state === 'streaming') {
      writing.current = last.parent;
      setWords('');
    } else if (writing.current !== null && writing.current === last.parent) {
      writing.current = null;
      setWords(
        last.state === 'failed'
          ? text.chat.thread.failed
          : text.chat.thread.finished(last.text.slice(0, LONGEST)),
      );
    }
  }, [last]);
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {words}
    </p>
  );
}
