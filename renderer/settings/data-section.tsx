import { CircleCheck, Copy, Send } from 'lucide-react';
import { toast } from 'sonner';
import type { Settings } from '../../main/contract.ts';
import { IconButton } from '../kit/button.tsx';
import { Skeleton } from '../kit/feedback.tsx';
import { Block, Group } from '../kit/group.tsx';
import { useReply } from '../state/connection.tsx';
import { formatBytes, messageOf, text } from '../strings/text.ts';
import { SectionHead } from './section-head.tsx';
import styles from './settings.module.css';

const words = text.settings.data;

/** Where everything is, and what leaves the machine. */
export function DataSection() {
  const settings = useReply('settings', {}).data;
  return (
    <>
      <SectionHead title={text.settings.sections.data} lead={words.lead} />
      <Group title={words.leaves}>
        {settings === undefined ? <Skeleton height={72} /> : <Leaves sends={settings.sends} />}
      </Group>
      {settings !== undefined && (
        <Group title={words.where}>
          <Place name={words.memory} path={settings.folders.memory} bytes={settings.bytes} />
          <Place name={words.models} path={settings.folders.models} />
          <Place name={words.data} path={settings.folders.data} />
          <Place name={words.settingsFile} path={settings.file} />
        </Group>
      )}
      <Group title={words.backup}>
        <Block>
          <p className="note may-break">
            {words.backupNote} <a href="#/settings/backup">{words.backupLink}</a>
          </p>
        </Block>
      </Group>
    </>
  );
}

function Leaves({ sends }: Pick<Settings, 'sends'>) {
  const staysHere = sends.every(({ isThisMachine }) => isThisMachine);
  return (
    <>
      {staysHere && (
        <Block>
          <p className="flex gap-3 may-break icon-first">
            <CircleCheck size={22} className="accent-text" aria-hidden />
            <Words title={words.nothing} note={words.nothingNote} />
          </p>
        </Block>
      )}
      {sends.map(({ to, what, isThisMachine }) => (
        <Block key={to}>
          <p className="flex gap-3 may-break icon-first">
            <Send size={19} className="soft" aria-hidden />
            <Words title={isThisMachine ? words.sendsHere(to) : words.sends(to)} note={what} />
          </p>
        </Block>
      ))}
      {!staysHere && (
        <Block>
          <p className="note may-break">
            {words.sendsLead} <a href="#/settings/model">{words.change}</a>
          </p>
        </Block>
      )}
    </>
  );
}

function Words({ title, note }: { readonly title: string; readonly note: string }) {
  return (
    <span className="stack may-narrow">
      <strong>{title}</strong>
      <span className="soft text-14">{note}</span>
    </span>
  );
}

interface PlaceProps {
  readonly name: string;
  readonly path: string;
  readonly bytes?: number;
}

/** A folder or file, with its path to copy. */
function Place({ name, path, bytes }: PlaceProps) {
  const copy = () =>
    navigator.clipboard.writeText(path).then(
      () => toast(words.copied),
      (error: unknown) => toast.error(messageOf(error)),
    );
  return (
    <div className={styles.item}>
      <div className="stack fills text-label medium">
        <span className="flow gap-2">
          {name}
          {bytes !== undefined && <span className="note light">{formatBytes(bytes)}</span>}
        </span>
        <code className={styles.path}>{path}</code>
      </div>
      <IconButton icon={Copy} iconSize={15} label={words.copy(name)} onClick={() => void copy()} />
    </div>
  );
}
