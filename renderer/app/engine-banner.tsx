import { useEffect, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/feedback.tsx';
import { text } from '../strings/text.ts';

/** A restart of the engine takes less, in milliseconds. */
const USUAL = 10_000;

/** Shown while the engine does not answer. */
export function EngineBanner() {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), USUAL);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div role="status" style={{ padding: 'var(--space-2) var(--space-4)' }}>
      <Notice kind="warning">
        {text.app.reconnecting}
        {isLate && ` ${text.app.reconnectingLate}`}
      </Notice>
    </div>
  );
}

/** Shown while the engine refuses even the first requests: what is wrong, and a way to try again. */
export function EngineProblemBanner({
  problem,
  onRetry,
}: {
  readonly problem: string;
  readonly onRetry: () => void;
}) {
  return (
    <div style={{ padding: 'var(--space-2) var(--space-4)' }}>
      <Notice
        kind="problem"
        action={
          <Button size="small" onClick={onRetry}>
            {text.app.retry}
          </Button>
        }
      >
        {problem}
      </Notice>
    </div>
  );
}
