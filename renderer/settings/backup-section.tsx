import { DatabaseBackup, RotateCcw, ShieldCheck, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { BackupEntry, Job, OutputOf } from '../../main/contract.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Pill } from '../kit/choice.tsx';
import { ConfirmDialog } from '../kit/dialog.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { Block, Group, Row } from '../kit/group.tsx';
import { isOpen, JobRow } from '../parts/job/job-row.tsx';
import { useClient, useReply, useSend } from '../state/connection.tsx';
import { formatBytes, formatDateTime, text } from '../strings/text.ts';
import { ExportGroup } from './export-group.tsx';
import { Findings, MemoryCheck, useStoppable, Verdict } from './memory-check.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { BackupRow } from './rows.tsx';
import { SectionHead } from './section-head.tsx';
import styles from './settings.module.css';
import { usePreference } from './use-settings.ts';

const words = text.backup;

const KINDS: readonly Job['kind'][] = ['backup', 'restore', 'archive'];

/** Copies of the memory: made, verified, restored; exports; and the check of the memory itself. */
export function BackupSection() {
  return (
    <>
      <SectionHead title={text.settings.sections.backup} lead={words.lead} />
      <Make />
      <List />
      <Schedule />
      <MemoryCheck />
      <ExportGroup />
      <Group title={words.retention}>
        <Block>
          <p className="note may-break">
            {words.retentionText} <a href="#/settings/memory">{words.retentionLink}</a>
          </p>
        </Block>
      </Group>
    </>
  );
}

function Make() {
  const start = useSend('startBackup', ['jobs']);
  const folder = useReply('backups', {}).data?.folder;
  const jobs = useReply('jobs', {}).data?.items ?? [];
  const shown = jobs.filter((job) => KINDS.includes(job.kind) && (isOpen(job) || !isPlain(job)));
  return (
    <Group>
      <Row
        label={words.now}
        hint={folder === undefined ? '' : words.nowHint(folder)}
        problem={start.error?.message}
      >
        {(props) => (
          <Button
            {...props}
            kind="primary"
            icon={DatabaseBackup}
            disabled={start.isPending || jobs.some((job) => job.kind === 'backup' && isOpen(job))}
            onClick={() => start.mutate({ job: crypto.randomUUID() })}
          >
            {words.now}
          </Button>
        )}
      </Row>
      {shown.map((job) => (
        <Block key={job.id}>
          <JobRow job={job} />
        </Block>
      ))}
    </Group>
  );
}

/** A job without a row of its own: the list of backups shows the result. */
const isPlain = ({ kind, state }: Job): boolean =>
  kind === 'backup' && (state === 'done' || state === 'cancelled');

function List() {
  const { data, error } = useReply('backups', {});
  return (
    <Group title={words.listed} lead={words.listedLead}>
      {error && <Notice kind="problem">{error.message}</Notice>}
      {data === undefined && !error && <Skeleton height={62} />}
      {data?.items.length === 0 && (
        <Block>
          <p className="note may-break">{words.none}</p>
        </Block>
      )}
      {data?.items.map((backup) => (
        <Backup key={backup.name} backup={backup} />
      ))}
    </Group>
  );
}

function Backup({ backup }: { readonly backup: BackupEntry }) {
  const { name, createdAt, bytes, scopes, isAutomatic, problem } = backup;
  const client = useClient();
  const [asks, setAsks] = useState<'delete' | 'restore' | null>(null);
  const check = useStoppable<OutputOf<'verifyBackup'>>((signal) => client.verifyBackup({ name }, { signal }));
  const remove = useSend('deleteBackup', ['backups']);
  const when = formatDateTime(Date.parse(createdAt));
  return (
    <article className={styles.item} aria-label={words.of(words.listed, when)}>
      <div className={styles.words}>
        <span className="line wrap gap-6px">
          <strong className="text-label medium may-break" title={name}>
            {when}
          </strong>
          {isAutomatic && <Pill>{words.automatic}</Pill>}
          {problem !== null && <Pill kind="bad">{words.unreadable}</Pill>}
        </span>
        <span className="note may-break">
          {problem ?? `${formatBytes(bytes)} · ${words.scopes(scopes.length)}`}
        </span>
        {check.isRunning && <span role="status">{words.verifying}</span>}
        {check.problem !== undefined && (
          <span className="danger text-13 may-break" role="alert">
            {check.problem}
          </span>
        )}
        {check.reply !== undefined && <Verified report={check.reply} />}
      </div>
      <div className="line wrap at-end gap-2">
        {check.isRunning ? (
          <Button size="small" onClick={check.stop}>
            {words.cancel}
          </Button>
        ) : (
          <IconButton icon={ShieldCheck} label={words.of(words.verify, when)} onClick={check.start} />
        )}
        <IconButton
          icon={RotateCcw}
          label={words.of(words.restore, when)}
          disabled={problem !== null}
          onClick={() => setAsks('restore')}
        />
        <IconButton icon={Trash2} label={words.of(words.delete, when)} onClick={() => setAsks('delete')} />
      </div>
      {asks === 'restore' && <RestoreDialog backup={backup} onClose={() => setAsks(null)} />}
      {asks === 'delete' && (
        <ConfirmDialog
          onClose={() => setAsks(null)}
          title={words.deleteTitle(when)}
          description={words.deleteText}
          confirm={words.delete}
          isDanger
          isDisabled={remove.isPending}
          onConfirm={() => remove.mutate({ name })}
        >
          {remove.error && <Notice kind="problem">{remove.error.message}</Notice>}
        </ConfirmDialog>
      )}
    </article>
  );
}

function Verified({ report: { isWhole, files, findings } }: { readonly report: OutputOf<'verifyBackup'> }) {
  return (
    <div className="stack gap-3">
      <Verdict isGood={isWhole}>{isWhole ? words.whole(files) : words.damaged}</Verdict>
      <Findings findings={findings} />
    </div>
  );
}

function Schedule() {
  const isOn = (usePreference('backups').value?.every ?? 'off') !== 'off';
  return (
    <Group title={words.schedule} lead={words.scheduleLead}>
      <BackupRow name="every" />
      {isOn && <BackupRow name="keep" />}
      <BackupRow name="folder" />
    </Group>
  );
}
