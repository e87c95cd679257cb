import { CircleCheck, TriangleAlert } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react';
import type { OutputOf } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Block, Group, Row } from '../kit/group.tsx';
import { useClient } from '../state/connection.tsx';
import { messageOf, text } from '../strings/text.ts';

const words = text.backup;

/** A long call that can be stopped: it ends with its component, too. */
export function useStoppable<Reply>(call: (signal: AbortSignal) => Promise<Reply>) {
  const [state, setState] = useState<{ readonly reply?: Reply; readonly problem?: string }>({});
  const [isRunning, setRunning] = useState(false);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const start = async () => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    setState({});
    setRunning(true);
    try {
      const reply = await call(signal);
      if (!signal.aborted) setState({ reply });
    } catch (error) {
      if (!signal.aborted) setState({ problem: messageOf(error) });
    }
    setRunning(false);
  };
  return { ...state, isRunning, start: () => void start(), stop: () => controller.current?.abort() };
}

interface RunButtonProps extends ComponentProps<typeof Button> {
  readonly run: Pick<ReturnType<typeof useStoppable>, 'isRunning' | 'start' | 'stop'>;
}

/** Starts a long call; while it runs, stops it. */
export function RunButton({ run, ...start }: RunButtonProps) {
  const { icon: _, disabled: __, ...rest } = start;
  if (!run.isRunning) return <Button onClick={run.start} {...start} />;
  return (
    <Button {...rest} onClick={run.stop}>
      {words.cancel}
    </Button>
  );
}

type Check = OutputOf<'verify'>;

/** Checks the memory, and says in words what was found. */
export function MemoryCheck() {
  const client = useClient();
  const check = useStoppable<Check>((signal) => client.verify({}, { signal }));
  return (
    <Group>
      <Row
        label={words.check}
        hint={check.isRunning ? words.checking : words.checkHint}
        problem={check.problem}
      >
        {(props) => (
          <RunButton {...props} run={check}>
            {words.check}
          </RunButton>
        )}
      </Row>
      {check.reply !== undefined && (
        <Block>
          <Result report={check.reply} />
        </Block>
      )}
    </Group>
  );
}

function Result({ report: { sound, findings, scopes } }: { readonly report: Check }) {
  const rows = scopes.reduce((sum, scope) => sum + scope.rows, 0);
  if (findings.length === 0) return <Verdict isGood>{words.sound(rows, scopes.length)}</Verdict>;
  return (
    <div className="stack gap-3" role="status">
      <Verdict isGood={sound}>{sound ? words.soundUnfinished : words.notSound}</Verdict>
      <Findings findings={findings} />
    </div>
  );
}

interface VerdictProps {
  readonly isGood?: boolean;
  readonly children: ReactNode;
}

export function Verdict({ isGood = false, children }: VerdictProps) {
  return (
    <p
      className={`flex gap-7px text-13 may-break icon-first ${isGood ? 'accent-text' : 'warning'}`}
      role="status"
    >
      {isGood ? <CircleCheck size={16} aria-hidden /> : <TriangleAlert size={16} aria-hidden />}
      <span>{children}</span>
    </p>
  );
}

interface FindingsProps {
  readonly findings: readonly {
    readonly scope: string | null;
    readonly what: string;
    readonly advice: string;
  }[];
}

/** What is wrong, and what to do about each. */
export function Findings({ findings }: FindingsProps) {
  return findings.map(({ scope, what, advice }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: findings have no ids, and the list does not change
    <Notice key={index} kind="warning">
      <p>{scope === null ? what : words.inScope(scope, what)}</p>
      <p className="note may-break">{advice}</p>
    </Notice>
  ));
}
