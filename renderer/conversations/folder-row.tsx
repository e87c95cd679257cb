import { Ellipsis, Folder as FolderIcon, Pencil, SquarePen, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Folder } from '../../main/contract.ts';
import { IconButton } from '../kit/button.tsx';
import { Menu, MenuItem, MenuLine } from '../kit/menu.tsx';
import { placeOfProject } from '../parts/conversation/conversation-place.ts';
import { RenameInput } from '../parts/conversation/rename-input.tsx';
import { memoryPlace } from '../parts/place/places.ts';
import { useMay, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './conversation-list.module.css';

const words = text.side;

/** A project in the list. */
export function FolderRow({ folder, onLeave }: { readonly folder: Folder; readonly onLeave: () => void }) {
  const [isRenaming, setRenaming] = useState(false);
  const [, navigate] = useLocation();
  const mayChange = useMay('saveFolder');
  const save = useSend('saveFolder', ['folders']);
  const remove = useSend('deleteFolder', ['folders', 'conversations']);
  const begin = () => {
    navigate(placeOfProject(folder.id));
    onLeave();
  };
  return (
    <div className={`${styles.link} gap-10px medium`}>
      <FolderIcon size={16} className="soft" aria-hidden />
      {isRenaming ? (
        <RenameInput
          title={folder.name}
          onDone={(name) => {
            setRenaming(false);
            if (name !== '' && name !== folder.name) save.mutate({ folder: folder.id, name });
          }}
        />
      ) : (
        <a className="ellipsis fills" href={memoryPlace(folder.scope)} title={folder.name} onClick={onLeave}>
          {folder.name}
        </a>
      )}
      <IconButton className={styles.menu!} icon={SquarePen} label={words.newChat} onClick={begin} />
      <Menu
        trigger={<IconButton className={styles.menu!} icon={Ellipsis} label={words.actions(folder.name)} />}
      >
        <MenuItem icon={SquarePen} onSelect={begin}>
          {words.newChat}
        </MenuItem>
        {mayChange && (
          <>
            <MenuItem icon={Pencil} onSelect={() => setRenaming(true)}>
              {words.rename}
            </MenuItem>
            <MenuLine />
            <MenuItem
              icon={Trash2}
              isDangerous
              note={text.projectDialog.removeText}
              onSelect={() => remove.mutate({ folder: folder.id })}
            >
              {text.projectDialog.remove}
            </MenuItem>
          </>
        )}
      </Menu>
    </div>
  );
}
