import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/feedback.tsx';
import { useMay, useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './tool-calls.module.css';

const labels = text.tools.trouble;

/** Servers of tools that a chat goes on without, each with a sentence. */
export function ToolTroubles() {
  const { data } = useReply('toolServers', {}, { isOff: !useMay('toolServers') });
  const again = useSend('startToolServer', ['toolServers']);
  const turn = useSend('switchToolServer', ['toolServers']);
  const failed = (data?.servers ?? []).filter(({ problem }) => problem !== null);
  if (failed.length === 0) return null;
  return (
    <section className={styles.troubles} aria-label={labels.label}>
      {failed.map(({ name, problem }) => (
        <Notice
          key={name}
          kind="warning"
          action={
            <div className="flow at-end gap-2">
              <Button size="small" disabled={again.isPending} onClick={() => again.mutate({ name })}>
                {text.app.retry}
              </Button>
              <Button size="small" kind="quiet" onClick={() => turn.mutate({ name, isOn: false })}>
                {labels.off}
              </Button>
            </div>
          }
        >
          <span className="may-break">
            {problem} {labels.note}
          </span>
        </Notice>
      ))}
    </section>
  );
}
