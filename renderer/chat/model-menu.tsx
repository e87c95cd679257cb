import { BookOpenText, Bot, ChevronDown, Settings2 } from 'lucide-react';
import { navigate } from 'wouter/use-hash-location';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../kit/menu.tsx';
import { useReply } from '../state/connection.tsx';
import { setAnswerer, useManner } from '../state/manner.ts';
import { type Provider, useModel } from '../state/use-model.ts';
import { text } from '../strings/text.ts';
import styles from './composer.module.css';

const words = text.chat.model;

/** Chooses who answers. */
export function ModelMenu() {
  const model = useModel();
  const answerer = useManner(({ answerer }) => answerer);
  const isLocal = answerer.kind === 'local' || model === null;
  const shown = isLocal ? words.memory : answerer.kind === 'model' ? answerer.name : model.name;
  return (
    <Menu
      side="top"
      trigger={
        <button type="button" className={styles.model} aria-label={words.label(shown)}>
          <span className="ellipsis">{shown}</span>
          <ChevronDown size={14} aria-hidden />
        </button>
      }
    >
      {model !== null && (
        <MenuItem
          icon={Bot}
          note={words.configured}
          isChecked={answerer.kind === 'configured'}
          onSelect={() => setAnswerer({ kind: 'configured' })}
        >
          {model.name}
        </MenuItem>
      )}
      <MenuItem
        icon={BookOpenText}
        note={words.memoryNote}
        isChecked={isLocal}
        onSelect={() => setAnswerer({ kind: 'local' })}
      >
        {words.memory}
      </MenuItem>
      {model !== null && <OtherModels {...model} chosen={answerer.kind === 'model' ? answerer.name : null} />}
      <MenuLine />
      <MenuItem icon={Settings2} onSelect={() => navigate('/settings/model')}>
        {words.settings}
      </MenuItem>
    </Menu>
  );
}

interface OtherProps {
  readonly provider: Provider;
  readonly name: string;
  readonly baseUrl?: string;
  readonly chosen: string | null;
}

/** Is in the page only while the menu is open, so the endpoint is asked then and not before. */
function OtherModels({ provider, name, baseUrl, chosen }: OtherProps) {
  const { data, error } = useReply('endpointModels', { provider, ...(baseUrl !== undefined && { baseUrl }) });
  const others = data?.models.filter((each) => each !== name);
  if (others?.length === 0) return null;
  return (
    <>
      <MenuLine />
      <MenuLabel>{words.others}</MenuLabel>
      {others === undefined ? (
        <MenuItem isDisabled onSelect={() => undefined}>
          {error === null ? words.loading : words.unreachable}
        </MenuItem>
      ) : (
        others.slice(0, 60).map((each) => (
          <MenuItem
            key={each}
            isChecked={each === chosen}
            onSelect={() => setAnswerer({ kind: 'model', name: each })}
          >
            {each}
          </MenuItem>
        ))
      )}
    </>
  );
}
