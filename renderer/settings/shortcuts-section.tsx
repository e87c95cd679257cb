import { RotateCcw } from 'lucide-react';
import { Fragment, useEffect, useState } from 'react';
import { Button, IconButton } from '../kit/button.tsx';
import { Pill } from '../kit/choice.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Group } from '../kit/group.tsx';
import { type Command, isMac, keysOf, SHORTCUTS, shownKeys } from '../parts/place/shortcuts.ts';
import { text } from '../strings/text.ts';
import { conflictsOf, keysOfPress, problemOf } from './record-keys.ts';
import { SectionHead } from './section-head.tsx';
import styles from './settings.module.css';
import { usePreference } from './use-settings.ts';

const words = text.settings.shortcuts;

const COMMANDS = Object.keys(SHORTCUTS) as Command[];

interface Refused {
  readonly command: Command;
  readonly keys: string;
  readonly reason: 'plain' | 'reserved' | Command;
}

/** The keys of each command, and how to change them. */
export function ShortcutsSection() {
  const saved = usePreference('shortcuts');
  const own = saved.value ?? {};
  const [recording, setRecording] = useState<Command | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const all = Object.fromEntries(COMMANDS.map((command) => [command, keysOf(command, own)])) as Record<
    Command,
    string
  >;
  const keep = (changes: Partial<Record<Command, string>>) => {
    const next = { ...own, ...changes };
    saved.save(
      Object.fromEntries(
        Object.entries(next).filter(([command, keys]) => keys !== SHORTCUTS[command as Command]?.keys),
      ),
    );
    setRefused(null);
  };
  const take = (command: Command, keys: string) => {
    setRecording(null);
    const [other] = conflictsOf(command, keys, all);
    const reason = keys === '' || keys === SHORTCUTS[command].keys ? null : problemOf(keys);
    if (reason !== null) setRefused({ command, keys, reason });
    else if (other !== undefined) setRefused({ command, keys, reason: other });
    else keep({ [command]: keys });
  };
  return (
    <>
      <SectionHead title={text.settings.sections.shortcuts} lead={words.lead} />
      <Group>
        {COMMANDS.map((command) => {
          const { label } = SHORTCUTS[command];
          const isOwn = command in own;
          return (
            <div key={command} className={styles.item}>
              <span className="line fills gap-2 text-label">
                {label}
                {isOwn && <Pill>{words.own}</Pill>}
              </span>
              {isOwn && (
                <IconButton
                  icon={RotateCcw}
                  iconSize={15}
                  label={words.reset(label)}
                  onClick={() => take(command, SHORTCUTS[command].keys)}
                />
              )}
              <Keys
                label={words.record(label)}
                keys={all[command]}
                isRecording={recording === command}
                onRecord={() => {
                  setRefused(null);
                  setRecording(command);
                }}
                onTaken={(keys) => (keys === null ? setRecording(null) : take(command, keys))}
              />
              {refused?.command === command && (
                <Problem
                  refused={refused}
                  onReplace={(other) => keep({ [command]: refused.keys, [other]: '' })}
                />
              )}
            </div>
          );
        })}
      </Group>
      {saved.problem !== undefined && <Notice kind="problem">{saved.problem}</Notice>}
      {Object.keys(own).length > 0 && (
        <div className={styles.foot}>
          <Button onClick={() => saved.save({})}>{words.resetAll}</Button>
        </div>
      )}
    </>
  );
}

interface KeysProps {
  readonly label: string;
  readonly keys: string;
  readonly isRecording: boolean;
  readonly onRecord: () => void;
  /** With the keys that were pressed; an empty text turns the command's keys off, null keeps them. */
  readonly onTaken: (keys: string | null) => void;
}

/** Shows keys; a click records others. */
function Keys({ label, keys, isRecording, onRecord, onTaken }: KeysProps) {
  useEffect(() => {
    if (!isRecording) return;
    // Before the app's own shortcuts, which listen on the window too.
    const listen = (event: KeyboardEvent) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      const pressed = keysOfPress(event, isMac);
      if (pressed === 'Escape') onTaken(null);
      else if (pressed === 'Backspace') onTaken('');
      else if (pressed !== null) onTaken(pressed);
    };
    window.addEventListener('keydown', listen, true);
    return () => window.removeEventListener('keydown', listen, true);
  }, [isRecording, onTaken]);
  return (
    <button
      type="button"
      className={styles.keys}
      aria-label={`${label}, ${keys === '' ? words.off : shownKeys(keys)}`}
      aria-pressed={isRecording}
      title={isRecording ? words.recordingHint : undefined}
      onClick={onRecord}
      onBlur={() => isRecording && onTaken(null)}
    >
      {isRecording ? (
        <span role="status">{words.recording}</span>
      ) : keys === '' ? (
        <span className="note may-break">{words.off}</span>
      ) : (
        shownKeys(keys)
          .split(' ')
          .map((key) => (
            // With a space, so that what is read aloud has what is seen.
            <Fragment key={key}>
              <kbd className="key">{key}</kbd>{' '}
            </Fragment>
          ))
      )}
    </button>
  );
}

function Problem({
  refused: { keys, reason },
  onReplace,
}: {
  readonly refused: Refused;
  readonly onReplace: (other: Command) => void;
}) {
  const isConflict = reason !== 'plain' && reason !== 'reserved';
  return (
    <p className="line wrap apart gap-2 full-width text-13 danger" role="alert">
      <span>
        {shownKeys(keys)}: {isConflict ? words.conflict(SHORTCUTS[reason].label) : words.problems[reason]}
      </span>
      {isConflict && (
        <Button size="small" onClick={() => onReplace(reason)}>
          {words.replace}
        </Button>
      )}
    </p>
  );
}
