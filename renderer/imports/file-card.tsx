import { FileText, X } from 'lucide-react';
import { IconButton } from '../kit/button.tsx';
import { Notice, Progress } from '../kit/feedback.tsx';
import { useClient } from '../state/connection.tsx';
import { formatBytes, text } from '../strings/text.ts';
import styles from './imports.module.css';
import { PreviewCard } from './preview-card.tsx';
import { type PendingFile, useUploads } from './upload-store.ts';

/** A chosen file: while it is sent its progress, then what is in it. */
export function FileCard({ file }: { readonly file: PendingFile }) {
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
