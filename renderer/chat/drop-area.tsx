import { FileDown } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { toast } from 'sonner';
import { useMay } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { type Attachments, useAttachments } from './attachments.ts';
import styles from './composer.module.css';

const words = text.chat.composer;

interface DropAreaProps {
  readonly className: string | undefined;
  /** A private message takes no files. */
  readonly isPrivate: boolean;
  readonly children: (attachments: Attachments, open: () => void) => ReactNode;
}

const hasFiles = ({ types }: DataTransfer) => types.includes('Files');

/** A screen that takes files: dropped anywhere on it, pasted, or chosen. */
export function DropArea({ className, isPrivate, children }: DropAreaProps) {
  const attachments = useAttachments();
  const mayAttach = useMay('beginUpload');
  const input = useRef<HTMLInputElement>(null);
  /** Elements of the screen that the drag is over: it enters one before it leaves another. */
  const [entered, setEntered] = useState(0);
  const take = (files: readonly File[]) => {
    if (!mayAttach) return;
    if (isPrivate && files.length > 0) toast(words.noPrivateFiles);
    else attachments.add(files);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button for files does the same by keyboard
    <div
      className={className}
      onDragEnter={({ dataTransfer }) => hasFiles(dataTransfer) && setEntered((count) => count + 1)}
      onDragLeave={({ dataTransfer }) =>
        hasFiles(dataTransfer) && setEntered((count) => Math.max(0, count - 1))
      }
      onDragOver={(event) => hasFiles(event.dataTransfer) && event.preventDefault()}
      onDrop={(event) => {
        setEntered(0);
        if (!hasFiles(event.dataTransfer)) return;
        event.preventDefault();
        take([...event.dataTransfer.files]);
      }}
      onPaste={(event) => {
        // Words that are copied from a document may come with a picture of them.
        if (!hasFiles(event.clipboardData) || event.clipboardData.types.includes('text/plain')) return;
        event.preventDefault();
        take([...event.clipboardData.files]);
      }}
    >
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={words.attach}
        onChange={({ target }) => {
          take([...(target.files ?? [])]);
          target.value = ''; // the same file can be chosen again
        }}
      />
      {children(attachments, () => input.current?.click())}
      {entered > 0 && (
        <div className={styles.drop}>
          <FileDown size={28} aria-hidden />
          <strong>{words.drop}</strong>
          <span className="soft text-14">{isPrivate ? words.noPrivateFiles : words.dropNote}</span>
        </div>
      )}
    </div>
  );
}
