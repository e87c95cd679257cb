import { FileUp } from 'lucide-react';
import { useCallback } from 'react';
import { useDropzone } from 'react-dropzone';
import { toast } from 'sonner';
import { useClient } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './imports.module.css';
import { useUploads } from './upload-store.ts';

/** Takes files that are dropped, chosen or pasted from the keyboard's file dialog. */
export function DropArea({ isSmall }: { readonly isSmall: boolean }) {
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
