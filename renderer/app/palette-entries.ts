import {
  Brain,
  Columns2,
  Eraser,
  History,
  ListChecks,
  Lock,
  type LucideIcon,
  MessageSquarePlus,
  Monitor,
  Moon,
  PanelLeft,
  Settings,
  Sun,
  Upload,
  Waypoints,
} from 'lucide-react';
import type { Conversation, Preferences } from '../../main/contract.ts';
import { hasWords } from '../kit/marked-parts.ts';
import { memoryPlace } from '../parts/place/places.ts';
import type { Command } from '../parts/place/shortcuts.ts';
import { text } from '../strings/text.ts';

/** What a command of the palette does. */
export type Act =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'go'; readonly place: string }
  | { readonly kind: 'private' }
  | { readonly kind: 'theme'; readonly theme: Preferences['theme'] };

interface PaletteCommand {
  readonly id: string;
  readonly name: string;
  readonly icon: LucideIcon;
  readonly act: Act;
  /** Other words by which it is found. */
  readonly also?: string;
}

const { also, ...words } = text.palette;
const go = (place: string): Act => ({ kind: 'go', place });
const command = (name: Command): Act => ({ kind: 'command', command: name });
const theme = (name: Preferences['theme']): Act => ({ kind: 'theme', theme: name });

const PLACE_ICONS = {
  browse: Waypoints,
  timeline: History,
  compare: Columns2,
  review: ListChecks,
  forget: Eraser,
} as const;

type Section = keyof typeof text.settings.sections;

/** Listed before anything is typed. */
const USUAL: readonly PaletteCommand[] = [
  { id: 'new', name: words.newChat, icon: MessageSquarePlus, act: command('newChat'), also: also.newChat },
  { id: 'private', name: words.newPrivate, icon: Lock, act: { kind: 'private' }, also: also.private },
  { id: 'memory', name: words.memory, icon: Brain, act: command('memory'), also: also.memory },
  { id: 'import', name: words.import, icon: Upload, act: go('#/import'), also: also.import },
  { id: 'settings', name: text.side.settings, icon: Settings, act: command('settings'), also: also.settings },
];

/** Every command of the palette. */
export const COMMANDS: readonly PaletteCommand[] = [
  ...USUAL,
  ...(Object.keys(PLACE_ICONS) as (keyof typeof PLACE_ICONS)[]).map((place) => ({
    id: place,
    name: words.places[place],
    icon: PLACE_ICONS[place],
    act: go(memoryPlace(undefined, place)),
    also: words.alsoPlaces[place],
  })),
  { id: 'side', name: words.side, icon: PanelLeft, act: command('side') },
  { id: 'light', name: words.light, icon: Sun, act: theme('light'), also: also.theme },
  { id: 'dark', name: words.dark, icon: Moon, act: theme('dark'), also: also.theme },
  { id: 'system', name: words.system, icon: Monitor, act: theme('system'), also: also.theme },
  ...(Object.keys(text.settings.sections) as Section[]).map((section) => ({
    id: `settings ${section}`,
    name: words.settings(text.settings.sections[section]),
    icon: Settings,
    act: go(`#/settings/${section}`),
    ...(section in words.sections && { also: words.sections[section as keyof typeof words.sections] }),
  })),
];

/** Commands with every word of the query in their name or their other words; for an empty query the usual ones. */
export function commandsFor(
  query: string,
  isDeveloper: boolean,
  isRemote = false,
): readonly PaletteCommand[] {
  const isHere = ({ id, act }: PaletteCommand) =>
    !isRemote || !(act.kind === 'theme' || ['import', 'review'].includes(id) || id.startsWith('settings '));
  if (query.trim() === '') return USUAL.filter(isHere);
  const offered = COMMANDS.filter(isHere).filter(({ id }) => isDeveloper || id !== 'compare');
  const byName = offered.filter(({ name }) => hasWords(name, query));
  const byOther = offered.filter(
    (each) => !byName.includes(each) && hasWords(`${each.name} ${each.also ?? ''}`, query),
  );
  return [...byName, ...byOther];
}

/** The conversations in which was written last. */
export function recentOf(conversations: readonly Conversation[], most: number): readonly Conversation[] {
  return conversations
    .filter(({ messages }) => messages > 0)
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, most);
}
