import { text } from '../../strings/text.ts';
import styles from './rename-input.module.css';

/** A line that takes a new title: Enter and leaving keep it, Escape does not. */
export function RenameInput({
  title,
  onDone,
}: {
  readonly title: string;
  readonly onDone: (title: string) => void;
}) {
  return (
    <input
      className={styles.rename}
      aria-label={text.side.rename}
      defaultValue={title}
      maxLength={200}
      ref={(input) => input?.select()}
      onBlur={({ target }) => onDone(target.value.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.currentTarget.value = title;
        event.currentTarget.blur();
      }}
    />
  );
}
