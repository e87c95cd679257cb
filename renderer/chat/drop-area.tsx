import { FileDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { useDropzone } from 'react-dropzone';
import { toast } from 'sonner';
import { text } from '../strings/text.ts';
import { type Attachments, READABLE, useAttachments } from './attachments.ts';
import styles from './composer.module.css';

const words = text.chat.composer;

interface DropAreaProps {
  readonly className: string | undefined;
  /** A private message takes no files. */
  readonly isPrivate: boolean;
  readonly children: (attachments: Attachments, open: () => void) => ReactNode;
}

/** A screen that takes files: dropped anywhere on it, pasted, or chosen. */
export function DropArea({ className, isPrivate, children }: DropAreaProps) {
  const attachments = useAttachments();
  const { getRootProps, getInputProps, isDragActive, open } = useDropzone({
    accept: READABLE,
    noClick: true,
    noKeyboard: true,
    useFsAccessApi: false,
    onDrop: (taken, refused) => {
      const files = [...taken, ...refused.map(({ file }) => file)];
      if (isPrivate && files.length > 0) toast(words.noPrivateFiles);
      else attachments.add(files);
    },
  });
  return (
    <div {...getRootProps({ role: undefined, tabIndex: undefined })} className={className}>
      <input {...getInputProps({ 'aria-label': words.attach })} />
      {children(attachments, open)}
      {isDragActive && (
        <div className={styles.drop}>
          <FileDown size={28} aria-hidden />
          <strong>{words.drop}</strong>
          <span className="soft text-14">{isPrivate ? words.noPrivateFiles : words.dropNote}</span>
        </div>
      )}
    </div>
  );
}
