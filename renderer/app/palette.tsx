import { Command as Menu } from 'cmdk';
import {
  CornerDownLeft,
  FileText,
  Lightbulb,
  type LucideIcon,
  MessageSquare,
  MessagesSquare,
  Search,
  Shapes,
  Sparkles,
  TextSearch,
  UserRound,
} from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { toast } from 'sonner';
import { navigate } from 'wouter/use-hash-location';
import type { FoundHit, MemoryClient } from '../../main/contract.ts';
import { Marked } from '../kit/marked.tsx';
import { markWords, withoutMarkup } from '../kit/marked-parts.ts';
import {
  placeOfConversation,
  placeOfMessage,
  placeOfSession,
} from '../parts/conversation/conversation-place.ts';
import { titleOf } from '../parts/conversation/title-of.ts';
import { MemoryImage } from '../parts/image/memory-image.tsx';
import { categoryPlace, chatPlace, entityPlace, goTo } from '../parts/place/places.ts';
import { keysOf, run, shownKeys } from '../parts/place/shortcuts.ts';
import { sourceName } from '../parts/turn/source-name.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useClient, useConnection, useReply, useSend } from '../state/connection.tsx';
import { mannerFor, NEW, setPrivate } from '../state/manner.ts';
import { sendMessage } from '../state/running-chats.ts';
import { openSource, useUi } from '../state/ui.ts';
import { formatWhen, text } from '../strings/text.ts';
import styles from './palette.module.css';
import { type Act, commandsFor, recentOf } from './palette-entries.ts';

const MOST_RECENT = 5;
/** How the app stores its own chats. */
const OWN_SOURCE = 'assistant';
/** As many as the sidebar asks for, so that both share the reply. */
const ALL_CONVERSATIONS = 500;
/** Milliseconds of rest after which is searched. */
const REST = 90;

/** Keys that choose another entry. */
const MOVES = ['ArrowDown', 'ArrowUp', 'Home', 'End'];
const CAN_BE_CHOSEN = '[cmdk-item]:not([data-disabled=true])';
const IS_CHOSEN = `${CAN_BE_CHOSEN}[data-selected=true]`;

/** Everything by keyboard: commands, what was said and what is known by its words, and a question to ask. */
export function Palette() {
  const words = text.palette;
  const client = useClient();
  const isPrivate = useReply('settings', {}).data?.preferences.isPrivate ?? false;
  const { set } = useUi();
  const [query, setQuery] = useState('');
  const wanted = query.trim();
  const list = useRef<HTMLDivElement>(null);
  const [filter, setFilter] = useState<Filter>('all');
  const [chosen, setChosen] = useState('');
  const [reply, setReply] = useState({ state: '' });
  const [hasMoved, setHasMoved] = useState(false);
  /** Whether Enter was pressed before there was an entry to open. */
  const isEntered = useRef(false);
  const onFound = useCallback((state = '') => setReply({ state }), []);
  // Replies arrive one after the other: until somebody moves, the first entry is the chosen one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: chooses for each query and reply
  useEffect(() => {
    if (hasMoved && list.current?.querySelector(IS_CHOSEN)) return;
    const first = list.current?.querySelector<HTMLElement>(CAN_BE_CHOSEN);
    setChosen(first?.dataset.value ?? '');
    if (isEntered.current) first?.click();
  }, [wanted, filter, reply, hasMoved]);
  const search = (words: string, kinds = filter) => {
    setQuery(words);
    setFilter(kinds);
    setHasMoved(false);
    isEntered.current = false;
  };
  const close = () => set({ isPaletteOpen: false });
  const then = (act: () => void) => () => {
    close();
    act();
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.overlay} />
        <Dialog.Content className={styles.palette} aria-describedby={undefined}>
          <Dialog.Title className="visually-hidden">{words.label}</Dialog.Title>
          <Menu
            label={words.label}
            shouldFilter={false}
            loop
            className={styles.menu}
            value={chosen}
            onValueChange={setChosen}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              isEntered.current = event.key === 'Enter' && !list.current?.querySelector(IS_CHOSEN);
              // The menu moves at once among what can be chosen from now on.
              if (MOVES.includes(event.key)) flushSync(() => setHasMoved(true));
              if (event.key !== 'Tab') return;
              event.preventDefault();
              const step = event.shiftKey ? ALL_FILTERS.length - 1 : 1;
              search(query, ALL_FILTERS[(ALL_FILTERS.indexOf(filter) + step) % ALL_FILTERS.length]!);
            }}
            onPointerMove={() => setHasMoved(true)}
          >
            <div className={styles.line}>
              <Search size={18} aria-hidden />
              <Menu.Input
                className={styles.input}
                value={query}
                placeholder={words.placeholder}
                maxLength={1_000}
                onValueChange={(words) => search(words)}
              />
            </div>
            <Filters filter={filter} onFilter={(kinds) => search(query, kinds)} />
            <Menu.List ref={list} className={styles.list} label={words.label}>
              {wanted === '' && filter !== 'commands' && <Recent then={then} onFound={onFound} />}
              {wanted === '' ? (
                <Commands query="" then={then} />
              ) : (
                <Results query={wanted} filter={filter} hasMoved={hasMoved} then={then} onFound={onFound}>
                  {(waits) => (
                    <Menu.Group heading={words.askGroup}>
                      <Item
                        id="ask"
                        icon={Sparkles}
                        end={words.askHint}
                        waits={waits}
                        onSelect={then(() => askInNewChat(client, wanted, isPrivate))}
                      >
                        {words.ask(wanted)}
                      </Item>
                    </Menu.Group>
                  )}
                </Results>
              )}
            </Menu.List>
            <p className={styles.state} role="status">
              {wanted !== '' && reply.state}
            </p>
            <footer className={styles.foot} aria-hidden>
              <span className="inline-line gap-1">
                <kbd className="key">↑</kbd>
                <kbd className="key">↓</kbd>
                {words.help.move}
              </span>
              <span className="inline-line gap-1">
                <kbd className="key">
                  <CornerDownLeft size={11} />
                </kbd>
                {words.help.open}
              </span>
              <span className="inline-line gap-1">
                <kbd className="key">Tab</kbd>
                {words.help.filter}
              </span>
              <span className="inline-line gap-1">
                <kbd className="key">Esc</kbd>
                {words.help.close}
              </span>
            </footer>
          </Menu>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const useCommands = (query: string) =>
  commandsFor(
    query,
    useReply('settings', {}).data?.preferences.developer ?? false,
    useConnection().remote !== null,
  );

interface PartProps {
  readonly query: string;
  /** Closes the palette before something is done. */
  readonly then: (act: () => void) => () => void;
}

interface Found {
  /** Says that a reply has come, and what there is to say of it. */
  readonly onFound: (state?: string) => void;
}

function Commands({ query, then, waits }: PartProps & Pick<ItemProps, 'waits'>) {
  const own = useReply('settings', {}).data?.preferences.shortcuts ?? {};
  const save = useSend('saveSettings', ['settings']);
  const found = useCommands(query);
  if (found.length === 0) return null;
  const act = (what: Act) => {
    if (what.kind === 'command') run(what.command);
    else if (what.kind === 'go') goTo(what.place);
    else if (what.kind === 'private') beginPrivateChat();
    else
      save.mutate(
        { preferences: { theme: what.theme } },
        { onError: ({ message }) => void toast.error(message) },
      );
  };
  return (
    <Menu.Group heading={text.palette.commands}>
      {found.map(({ id, name, icon, act: what }) => (
        <Item
          key={id}
          id={`command ${id}`}
          icon={icon}
          end={what.kind === 'command' ? <Keys keys={shownKeys(keysOf(what.command, own))} /> : null}
          waits={waits}
          onSelect={then(() => act(what))}
        >
          <Marked text={markWords(name, query)} />
        </Item>
      ))}
    </Menu.Group>
  );
}

function Keys({ keys }: { readonly keys: string }) {
  if (keys === '') return null;
  return (
    <span className="inline-line gap-1">
      {keys.split(' ').map((key) => (
        <kbd key={key} className="key">
          {key}
        </kbd>
      ))}
    </span>
  );
}

function Recent({ then, onFound }: Omit<PartProps, 'query'> & Found) {
  const { data } = useReply('conversations', { limit: ALL_CONVERSATIONS });
  // biome-ignore lint/correctness/useExhaustiveDependencies: says so for each reply
  useEffect(() => onFound(), [data, onFound]);
  const found = recentOf(data?.items ?? [], MOST_RECENT);
  if (found.length === 0) return null;
  return (
    <Menu.Group heading={text.palette.recent}>
      {found.map((conversation) => (
        <Item
          key={conversation.id}
          id={`chat ${conversation.id}`}
          icon={MessageSquare}
          end={formatWhen(conversation.updatedAt)}
          onSelect={then(() => goTo(`#${placeOfConversation(conversation)}`))}
        >
          {titleOf(conversation)}
        </Item>
      ))}
    </Menu.Group>
  );
}

/** What a filter shows; no kinds: everything. */
const FILTERS = {
  all: [],
  chats: ['chat', 'session'],
  messages: ['message', 'turn'],
  facts: ['fact'],
  people: ['entity'],
  categories: ['category'],
  files: ['file'],
  commands: [],
} as const satisfies Readonly<Record<string, readonly FoundHit['kind'][]>>;
type Filter = keyof typeof FILTERS;
const ALL_FILTERS = Object.keys(FILTERS) as Filter[];

interface FilterProps {
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

function Filters({ filter, onFilter }: FilterProps) {
  return (
    <fieldset className={styles.filters} aria-label={text.palette.filter}>
      {ALL_FILTERS.map((each) => (
        <button
          key={each}
          type="button"
          // The field keeps the keyboard: Tab chooses the next one.
          tabIndex={-1}
          className={styles.filter}
          aria-pressed={each === filter}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onFilter(each)}
        >
          {text.palette.filters[each]}
        </button>
      ))}
    </fieldset>
  );
}

const KIND_ICONS: Readonly<Record<FoundHit['kind'], LucideIcon>> = {
  chat: MessageSquare,
  session: MessagesSquare,
  message: TextSearch,
  turn: TextSearch,
  fact: Lightbulb,
  entity: UserRound,
  category: Shapes,
  file: FileText,
};

interface ResultsProps extends PartProps, Found, Pick<FilterProps, 'filter'> {
  readonly hasMoved: boolean;
  /** What can be done besides. */
  readonly children: (waits: boolean) => ReactNode;
}

/**
 * Everything that was found, in one ranking, with the commands among it. What other words found cannot be chosen; what
 * stands behind what will be found is chosen only by a move.
 */
function Results({ query, filter, hasMoved, then, onFound, children }: ResultsProps) {
  const rested = useRested(query);
  const kinds = FILTERS[filter];
  const { data, error, isPending, isPlaceholderData } = useReply(
    'find',
    { query: rested, ...(kinds.length > 0 && { kinds: [...kinds] }) },
    { isOff: rested === '' || filter === 'commands', keep: true },
  );
  const hits = filter === 'commands' ? [] : (data?.hits ?? []);
  const isBusy = (isPending || isPlaceholderData || rested !== query) && filter !== 'commands';
  const waits = isBusy && !hasMoved;
  // biome-ignore lint/correctness/useExhaustiveDependencies: says so for each reply
  useEffect(() => {
    const nothing = isBusy ? text.palette.searching : text.palette.nothing;
    onFound(error?.message ?? (hits.length === 0 ? nothing : isBusy ? '' : text.palette.found(hits.length)));
  }, [data, error, isBusy, filter, onFound]);
  const isCommands = filter === 'all' || filter === 'commands';
  const isFirst = useCommands(query).some(({ name }) => isCommands && startsWith(name, query));
  const commands = isCommands && <Commands query={query} then={then} waits={waits && !isFirst} />;
  return (
    <>
      {isFirst && commands}
      {hits.length > 0 && (
        <Menu.Group heading={text.palette.results}>
          {hits.map((hit) => (
            <Item
              key={`${hit.kind} ${hit.scope} ${hit.id}`}
              id={`${hit.kind} ${hit.scope} ${hit.id}`}
              icon={KIND_ICONS[hit.kind]}
              end={hit.at === null ? text.palette.kinds[hit.kind] : formatWhen(hit.at)}
              waits={isBusy}
              onSelect={then(() => openHit(hit))}
            >
              <Hit hit={hit} />
            </Item>
          ))}
        </Menu.Group>
      )}
      {!isFirst && commands}
      {filter === 'all' && children(waits)}
    </>
  );
}

const startsWith = (name: string, query: string) => name.toLowerCase().startsWith(query.toLowerCase());

function Hit({ hit }: { readonly hit: FoundHit }) {
  const { kind, where, speaker, source, fit } = hit;
  const about = [
    ...(speaker === null ? [] : [speakerName(speaker)]),
    ...(where === '' || where === speaker ? [] : [where]),
    ...(source === null || source === where ? [] : [sourceName(source)]),
    ...(fit === 0 ? [text.palette.near] : []),
  ];
  return (
    <span className="line gap-3">
      {hit.image !== null && <MemoryImage scope={hit.scope} image={hit.image} caption="" size="small" />}
      <span className={styles.hit}>
        <span className={styles.snippet}>
          <Marked text={withoutMarkup(hit.text)} />
        </span>
        <small className="note ellipsis">
          {about.length === 0
            ? text.palette.kinds[kind]
            : `${text.palette.kinds[kind]} · ${about.join(' · ')}`}
        </small>
      </span>
    </span>
  );
}

/** Shows what was found where it belongs: in its conversation, on its page, or beside what is open. */
function openHit({ kind, id, scope, session, source, episode, conversation }: FoundHit): void {
  if (conversation !== null) goTo(chatPlace(conversation, kind === 'message' ? id : undefined));
  else if (kind === 'entity') goTo(entityPlace(scope, id));
  else if (kind === 'category') goTo(categoryPlace(scope, id));
  else if (kind === 'fact' && episode !== null) openSource(scope, episode);
  // The chat that it was said in is deleted.
  else if (source === OWN_SOURCE || session === null) openSource(scope, id);
  else goTo(`#${placeOfSession(scope, session, kind === 'turn' ? id : undefined)}`);
}

interface ItemProps {
  readonly id: string;
  readonly icon: LucideIcon;
  /** What stands at the end of the line: a date, keys, a hint. */
  readonly end: ReactNode;
  /** Whether it waits for what is searched. */
  readonly waits?: boolean | undefined;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

function Item({ id, icon: Icon, end, waits = false, onSelect, children }: ItemProps) {
  return (
    <Menu.Item value={id} className={styles.item} disabled={waits} onSelect={onSelect}>
      <Icon size={17} className="faint" aria-hidden />
      <span className="ellipsis fills block">{children}</span>
      {end !== null && <span className={styles.end}>{end}</span>}
    </Menu.Item>
  );
}

/** The text once it has not changed for a moment. */
function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

/** Asks a question in a new chat. */
function askInNewChat(client: MemoryClient, question: string, isPrivate: boolean): void {
  const conversation = crypto.randomUUID();
  setPrivate(conversation, isPrivate);
  const message = { conversation, text: question, parent: null };
  sendMessage(client, message, mannerFor(isPrivate));
  navigate(placeOfMessage(conversation));
}

/** Opens a new chat that neither recalls nor remembers. */
function beginPrivateChat(): void {
  setPrivate(NEW, true);
  navigate('/');
}
