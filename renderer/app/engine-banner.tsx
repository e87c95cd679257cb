import { Notice } from '../kit/feedback.tsx';
import { text } from '../strings/text.ts';

/** Shown while the engine does not answer. */
export function EngineBanner() {
  return (
    <div role="status" style={{ padding: 'var(--space-2) var(--space-4)' }}>
      <Notice kind="warning">{text.app.reconnecting}</Notice>
    </div>
  );
}
