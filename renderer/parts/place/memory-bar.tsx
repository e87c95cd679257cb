import { ChevronDown, PanelLeft } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '../../kit/button.tsx';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { useMay, useReply } from '../../state/connection.tsx';
import { useUi } from '../../state/ui.ts';
import { text } from '../../strings/text.ts';
import styles from './memory-bar.module.css';
import { goTo, graphPlace, MEMORY_PLACES, type MemoryPlace, memoryPlace } from './places.ts';
import { useDefaultScope } from './use-places.ts';

interface BarProps {
  readonly here: MemoryPlace;
  /** As the address names it; the usual one by default. */
  readonly scope: string | undefined;
  /** Id of the node that is shown. */
  readonly node: string | undefined;
}

/**
 * Above all screens of memory: the way to the others, and the choice of the scope. It is the same from one screen to the
 * next, so that no link moves under the pointer.
 */
export function MemoryBar({ here, scope, node }: BarProps) {
  const { isSideOpen, inspected, portrayed, set } = useUi();
  const usual = useDefaultScope();
  const isDeveloper = useReply('settings', {}).data?.preferences.developer ?? false;
  const mayReview = useMay('dismissReview');
  const own = scope === usual ? undefined : scope;
  const shown = scope ?? usual;
  // The graph begins around what is in view: a turn beside the screen, the page of a node, or a portrait.
  const inView =
    inspected?.kind === 'source' && inspected.scope === shown
      ? inspected.episode
      : (node ?? (here === 'memory' ? portrayed : null));
  const bar = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen is shown
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [here]);
  return (
    <div className={`line gap-2 ${styles.bar}`}>
      {!isSideOpen && (
        <IconButton icon={PanelLeft} label={text.side.open} onClick={() => set({ isSideOpen: true })} />
      )}
      <nav ref={bar} className="fills flex scrolls-sideways" aria-label={text.memory.bar.label}>
        {MEMORY_PLACES.filter((place) => mayReview || place !== 'review')
          .filter((place) => place !== 'compare' || place === here || isDeveloper)
          .map((place) => (
            <a
              key={place}
              href={
                place === 'browse' && shown !== null && inView !== null
                  ? graphPlace(shown, inView)
                  : memoryPlace(own, place)
              }
              className={`soft text-14 keeps-size choosable lightens ${styles.tab}`}
              aria-current={place === here ? 'page' : undefined}
            >
              {text.memory.bar.places[place]}
            </a>
          ))}
      </nav>
      {usual !== null && <ScopeChoice here={here} scope={scope ?? usual} usual={usual} />}
    </div>
  );
}

/** The choice of the memory: of everyday chats, of a project, or another scope. */
function ScopeChoice({
  here,
  scope,
  usual,
}: Readonly<Record<'scope' | 'usual', string>> & Pick<BarProps, 'here'>) {
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
