import { BookOpenText, Bot, ChevronDown, Settings2 } from 'lucide-react';
import { navigate } from 'wouter/use-hash-location';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../kit/menu.tsx';
import { useReply } from '../state/connection.tsx';
import { setAnswerer, useManner } from '../state/manner.ts';
import { type Provider, useModel } from '../state/use-model.ts';
import { formatBytes, text } from '../strings/text.ts';
import styles from './composer.module.css';

const words = text.chat.model;

/** Chooses who answers. */
export function ModelMenu() {
  const model = useModel();
  const answerer = useManner(({ answerer }) => answerer);
  const isLocal = answerer.kind === 'local' || (model === null && answerer.kind !== 'model');
  const chosen = answerer.kind === 'model' ? answerer.name : null;
  const shown = isLocal ? words.memory : (chosen?.replace(/^local:/, '') ?? model?.name ?? words.memory);
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
      {model !== null && model.provider !== 'local' && <OtherModels {...model} chosen={chosen} />}
      <ModelsHere configured={model?.provider === 'local' ? model.name : null} chosen={chosen} />
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

interface HereProps {
  /** The model of the settings, if it runs here. */
  readonly configured: string | null;
  readonly chosen: string | null;
}

/** Models of this computer that are on its disk; none where nothing can run them. */
function ModelsHere({ configured, chosen }: HereProps) {
  const { data } = useReply('localModels', {});
  const models = data?.items.filter(({ name, isInstalled }) => isInstalled && name !== configured) ?? [];
  if (data?.runtime.isInstalled !== true || models.length === 0) return null;
  return (
    <>
      <MenuLine />
      <MenuLabel>{words.here}</MenuLabel>
      {models.map(({ name, memoryBytes }) => (
        <MenuItem
          key={name}
          note={words.hereNote(formatBytes(memoryBytes))}
          isChecked={chosen === `local:${name}`}
          onSelect={() => setAnswerer({ kind: 'model', name: `local:${name}` })}
        >
          {name}
        </MenuItem>
      ))}
    </>
  );
}
