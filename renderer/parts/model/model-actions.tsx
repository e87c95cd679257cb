import { Ellipsis, FileCheck2, Trash2 } from 'lucide-react';
import { toast } from 'sonner';
import { IconButton } from '../../kit/button.tsx';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { useSend } from '../../state/connection.tsx';
import { formatBytes, text } from '../../strings/text.ts';

const words = text.settings.search;

interface ModelActionsProps {
  readonly name: string;
  readonly isUsed: boolean;
}

/** Checks or removes the files of a model; not of one that is in use. */
export function ModelActions({ name, isUsed }: ModelActionsProps) {
  const verify = useSend('verifyEmbedder');
  const remove = useSend('removeEmbedder', ['embedders', 'localModels']);
  const fail = (error: Error) => toast.error(error.message);
  const check = () => {
    const id = toast.loading(words.verifying);
    verify.mutate(
      { name },
      {
        onSuccess: ({ isWhole, damaged }) => {
          if (isWhole === null) toast.info(words.unknown(name), { id });
          else if (isWhole) toast.success(words.whole(name), { id });
          else toast.error(words.damaged(name, damaged.join(', ')), { id, duration: 12_000 });
        },
        onError: (error) => toast.error(error.message, { id }),
      },
    );
  };
  return (
    <Menu trigger={<IconButton icon={Ellipsis} label={words.actions(name)} />}>
      <MenuItem icon={FileCheck2} onSelect={check}>
        {words.verify}
      </MenuItem>
      <MenuItem
        icon={Trash2}
        isDangerous
        isDisabled={isUsed}
        onSelect={() =>
          remove.mutate(
            { name },
            { onSuccess: ({ bytes }) => toast(words.removed(name, formatBytes(bytes))), onError: fail },
          )
        }
      >
        {words.remove}
      </MenuItem>
    </Menu>
  );
}
