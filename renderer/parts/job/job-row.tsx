import {
  ArrowRightLeft,
  CircleCheck,
  CirclePause,
  CircleSlash,
  CircleX,
  DatabaseBackup,
  Download,
  FileUp,
  type LucideIcon,
  Pause,
  Play,
  RotateCcw,
  Square,
  Upload,
  X,
} from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { InputOf, Job } from '../../../main/contract.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Notice, Progress } from '../../kit/feedback.tsx';
import { useReply, useSend } from '../../state/connection.tsx';
import { formatWhen, text } from '../../strings/text.ts';
import { placeOfProject } from '../conversation/conversation-place.ts';
import { placePart } from '../place/place-part.ts';
import styles from './job-row.module.css';
import { countsText, joined, progressText } from './job-text.ts';

type Action = InputOf<'controlJob'>['action'];

const KIND_ICONS: Readonly<Record<Job['kind'], LucideIcon>> = {
  import: Upload,
  pull: Download,
  move: ArrowRightLeft,
  backup: DatabaseBackup,
  restore: RotateCcw,
  archive: FileUp,
};
const STATE_ICONS: Readonly<Partial<Record<Job['state'], LucideIcon>>> = {
  done: CircleCheck,
  paused: CirclePause,
  failed: CircleX,
  cancelled: CircleSlash,
};

export const isOpen = ({ state }: Job): boolean => !['done', 'failed', 'cancelled'].includes(state);

interface JobButton {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly onClick: () => void;
}

/** A job: what it does, how far it is, and what can be done about it. */
export function JobRow({ job }: { readonly job: Job }) {
  const [isCancelling, setCancelling] = useState(false);
  const control = useSend('controlJob', ['jobs']);
  const words = text.imports.jobs;
  const act = (action: Action) => control.mutate({ job: job.id, action });
  const Icon = STATE_ICONS[job.state] ?? KIND_ICONS[job.kind];
  const resume = { icon: Play, onClick: () => act('resume') };
  const first: Readonly<Partial<Record<Job['state'], JobButton>>> = {
    running: { icon: Pause, label: words.pause, onClick: () => act('pause') },
    waiting: { icon: Pause, label: words.pause, onClick: () => act('pause') },
    paused: { ...resume, label: words.resume },
    failed: { ...resume, label: words.retry },
  };
  const buttons = [
    ...[first[job.state] ?? []].flat(),
    isOpen(job)
      ? { icon: Square, label: words.cancel, onClick: () => setCancelling(true) }
      : { icon: X, label: words.dismiss, onClick: () => act('dismiss') },
  ];
  const project = useProjectName(job.scope);
  const jobs = useReply('jobs', {}, { isOff: job.waitsFor === null }).data?.items;
  const before = jobs?.find(({ id }) => id === job.waitsFor)?.name;
  const about = joined([
    words.kinds[job.kind],
    project === null ? '' : words.into(project),
    job.endedAt === null ? '' : formatWhen(job.endedAt),
  ]);
  return (
    <article className={styles.job} aria-label={job.name} data-state={job.state}>
      <Icon className={styles.jobIcon} size={18} aria-hidden />
      <div className={styles.jobBody}>
        <div className="flex at-top gap-2">
          <div className="stack fills">
            <h3 className="ellipsis" title={job.name}>
              {job.name}
            </h3>
            <span className="note may-break">{about}</span>
          </div>
          <div className={`flex keeps-size ${styles.jobButtons}`}>
            {buttons.map(({ icon, label, onClick }) => (
              <IconButton key={label} icon={icon} label={words.named(label, job.name)} onClick={onClick} />
            ))}
          </div>
        </div>
        {isOpen(job) && <Progress share={job.share} label={words.label(job.name)} />}
        <p className="flow note apart figures">
          <strong className="soft medium">{progressText(job, before)}</strong>
          <span>{countsText(job)}</span>
        </p>
        {job.problem !== null && job.state === 'failed' && <Notice kind="problem">{job.problem}</Notice>}
        {job.problem !== null && job.state === 'cancelled' && <p className="soft text-14">{job.problem}</p>}
        {control.error && <Notice kind="problem">{control.error.message}</Notice>}
        {job.kind === 'import' && job.state === 'done' && <Links scope={job.scope} />}
      </div>
      {isCancelling && (
        <Dialog
          isOpen
          onClose={() => setCancelling(false)}
          title={words.cancelling.title(job.name)}
          description={words.cancelling[job.kind]}
          actions={
            <>
              <Button onClick={() => setCancelling(false)}>{words.cancelling.keep}</Button>
              <Button
                kind="danger"
                onClick={() => {
                  act('cancel');
                  setCancelling(false);
                }}
              >
                {words.cancelling.confirm}
              </Button>
            </>
          }
        />
      )}
    </article>
  );
}

function useProjectName(scope: string | null): string | null {
  const folders = useReply('folders', {}).data?.items;
  return folders?.find((folder) => folder.scope === scope)?.name ?? null;
}

/** What a person does next. */
function Links({ scope }: { readonly scope: string | null }) {
  const [, navigate] = useLocation();
  const folder = useReply('folders', {}).data?.items.find((each) => each.scope === scope) ?? null;
  const ask = () => {
    navigate(folder === null ? '/' : placeOfProject(folder.id));
  };
  const place = folder === null ? '/memory' : `/memory/${placePart(folder.scope)}`;
  return (
    <div className="flow gap-2">
      <Button size="small" onClick={() => navigate(place)}>
        {text.imports.jobs.learned}
      </Button>
      <Button size="small" kind="quiet" onClick={ask}>
        {text.imports.jobs.ask}
      </Button>
    </div>
  );
}
