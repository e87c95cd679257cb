import { useEffect, useState } from 'react';
import { toast } from 'sonner';
import { text } from '../../strings/text.ts';

const SHOWN = 1_600;

/** Copies texts; true for a moment after one was copied. */
export function useCopy(): readonly [isCopied: boolean, copy: (value: string) => void] {
  const [copied, setCopied] = useState(0);
  useEffect(() => {
    if (copied === 0) return;
    const timer = setTimeout(() => setCopied(0), SHOWN);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (value: string) => {
    navigator.clipboard.writeText(value).then(
      () => setCopied((count) => count + 1),
      () => toast.error(text.chat.message.notCopied),
    );
  };
  return [copied > 0, copy];
}
