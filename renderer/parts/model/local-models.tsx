import { Check, Copy, Cpu, Download, Pause, Play, X } from 'lucide-react';
import { useEffect } from 'react';
import type { Job, LocalModel, OutputOf } from '../../../main/contract.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import { Pill } from '../../kit/choice.tsx';
import { Failed, Notice, Progress, Skeleton } from '../../kit/feedback.tsx';
import { refresh, useReply, useSend } from '../../state/connection.tsx';
import { formatBytes, text } from '../../strings/text.ts';
import { useCopy } from '../answer/copy-text.ts';
import { isOpen } from '../job/job-row.tsx';
import { countsText, joined, progressText } from '../job/job-text.ts';
import styles from './local-models.module.css';
import { ModelActions } from './model-actions.tsx';

const words = text.settings.local;

interface LocalModelsProps {
  readonly onUse: (name: string) => void;
  /** Why the model cannot be changed. */
  readonly lock?: string | undefined;
}

/** Models that this computer can run by itself: what each needs, whether it fits, and its way onto the disk. */
export function LocalModels({ onUse, lock }: LocalModelsProps) {
  const { data, error } = useReply('localModels', {});
  // What is in memory changes without an event.
  useEffect(() => refresh('localModels'), []);
  if (error !== null) return <Failed onRetry={() => refresh('localModels')}>{error.message}</Failed>;
  if (data === undefined) return <Skeleton height={260} />;
  const { runtime, machine, items } = data;
  return (
    <div className="stack gap-3">
      {!runtime.isInstalled && <MissingRuntime {...runtime} />}
      <p className="note">
        {words.machine(
          formatBytes(machine.memory),
          formatBytes(machine.freeMemory),
          formatBytes(machine.freeDisk),
        )}
      </p>
      <ul className="panel rounded-14 divided" aria-label={words.list}>
        {items.map((model) => (
          <li key={model.name}>
            <LocalModelRow
              model={model}
              lock={lock ?? (runtime.isInstalled ? undefined : words.noRuntime)}
              onUse={() => onUse(model.name)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

function MissingRuntime({ command }: OutputOf<'localModels'>['runtime']) {
  const [isCopied, copy] = useCopy();
  if (command === null) return <Notice kind="warning">{words.noRuntimeInApp}</Notice>;
  return (
    <Notice kind="warning">
      <p>{words.install}</p>
      <p className="line wrap gap-2">
        <code className="may-break">{command}</code>
        <IconButton icon={isCopied ? Check : Copy} label={words.copy} onClick={() => copy(command)} />
        <Button size="small" onClick={() => refresh('localModels')}>
          {words.look}
        </Button>
      </p>
    </Notice>
  );
}

interface RowProps {
  readonly model: LocalModel;
  readonly lock: string | undefined;
  readonly onUse: () => void;
}

function LocalModelRow({ model, lock, onUse }: RowProps) {
  const { name, isInstalled, isUsed, isLoaded, speed } = model;
  const pulls = useReply('jobs', {}).data?.items.filter((each) => each.kind === 'pull' && each.name === name);
  const job = pulls?.find((each) => isOpen(each) || (each.state === 'failed' && !isInstalled));
  return (
    <div className={styles.item}>
      <div className={styles.words}>
        <span className="line wrap gap-6px">
          <strong className="text-label medium may-break">{name}</strong>
          {isUsed && (
            <Pill kind="good" icon={Check}>
              {text.settings.search.used}
            </Pill>
          )}
          {isInstalled && !isUsed && <Pill>{text.settings.search.installed}</Pill>}
          {isLoaded && <Pill icon={Cpu}>{words.loaded}</Pill>}
          {!model.isTried && <Pill>{words.untried}</Pill>}
        </span>
        <span className="note may-break">
          {joined([words.suits(model.suits), model.languages, model.licence])}
        </span>
        <span className="note figures may-break">
          {words.needs(formatBytes(model.bytes), formatBytes(model.memoryBytes))}
        </span>
        <span className={`text-13 ${FIT_COLOURS[model.fit]}`}>{words.fit[model.fit]}</span>
        {speed !== null && (
          <span className="note figures">
            {words.speed(
              formatBytes(speed.memoryBytes),
              speed.promptTokensPerSecond,
              speed.replyTokensPerSecond,
            )}
          </span>
        )}
        {job && <Fetching job={job} />}
      </div>
      <div className="line wrap at-end gap-2">
        {!isInstalled && job === undefined && <Fetch model={model} />}
        {isInstalled && !isUsed && (
          <Button
            size="small"
            aria-label={text.settings.search.namedUse(name)}
            disabled={lock !== undefined || model.fit === 'memory'}
            title={lock}
            onClick={onUse}
          >
            {text.settings.search.use}
          </Button>
        )}
        {isInstalled && <ModelActions name={name} isUsed={isUsed} />}
      </div>
    </div>
  );
}

const FIT_COLOURS: Readonly<Record<LocalModel['fit'], string>> = {
  fits: 'accent-text',
  'now-tight': 'warning',
  memory: 'danger',
  disk: 'danger',
};

function Fetch({ model: { name, bytes, fit } }: { readonly model: LocalModel }) {
  const pull = useSend('startPull', ['jobs']);
  return (
    <>
      <Button
        size="small"
        icon={Download}
        aria-label={text.settings.search.downloadOf(name, formatBytes(bytes))}
        disabled={pull.isPending || fit === 'memory' || fit === 'disk'}
        onClick={() => pull.mutate({ job: crypto.randomUUID(), name })}
      >
        {text.settings.search.download}
      </Button>
      {pull.error && (
        <span className="danger text-13 may-break" role="alert">
          {pull.error.message}
        </span>
      )}
    </>
  );
}

/** A download: how far it is, and its pause, continuation and end; what was fetched is kept. */
function Fetching({ job }: { readonly job: Job }) {
  const control = useSend('controlJob', ['jobs']);
  const { pause, resume, cancel, retry, dismiss, label, named } = text.imports.jobs;
  const act = (action: 'pause' | 'resume' | 'cancel' | 'dismiss') => control.mutate({ job: job.id, action });
  const isStopped = job.state === 'paused' || job.state === 'failed';
  const further = job.state === 'failed' ? retry : isStopped ? resume : pause;
  return (
    <span className="stack gap-5px">
      <span className="line gap-2">
        <span className="fills">
          <Progress share={job.share} label={label(job.name)} />
        </span>
        <IconButton
          icon={isStopped ? Play : Pause}
          label={named(further, job.name)}
          onClick={() => act(isStopped ? 'resume' : 'pause')}
        />
        <IconButton
          icon={X}
          label={named(job.state === 'failed' ? dismiss : cancel, job.name)}
          onClick={() => act(job.state === 'failed' ? 'dismiss' : 'cancel')}
        />
      </span>
      <span className="note figures may-break">{joined([progressText(job), countsText(job)])}</span>
      {(job.problem ?? control.error) && (
        <span className="danger text-13 may-break" role="alert">
          {job.problem ?? control.error?.message}
        </span>
      )}
    </span>
  );
}
