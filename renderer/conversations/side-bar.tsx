import {
  Brain,
  FolderPlus,
  PanelLeftClose,
  Search,
  Settings,
  SquarePen,
  StickyNote,
  Upload,
} from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button, IconButton } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Field } from '../kit/field.tsx';
import { placeOfProject } from '../parts/conversation/conversation-place.ts';
import { memoryPlace, memoryScreenAt } from '../parts/place/places.ts';
import { run, SHORTCUTS, shownKeys } from '../parts/place/shortcuts.ts';
import { useConversationHere, useDefaultScope } from '../parts/place/use-places.ts';
import { useConnection, useMay, useReply, useSend } from '../state/connection.tsx';
import { useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import { ConversationList } from './conversation-list.tsx';
import styles from './side-bar.module.css';

const words = text.side;

const OPEN: ReadonlySet<string> = new Set(['running', 'waiting', 'paused']);

/** The list of conversations, with the ways to the other screens. */
export function SideBar() {
  const [place] = useLocation();
  const { set } = useUi();
  const [isCreating, setCreating] = useState(false);
  const mayImport = useMay('startImport');
  const mayCreate = useMay('saveFolder');
  const { remote } = useConnection();
  const jobs =
    useReply('jobs', {}, { isOff: !mayImport }).data?.items.filter(({ state }) => OPEN.has(state)).length ??
    0;
  const here = useConversationHere()?.conversation.scope;
  const usual = useDefaultScope();
  // From a chat of a project to the memory of that project.
  const memory = memoryPlace(here === undefined || here === usual ? undefined : here);
  const leave = () => {
    if (window.matchMedia('(max-width: 859px)').matches) set({ isSideOpen: false });
  };
  return (
    <nav className={styles.side} aria-label={words.label}>
      <header className={styles.head}>
        <img src="./icon.svg" alt="" width={24} height={24} />
        <strong className="grows">{text.app.name}</strong>
        <IconButton
          icon={PanelLeftClose}
          label={words.close}
          keys={shownKeys(SHORTCUTS.side.keys)}
          onClick={() => set({ isSideOpen: false })}
        />
      </header>
      <div className={styles.actions}>
        <Link href="/" className={styles.entry} onClick={leave}>
          <SquarePen size={17} className="soft" aria-hidden />
          {words.newChat}
        </Link>
        <Entry href="#/note" icon={StickyNote} isHere={place === '/note'} onClick={leave}>
          {words.note}
        </Entry>
        <button
          type="button"
          className={styles.entry}
          onClick={() => {
            leave();
            run('palette');
          }}
        >
          <Search size={17} className="soft" aria-hidden />
          {words.search}
          <kbd className="at-right faint text-12">{shownKeys(SHORTCUTS.palette.keys)}</kbd>
        </button>
        {mayCreate && (
          <button type="button" className={styles.entry} onClick={() => setCreating(true)}>
            <FolderPlus size={17} className="soft" aria-hidden />
            {words.newProject}
          </button>
        )}
      </div>
      <ConversationList onLeave={leave} />
      <footer className={`${styles.actions} ${styles.foot}`}>
        <Entry href={memory} icon={Brain} isHere={memoryScreenAt(place) !== null} onClick={leave}>
          {words.memory}
        </Entry>
        {mayImport && (
          <Entry href="#/import" icon={Upload} isHere={place === '/import'} onClick={leave}>
            {words.import}
            {jobs > 0 && (
              <span className={styles.badge} title={words.jobs(jobs)}>
                {jobs}
              </span>
            )}
          </Entry>
        )}
        <Entry href="#/settings" icon={Settings} isHere={place.startsWith('/settings')} onClick={leave}>
          {remote === null ? words.settings : text.device.here}
        </Entry>
      </footer>
      {isCreating && <FolderDialog onClose={() => setCreating(false)} />}
    </nav>
  );
}

interface EntryProps {
  readonly href: string;
  readonly icon: typeof Brain;
  readonly isHere: boolean;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
}

function Entry({ href, icon: Icon, isHere, onClick, children }: EntryProps) {
  return (
    <a href={href} className={styles.entry} aria-current={isHere ? 'page' : undefined} onClick={onClick}>
      <Icon size={17} className="soft" aria-hidden />
      {children}
    </a>
  );
}

/** Creates a project. */
function FolderDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [, navigate] = useLocation();
  const save = useSend('saveFolder', ['folders']);
  const create = (event: FormEvent) => {
    event.preventDefault();
    const folder = crypto.randomUUID();
    save.mutate(
      { folder, name: name.trim() },
      {
        onSuccess: () => {
          navigate(placeOfProject(folder));
          onClose();
        },
      },
    );
  };
  return (
    <Dialog isOpen onClose={onClose} title={text.projectDialog.title} description={text.projectDialog.text}>
      <form className="grid gap-4" onSubmit={create}>
        <Field
          label={text.projectDialog.name}
          value={name}
          maxLength={100}
          autoFocus
          onChange={({ target }) => setName(target.value)}
        />
        {save.error && <Notice kind="problem">{save.error.message}</Notice>}
        <div className="flex at-end gap-2">
          <Button onClick={onClose}>{text.app.cancel}</Button>
          <Button kind="primary" type="submit" disabled={name.trim() === '' || save.isPending}>
            {text.projectDialog.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
