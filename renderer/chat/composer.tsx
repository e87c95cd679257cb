import { ArrowUp, FileText, Lock, LockOpen, Paperclip, Square, X } from 'lucide-react';
import {
  type KeyboardEvent,
  memo,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { toast } from 'sonner';
import { IconButton } from '../kit/button.tsx';
import { Progress } from '../kit/feedback.tsx';
import { COMMAND_EVENT, type Command, isMac, SHORTCUTS, shownKeys } from '../parts/place/shortcuts.ts';
import { useClient, useMay, useReply } from '../state/connection.tsx';
import { NEW, setPrivate, useManner } from '../state/manner.ts';
import { type SentFile, stopAnswer, useRunningChats } from '../state/running-chats.ts';
import { formatBytes, text } from '../strings/text.ts';
import { type Attachment, type Attachments, nameAndDate } from './attachments.ts';
import styles from './composer.module.css';
import { type Continued, useDraft } from './draft.ts';
import { isComposing, isSendKey } from './keys.ts';
import { ModelMenu } from './model-menu.tsx';

const labels = text.chat.composer;

export interface ComposerHandle {
  /** Puts words into an empty composer and takes the focus. */
  write(words: string): void;
  /** Puts words after what is in the composer, and takes the focus. */
  add(words: string): void;
}

export interface Sent {
  readonly text: string;
  readonly attachments: readonly SentFile[];
}

interface ComposerProps {
  /** The conversation; for a new chat the one that keeps its draft. */
  readonly conversation: string;
  /** By which the window knows its private mode. */
  readonly privacyKey: string;
  readonly isPrivate: boolean;
  /** Whether the chat began privately, so that all of it is private. */
  readonly isHidden?: boolean;
  readonly draft: string;
  /** The imported conversation that it goes on with. */
  readonly continues?: Continued | undefined;
  readonly attachments: Attachments;
  /** Whether an answer is being written that this window did not ask for. */
  readonly isAnswered?: boolean;
  readonly onAttach: () => void;
  readonly onSend: (sent: Sent) => void;
  readonly ref?: Ref<ComposerHandle>;
}

const isTouch = () => window.matchMedia('(pointer: coarse)').matches;
const growsItself = CSS.supports('field-sizing', 'content');

/** Where a message is written. What is typed stays in here, so that the messages are not drawn again at each key. */
export const Composer = memo(function Composer({
  conversation,
  privacyKey,
  isPrivate,
  isHidden = false,
  draft,
  continues,
  attachments,
  isAnswered = false,
  onAttach,
  onSend,
  ref,
}: ComposerProps) {
  const client = useClient();
  const mayChat = useMay('chat');
  const mayAttach = useMay('beginUpload');
  const mayChoose = useMay('endpointModels');
  const [words, setWords] = useState(draft);
  const area = useRef<HTMLTextAreaElement>(null);
  const isOwn = useRunningChats(({ chats }) => chats[conversation]?.isRunning ?? false);
  const isRunning = isOwn || isAnswered;
  const isRemembering = useRunningChats(({ chats }) => chats[conversation]?.isRemembering ?? false);
  /** Sent while memory still takes in the last exchange: it goes out right after. */
  const [isWaiting, setWaiting] = useState(false);
  const send = useReply('settings', {}).data?.preferences.send ?? 'enter';
  const sendKeys = isTouch() ? undefined : send === 'enter' ? 'Enter' : '$mod+Enter';
  const keptDraft = useDraft(conversation, draft, continues);
  const { items, isBusy } = attachments;
  const images = items.filter(({ kind }) => kind === 'image');
  const asksForCaptions = useAsksForCaptions(images.length > 0);
  const isReady =
    (words.trim() !== '' || images.length > 0) && !isBusy && (!isRunning || isRemembering) && !isWaiting;

  const change = (value: string) => {
    setWords(value);
    // What is typed privately would be kept in a file: of a private chat, too, by an engine that has just started.
    keptDraft.keep(isPrivate ? '' : value);
  };
  useImperativeHandle(ref, () => ({
    write(value) {
      change(value);
      area.current?.focus();
    },
    add(value) {
      const before = words.trimEnd();
      if (!before.endsWith(value)) change(before === '' ? value : `${before}\n\n${value}`);
      area.current?.focus();
    },
  }));
  useGrowingArea(area, words);
  useEffect(() => {
    if (!isTouch()) area.current?.focus({ preventScroll: true });
    const act = ({ detail }: CustomEventInit<Command>) => {
      if (detail === 'compose') area.current?.focus();
      if (detail === 'stop') stopAnswer(client, conversation);
    };
    window.addEventListener(COMMAND_EVENT, act);
    return () => window.removeEventListener(COMMAND_EVENT, act);
  }, [client, conversation]);

  const submit = () => {
    if (isBusy) toast(labels.waitsForUpload);
    if (!isReady) return;
    if (isRunning) setWaiting(true);
    else sendNow();
  };
  const sendNow = () => {
    const captionOf = (image: Attachment) => image.caption.trim() || nameAndDate(image);
    onSend({
      text: words.trim() || images.map(captionOf).join('\n'),
      attachments: items.flatMap((item) => {
        const { upload, name, bytes, kind } = item;
        if (upload === null) return [];
        const caption = kind === 'image' && asksForCaptions ? { caption: captionOf(item) } : {};
        return [{ upload, name, bytes, ...caption }];
      }),
    });
    setWords('');
    keptDraft.drop();
    attachments.clear();
  };
  useEffect(() => {
    if (!isWaiting || isRunning) return;
    setWaiting(false);
    sendNow();
  });
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event.nativeEvent)) return;
    if (isSendKey(event.nativeEvent, send, isTouch())) {
      event.preventDefault();
      submit();
    } else if (event.key === 'ArrowUp' && words === '' && editLast()) event.preventDefault();
  };
  const togglePrivate = () => {
    if (!isPrivate && items.length > 0) return void toast(labels.noPrivateFiles);
    if (!isPrivate) keptDraft.drop();
    setPrivate(privacyKey, !isPrivate);
    area.current?.focus();
  };

  if (!mayChat) return <p className="note text-centre">{text.device.reads}</p>;
  return (
    <form
      className={`${styles.composer} ${isPrivate ? styles.private : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {isPrivate && (
        <PrivateNote isWhole={isHidden || privacyKey === NEW} onTurnOff={isHidden ? null : togglePrivate} />
      )}
      {items.length > 0 && <Files {...attachments} asksForCaptions={asksForCaptions} />}
      <textarea
        ref={area}
        className={styles.area}
        rows={1}
        value={words}
        readOnly={isWaiting}
        maxLength={40_000}
        dir="auto"
        aria-label={labels.label}
        placeholder={
          isPrivate
            ? labels.placeholderPrivate
            : continues === undefined
              ? labels.placeholder
              : labels.placeholderContinue
        }
        onChange={({ target }) => change(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.foot}>
        {mayAttach && (
          <IconButton icon={Paperclip} label={labels.attach} disabled={isPrivate} onClick={onAttach} />
        )}
        <IconButton
          icon={isPrivate ? Lock : LockOpen}
          label={labels.private}
          aria-pressed={isPrivate}
          disabled={isHidden}
          onClick={togglePrivate}
        />
        <span className="grows" />
        {mayChoose && <ModelMenu />}
        {isRunning && !isRemembering ? (
          <IconButton
            className={`${styles.send} ${styles.stop}`}
            icon={Square}
            iconSize={13}
            label={labels.stop}
            keys={shownKeys(SHORTCUTS.stop.keys)}
            onClick={() => stopAnswer(client, conversation)}
          />
        ) : (
          <IconButton
            className={styles.send!}
            type="submit"
            icon={ArrowUp}
            iconSize={18}
            label={labels.send}
            keys={sendKeys && shownKeys(sendKeys)}
            aria-keyshortcuts={sendKeys?.replace('$mod', isMac ? 'Meta' : 'Control')}
            disabled={!isReady}
          />
        )}
      </div>
    </form>
  );
});

/** The height follows the words, also in browsers whose fields do not grow by themselves. */
function useGrowingArea(area: RefObject<HTMLTextAreaElement | null>, words: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the words
  useLayoutEffect(() => {
    if (growsItself || area.current === null) return;
    area.current.style.height = 'auto';
    area.current.style.height = `${area.current.scrollHeight}px`;
  }, [words]);
}

/** Clicks the button that edits the last message of the user, as in other chats. */
function editLast(): boolean {
  const edit = [...document.querySelectorAll<HTMLButtonElement>('[data-edit]')].at(-1);
  edit?.click();
  return edit !== undefined;
}

interface PrivateNoteProps {
  /** Whether the whole chat is private. */
  readonly isWhole: boolean;
  readonly onTurnOff: (() => void) | null;
}

function PrivateNote({ isWhole, onTurnOff }: PrivateNoteProps) {
  return (
    <p className={styles.privateNote} role="status">
      <Lock size={14} aria-hidden />
      <span className="grows">{isWhole ? labels.privateChat : labels.privateOn}</span>
      {onTurnOff !== null && (
        <button type="button" className="strong one-line" onClick={onTurnOff}>
          {labels.privateTurnOff}
        </button>
      )}
    </p>
  );
}

/** A person is asked what an image shows where the model does not see it. */
function useAsksForCaptions(hasImages: boolean): boolean {
  const answerer = useManner((manner) => manner.answerer);
  const model = answerer.kind === 'model' ? { model: answerer.name } : {};
  const sees = useReply('seesImages', model, { isOff: !hasImages || answerer.kind === 'local' }).data?.sees;
  return answerer.kind === 'local' || sees === false;
}

interface FilesProps extends Attachments {
  readonly asksForCaptions: boolean;
}

function Files({ items, asksForCaptions, remove, describe }: FilesProps) {
  return (
    <ul className={styles.files} aria-label={labels.attachments}>
      {items.map(({ id, upload, name, bytes, share, problem, preview, caption }) => (
        <li
          key={id}
          className={`${styles.file} ${problem === null ? '' : styles.failedFile}`}
          title={problem ?? name}
        >
          {preview === null ? (
            <FileText size={16} className="faint" aria-hidden />
          ) : (
            <img className={styles.preview} src={preview} alt="" />
          )}
          <div className="fills">
            <span className="block ellipsis">{name}</span>
            {problem !== null ? (
              <small className="block may-break text-12 danger" role="alert">
                {problem}
              </small>
            ) : upload === null ? (
              <Progress share={share} label={labels.uploading(name)} />
            ) : preview !== null && asksForCaptions ? (
              <input
                className={styles.caption}
                value={caption}
                maxLength={1_000}
                aria-label={labels.caption(name)}
                placeholder={labels.captionHint}
                onChange={({ target }) => describe(id, target.value)}
              />
            ) : (
              <small className="block ellipsis text-12 faint">{formatBytes(bytes)}</small>
            )}
          </div>
          <IconButton
            icon={X}
            iconSize={14}
            label={labels.removeAttachment(name)}
            onClick={() => remove(id)}
          />
        </li>
      ))}
    </ul>
  );
}
