import { FileText, FileUp, X } from 'lucide-react';
import { useCallback, useEffect } from 'react';
import { useDropzone } from 'react-dropzone';
import { toast } from 'sonner';
import { useLocation } from 'wouter';
import { Button, IconButton } from '../kit/button.tsx';
import { Disclosure } from '../kit/choice.tsx';
import { Notice, Progress } from '../kit/feedback.tsx';
import { Page } from '../kit/page.tsx';
import { JobRow } from '../parts/job/job-row.tsx';
import { useClient, useReply } from '../state/connection.tsx';
import { formatBytes, text } from '../strings/text.ts';
import styles from './imports.module.css';
import { jobsInOrder } from './job-order.ts';
import { readOpenedFiles } from './opened-files.ts';
import { PreviewCard } from './preview-card.tsx';
import { type PendingFile, useUploads } from './upload-store.ts';

interface ImportScreenProps {
  /** Ids of files that the system had the app open. */
  readonly opened?: string | undefined;
}

/** Brings files into memory: choose, look, import; and the jobs that do it. */
export function ImportScreen({ opened }: ImportScreenProps) {
  useOpenedFiles(opened);
  const files = useUploads((state) => state.files);
  const wantAll = useUploads((state) => state.wantAll);
  return (
    <Page title={text.imports.title} lead={text.imports.lead}>
      <div className="stack gap-5">
        <DropArea isSmall={files.length > 0} />
        {files.length > 0 && (
          <section className="grid gap-4" aria-label={text.imports.files}>
            {files.length > 1 && (
              <div className="line wrap apart gap-3">
                <span className="soft text-14">{text.imports.allNote(files.length)}</span>
                <Button kind="primary" disabled={files.every(({ isWanted }) => isWanted)} onClick={wantAll}>
                  {text.imports.startAll(files.length)}
                </Button>
              </div>
            )}
            {files.map((file) => (
              <FileCard key={file.id} file={file} />
            ))}
          </section>
        )}
        {files.length === 0 && <ExportGuide />}
        <JobList />
      </div>
    </Page>
  );
}

/** Takes opened files as chosen ones, once: their ids leave the address. */
function useOpenedFiles(ids: string | undefined): void {
  const client = useClient();
  const add = useUploads((state) => state.add);
  const [, setPlace] = useLocation();
  useEffect(() => {
    if (ids === undefined) return;
    setPlace('/import', { replace: true });
    readOpenedFiles(ids).then(
      (files) => add(client, files),
      () => toast.error(text.imports.notOpened),
    );
  }, [ids, client, add, setPlace]);
}

/** Takes files that are dropped, chosen or pasted from the keyboard's file dialog. */
function DropArea({ isSmall }: { readonly isSmall: boolean }) {
  const client = useClient();
  const add = useUploads((state) => state.add);
  const onDrop = useCallback(
    (files: File[]) => {
      const empty = files.find((file) => file.size === 0);
      if (empty) toast.error(text.imports.refused(empty.name));
      add(
        client,
        files.filter((file) => file.size > 0),
      );
    },
    [add, client],
  );
  const { getRootProps, getInputProps, isDragActive } = useDropzone({ onDrop, noKeyboard: true });
  return (
    <div
      {...getRootProps({
        className: `${styles.drop} ${isSmall ? styles.small : ''} ${isDragActive ? styles.over : ''}`,
      })}
    >
      <input {...getInputProps({ 'aria-label': text.imports.drop })} />
      <span className={styles.dropIcon}>
        <FileUp size={isSmall ? 18 : 24} aria-hidden />
      </span>
      {/* Its click reaches the area, which opens the choice of files. */}
      <button type="button" className="strong">
        {isDragActive ? text.imports.dropNow : text.imports.drop}
      </button>
      {!isSmall && <span className="soft text-14">{text.imports.dropNote}</span>}
    </div>
  );
}

/** A chosen file: while it is sent its progress, then what is in it. */
function FileCard({ file }: { readonly file: PendingFile }) {
  const client = useClient();
  const remove = useUploads((state) => state.remove);
  const words = text.imports.upload;
  const isSending = file.upload === null && file.problem === null;
  return (
    <article className={styles.card} aria-label={file.name}>
      <header className="line gap-3">
        <span className={styles.fileIcon}>
          <FileText size={18} aria-hidden />
        </span>
        <div className="stack fills">
          <h2 className="ellipsis text-label" title={file.name}>
            {file.name}
          </h2>
          <span className="note may-break">
            {formatBytes(file.bytes)}
            {isSending && ` · ${words.sending(file.share)}`}
          </span>
        </div>
        <IconButton
          icon={X}
          label={isSending ? words.cancel(file.name) : words.remove(file.name)}
          onClick={() => remove(client, file.id)}
        />
      </header>
      {isSending && <Progress share={file.share} label={words.label(file.name)} />}
      {file.problem !== null && (
        <Notice kind="problem">
          <strong>{words.failed}</strong> {file.problem}
        </Notice>
      )}
      {file.upload !== null && <PreviewCard file={file.id} upload={file.upload} isWanted={file.isWanted} />}
    </article>
  );
}

/** Where to find the exports of other apps. */
function ExportGuide() {
  const formats = useReply('importFormats', {}).data?.items ?? [];
  const { guide } = text.imports;
  return (
    <Disclosure title={guide.title}>
      <div className={styles.guide}>
        {Object.entries(guide.formats).map(([format, { name, steps }]) => (
          <section key={format} className="stack gap-1">
            <h3>{name}</h3>
            <ol className={styles.steps}>
              {steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </section>
        ))}
      </div>
      {formats.length > 0 && (
        <Disclosure title={guide.also}>
          <dl className={styles.formats}>
            {formats.map(({ name, description }) => (
              <div key={name}>
                <dt className="medium">{name}</dt>
                <dd className="soft">{description}</dd>
              </div>
            ))}
          </dl>
        </Disclosure>
      )}
    </Disclosure>
  );
}

/** Long work: what runs, then what waits or is paused, then what has ended. */
function JobList() {
  const jobs = useReply('jobs', {}).data?.items;
  const words = text.imports.jobs;
  if (jobs === undefined) return null;
  return (
    <section className={styles.jobs} aria-labelledby="jobs-title">
      <div>
        <h2 id="jobs-title" className="text-16">
          {words.title}
        </h2>
        <p className="note may-break">{jobs.length === 0 ? words.empty : words.lead}</p>
      </div>
      {jobs.length > 0 && (
        <ul className="panel rounded-14 divided">
          {jobsInOrder(jobs).map((job) => (
            <li key={job.id}>
              <JobRow job={job} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
