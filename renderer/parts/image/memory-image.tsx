import { useState } from 'react';
import { useReply } from '../../state/connection.tsx';
import { text } from '../../strings/text.ts';
import styles from './memory-image.module.css';

interface MemoryImageProps {
  readonly scope: string;
  /** Its id. */
  readonly image: string;
  /** What it shows. */
  readonly caption: string;
  /** `small` stands beside a line and does nothing; the others fill their place, and a click makes them larger. */
  readonly size?: 'small' | 'large';
}

/** An image that was sent with a message, as long as memory has its turn. */
export function MemoryImage({ scope, image, caption, size = 'large' }: MemoryImageProps) {
  const [isWhole, setWhole] = useState(false);
  const { data } = useReply('image', { scope, image }, { isOff: scope === '' });
  if (data === undefined) return <span className={styles[size]} aria-hidden />;
  if (data.image === null)
    return size === 'small' ? null : <span className="note italic">{text.app.imageGone}</span>;
  const picture = (
    <img
      className={`${styles[size]} ${isWhole ? styles.whole : ''}`}
      src={`data:${data.image.type};base64,${data.image.data}`}
      alt={caption}
    />
  );
  if (size === 'small') return picture;
  return (
    <button
      type="button"
      className={styles.frame}
      title={caption}
      aria-expanded={isWhole}
      onClick={() => setWhole(!isWhole)}
    >
      {picture}
    </button>
  );
}
