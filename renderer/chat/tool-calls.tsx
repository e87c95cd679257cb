import { Wrench } from 'lucide-react';
import type { InputOf, ToolCall } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/feedback.tsx';
import { useMay, useSend } from '../state/connection.tsx';
import { formatSpent, text } from '../strings/text.ts';
import styles from './tool-calls.module.css';

const labels = text.tools.call;

interface ToolCallsProps {
  readonly calls: readonly ToolCall[];
  readonly isPrivate: boolean;
}

/** The calls of tools of an answer, folded; one that waits asks for permission. */
export function ToolCalls({ calls, isPrivate }: ToolCallsProps) {
  const mayPermit = useMay('permitTool');
  return (
    <section className={styles.calls} aria-label={labels.label}>
      {calls.map((call) =>
        call.state === 'waiting' && mayPermit ? (
          <Permission key={call.id} call={call} isPrivate={isPrivate} />
        ) : (
          <Call key={call.id} call={call} />
        ),
      )}
    </section>
  );
}

const serverOf = ({ server }: ToolCall) => server ?? labels.memory;

function Call({ call }: { readonly call: ToolCall }) {
  const { tool, state, result, milliseconds } = call;
  const facts = [labels.states[state], milliseconds === null ? '' : formatSpent(milliseconds)];
  return (
    <details className={styles.call}>
      <summary className={styles.summary}>
        <Wrench size={14} aria-hidden />
        <span className="one-line ellipsis">{labels.name(serverOf(call), tool)}</span>
        <span className="faint one-line">{facts.filter((fact) => fact !== '').join(' · ')}</span>
      </summary>
      <div className={styles.parts}>
        <Arguments call={call} />
        {result !== null && result !== '' && (
          <div className="stack gap-1">
            <span className="caption">{labels.result}</span>
            <pre className={styles.text}>{result}</pre>
          </div>
        )}
      </div>
    </details>
  );
}

function Arguments({ call }: { readonly call: ToolCall }) {
  const isEmpty = call.arguments === '{}';
  return (
    <div className="stack gap-1">
      <span className="caption">{labels.arguments}</span>
      {isEmpty ? (
        <span className="note">{labels.noArguments}</span>
      ) : (
        <pre className={styles.text}>{call.arguments}</pre>
      )}
    </div>
  );
}

function Permission({ call, isPrivate }: { readonly call: ToolCall; readonly isPrivate: boolean }) {
  const permit = useSend('permitTool', ['conversation']);
  const title = labels.ask(serverOf(call), call.tool);
  const choose = (decision: InputOf<'permitTool'>['decision']) => permit.mutate({ call: call.id, decision });
  const choice = { size: 'small', disabled: permit.isPending || permit.isSuccess } as const;
  return (
    <section className={styles.permission} aria-label={title}>
      <div className="flex gap-3 icon-first">
        <Wrench size={17} className="accent-text" aria-hidden />
        <div role="status">
          <strong className="may-break">{title}</strong>
          <p className="soft">{labels.askNote}</p>
        </div>
      </div>
      <Arguments call={call} />
      <div className="flow at-end gap-2">
        <Button {...choice} kind="quiet" onClick={() => choose('no')}>
          {labels.no}
        </Button>
        {!isPrivate && (
          <Button {...choice} kind="quiet" onClick={() => choose('always')}>
            {labels.always}
          </Button>
        )}
        <Button {...choice} onClick={() => choose('chat')}>
          {labels.chat}
        </Button>
        <Button {...choice} kind="primary" onClick={() => choose('once')}>
          {labels.once}
        </Button>
      </div>
      {permit.error && <Notice kind="problem">{permit.error.message}</Notice>}
    </section>
  );
}
