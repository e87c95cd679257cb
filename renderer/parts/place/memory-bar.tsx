import { ChevronDown, PanelLeft } from 'lucide-react';
import { IconButton } from '../../kit/button.tsx';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { useReply } from '../../state/connection.tsx';
import { useUi } from '../../state/ui.ts';
import { text } from '../../strings/text.ts';
import styles from './memory-bar.module.css';
import { goTo, MEMORY_PLACES, type MemoryPlace, memoryPlace } from './places.ts';
import { useDefaultScope } from './use-places.ts';

interface BarProps {
  readonly here: MemoryPlace;
  readonly scope: string;
}

/** The head of every screen of memory: the way to the others, and the choice of the scope. */
export function MemoryBar({ here, scope }: BarProps) {
  const { isSideOpen, set } = useUi();
  const usual = useDefaultScope();
  const own = scope === usual ? undefined : scope;
  return (
    <div className={`line gap-2 ${styles.bar}`}>
      {!isSideOpen && (
        <IconButton icon={PanelLeft} label={text.side.open} onClick={() => set({ isSideOpen: true })} />
      )}
      <nav className="fills flex gap-2px scrolls-sideways" aria-label={text.memory.bar.label}>
        {MEMORY_PLACES.map((place) => (
          <a
            key={place}
            ref={place === here ? showTab : undefined}
            href={memoryPlace(own, place)}
            className={`soft text-14 keeps-size choosable lightens ${styles.tab}`}
            aria-current={place === here ? 'page' : undefined}
          >
            {text.memory.bar.places[place]}
          </a>
        ))}
      </nav>
      <ScopeChoice here={here} scope={scope} usual={usual ?? scope} />
    </div>
  );
}

/** In a narrow window the tabs scroll. */
function showTab(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ inline: 'center', block: 'nearest' });
}

/** The choice of the memory: of everyday chats, of a project, or another scope. */
function ScopeChoice({ here, scope, usual }: BarProps & { readonly usual: string }) {
  const words = text.memory.portrait;
  const folders = useReply('folders', {}).data?.items ?? [];
  const others = useReply('scopes', {}).data ?? [];
  const named = new Map([
    [usual, words.defaultScope],
    ...folders.map((each) => [each.scope, each.name] as const),
  ]);
  for (const other of others) if (!named.has(other)) named.set(other, words.scopes[other] ?? other);
  const title = named.get(scope) ?? scope;
  if (named.size < 2) return null;
  return (
    <Menu
      align="end"
      trigger={
        <button
          type="button"
          className={`picker soft hovers lightens ${styles.choice}`}
          aria-label={`${words.scope} ${title}`}
        >
          <span className="ellipsis">{title}</span>
          <ChevronDown size={15} aria-hidden />
        </button>
      }
    >
      {[...named].map(([name, label]) => (
        <MenuItem
          key={name}
          isChecked={name === scope}
          onSelect={() => goTo(memoryPlace(name === usual ? undefined : name, here))}
        >
          {label}
        </MenuItem>
      ))}
    </Menu>
  );
}
