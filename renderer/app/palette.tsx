import { Command as Menu } from 'cmdk';
import { CornerDownLeft, type LucideIcon, MessageSquare, Search, Sparkles, TextSearch } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type ReactNode, useCallback, useDeferredValue, useEffect, useRef, useState } from 'react';
import { toast } from 'sonner';
import { navigate } from 'wouter/use-hash-location';
import type { ConversationHit, MemoryClient } from '../../main/contract.ts';
import { Marked } from '../kit/marked.tsx';
import { markWords, withoutMarkup } from '../kit/marked-parts.ts';
import { placeOfMessage } from '../parts/conversation/conversation-place.ts';
import { titleOf } from '../parts/conversation/title-of.ts';
import { chatPlace, goTo } from '../parts/place/places.ts';
import { keysOf, run, shownKeys } from '../parts/place/shortcuts.ts';
import { useClient, useReply, useSend } from '../state/connection.tsx';
import { mannerFor, NEW, setPrivate } from '../state/manner.ts';
import { sendMessage } from '../state/running-chats.ts';
import { useUi } from '../state/ui.ts';
import { formatWhen, text } from '../strings/text.ts';
import styles from './palette.module.css';
import { type Act, commandsFor, conversationsFor } from './palette-entries.ts';

const [MOST_CONVERSATIONS, MOST_RECENT, MOST_HITS] = [6, 5, 12];
/** As many as the sidebar asks for, so that both share the reply. */
const ALL_CONVERSATIONS = 500;
/** Milliseconds of rest after which the messages are searched. */
const REST = 140;

/** Keys that choose another entry. */
const MOVES = ['ArrowDown', 'ArrowUp', 'Home', 'End'];

/** Everything by keyboard: commands, conversations by title, all messages by their words, and a question to ask. */
export function Palette() {
  const words = text.palette;
  const client = useClient();
  const isPrivate = useReply('settings', {}).data?.preferences.isPrivate ?? false;
  const { set } = useUi();
  const [query, setQuery] = useState('');
  const wanted = useDeferredValue(query.trim());
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState('');
  const [state, setState] = useState('');
  const hasMoved = useRef(false);
  // Replies arrive one after the other: until somebody moves, the first entry is the chosen one.
  const chooseFirst = useCallback((said = '') => {
    setState(said);
    if (hasMoved.current) return;
    setChosen(list.current?.querySelector<HTMLElement>('[cmdk-item]')?.dataset.value ?? '');
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: chooses for each query
  useEffect(() => {
    hasMoved.current = false;
    chooseFirst();
  }, [wanted, chooseFirst]);
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
            onKeyDown={({ key }) => {
              if (MOVES.includes(key)) hasMoved.current = true;
            }}
            onPointerMove={() => {
              hasMoved.current = true;
            }}
          >
            <div className={styles.line}>
              <Search size={18} aria-hidden />
              <Menu.Input
                className={styles.input}
                value={query}
                placeholder={words.placeholder}
                maxLength={1_000}
                onValueChange={setQuery}
              />
            </div>
            <Menu.List ref={list} className={styles.list} label={words.label}>
              {wanted === '' && <Conversations query="" then={then} onFound={chooseFirst} />}
              <Commands query={wanted} then={then} />
              {wanted !== '' && <Conversations query={wanted} then={then} />}
              {wanted !== '' && <Messages query={wanted} then={then} onFound={chooseFirst} />}
              {wanted !== '' && (
                <Menu.Group heading={words.askGroup}>
                  <Item
                    id="ask"
                    icon={Sparkles}
                    end={words.askHint}
                    onSelect={then(() => askInNewChat(client, query.trim(), isPrivate))}
                  >
                    {words.ask(wanted)}
                  </Item>
                </Menu.Group>
              )}
            </Menu.List>
            <p className={styles.state} role="status">
              {wanted !== '' && state}
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

interface PartProps {
  readonly query: string;
  /** Closes the palette before something is done. */
  readonly then: (act: () => void) => () => void;
}

interface Found {
  /** Says that a reply has come, and what there is to say of it. */
  readonly onFound: (state?: string) => void;
}

function Commands({ query, then }: PartProps) {
  const own = useReply('settings', {}).data?.preferences.shortcuts ?? {};
  const save = useSend('saveSettings', ['settings']);
  const found = commandsFor(query);
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

function Conversations({ query, then, onFound }: PartProps & Partial<Found>) {
  const { data } = useReply('conversations', { limit: ALL_CONVERSATIONS });
  // biome-ignore lint/correctness/useExhaustiveDependencies: says so for each reply
  useEffect(() => onFound?.(), [data, onFound]);
  const found = conversationsFor(data?.items ?? [], query, query === '' ? MOST_RECENT : MOST_CONVERSATIONS);
  if (found.length === 0) return null;
  return (
    <Menu.Group heading={query === '' ? text.palette.recent : text.palette.conversations}>
      {found.map((conversation) => (
        <Item
          key={conversation.id}
          id={`conversation ${conversation.id}`}
          icon={MessageSquare}
          end={formatWhen(conversation.updatedAt)}
          onSelect={then(() => goTo(chatPlace(conversation.id)))}
        >
          <Marked text={markWords(titleOf(conversation), query)} />
        </Item>
      ))}
    </Menu.Group>
  );
}

function Messages({ query, then, onFound }: PartProps & Found) {
  const rested = useRested(query);
  const { data, error, isFetching } = useReply(
    'searchConversations',
    { query: rested, limit: MOST_HITS },
    { isOff: rested === '', keep: true },
  );
  const hits = data?.hits ?? [];
  const isBusy = isFetching || rested !== query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: says so for each reply
  useEffect(
    () => onFound(error?.message ?? (isBusy && hits.length === 0 ? text.palette.searching : '')),
    [data, error, isBusy, onFound],
  );
  return (
    <>
      {hits.length > 0 && (
        <Menu.Group heading={text.palette.messages}>
          {hits.map((hit) => (
            <Item
              key={hit.message}
              id={`message ${hit.message}`}
              icon={TextSearch}
              end={formatWhen(hit.at)}
              onSelect={then(() => goTo(chatPlace(hit.conversation, hit.message)))}
            >
              <Hit hit={hit} />
            </Item>
          ))}
        </Menu.Group>
      )}
    </>
  );
}

function Hit({ hit }: { readonly hit: ConversationHit }) {
  return (
    <span className={styles.hit}>
      <span className={styles.snippet}>
        <Marked text={withoutMarkup(hit.snippet)} />
      </span>
      <small className="note ellipsis">
        {hit.role === 'user' ? text.palette.you : text.app.name} ·{' '}
        {hit.title === '' ? text.chat.untitled : hit.title}
      </small>
    </span>
  );
}

interface ItemProps {
  readonly id: string;
  readonly icon: LucideIcon;
  /** What stands at the end of the line: a date, keys, a hint. */
  readonly end: ReactNode;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

function Item({ id, icon: Icon, end, onSelect, children }: ItemProps) {
  return (
    <Menu.Item value={id} className={styles.item} onSelect={onSelect}>
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

/** Asks a question in a new chat, of the project that new chats begin in. */
function askInNewChat(client: MemoryClient, question: string, isPrivate: boolean): void {
  const conversation = crypto.randomUUID();
  setPrivate(conversation, isPrivate);
  const message = { conversation, text: question, parent: null, folder: useUi.getState().folder };
  sendMessage(client, message, mannerFor(isPrivate));
  navigate(placeOfMessage(conversation));
}

/** Opens a new chat that neither recalls nor remembers. */
function beginPrivateChat(): void {
  setPrivate(NEW, true);
  navigate('/');
}
