import { CircleCheck, Keyboard, Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ReviewItem, ReviewKind } from '../../main/contract.ts';
import { Button, IconButton, MoreButton } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Empty, Notice, Skeleton } from '../kit/feedback.tsx';
import { openSource, takeBack } from '../state/ui.ts';
import { reviewText } from '../strings/review-text.ts';
import { text } from '../strings/text.ts';
import { actionsFor, keyTyped, type ReviewAction } from './review-actions.ts';
import { ReviewDetail } from './review-detail.tsx';
import styles from './review-screen.module.css';
import { titleOfItem } from './review-titles.ts';
import { type Decisions, useDecisions } from './use-decisions.ts';
import { useQueue } from './use-queue.ts';

interface QueueProps {
  readonly scope: string;
  readonly list: keyof typeof reviewText.lists;
  readonly kinds: readonly ReviewKind[];
}

/** A line for each item, with what can be decided; one of them is open. */
export function ReviewQueue({ scope, list: name, kinds }: QueueProps) {
  const words = reviewText;
  const decisions = useDecisions(scope);
  const queue = useQueue({ scope, kinds, isSettled: decisions.isSettled });
  const { list, items, item } = queue;
  /** Id of the item whose evidence is shown. */
  const [open, setOpen] = useState<string | null>(null);
  const [editing, setEditing] = useState<string | null>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const section = useRef<HTMLElement>(null);
  // Where no item is left, the place of the items takes the focus.
  const focus = () =>
    requestAnimationFrame(() => {
      const line = section.current?.querySelector<HTMLElement>('[aria-current] [aria-expanded]');
      (line ?? section.current)?.focus();
    });
  const moved = () => {
    setEditing(null);
    focus();
  };
  const step = (by: 1 | -1) => queue.step(by) && moved();
  const settled = () => {
    queue.close();
    moved();
  };
  const undo = async () => {
    const back = await decisions.undo();
    if (back === null) return;
    queue.choose(back);
    focus();
  };
  const act = async (of: ReviewItem, key: string) => {
    const does = actionsFor(of).find((each) => each.key === key)?.does;
    if (does === undefined || decisions.isBusy) return;
    queue.show(items.indexOf(of));
    if (does.kind === 'edit') {
      setOpen(of.id);
      setEditing(does.fact);
    } else if (does.kind === 'forget')
      takeBack({
        scope,
        episodes: [does.episode],
        onForgotten: () => {
          decisions.forgot(of.id);
          settled();
        },
      });
    else if (await decisions.decide(of.id, does)) settled();
  };
  const actions = item === undefined ? [] : actionsFor(item);
  useKeys(editing === null, {
    moves: { j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1) },
    acts: {
      ...Object.fromEntries(actions.map(({ key }) => [key, () => void act(item!, key)])),
      u: () => void undo(),
      '?': () => setHelpOpen(true),
    },
  });
  return (
    <section
      ref={section}
      className={styles.items}
      aria-label={words.queue(words.lists[name].name)}
      tabIndex={-1}
    >
      <Bar decisions={decisions} onUndo={() => void undo()} onHelp={() => setHelpOpen(true)} />
      {[decisions.problem, list.problem].map(
        (problem) =>
          problem !== null && (
            <Notice key={problem} kind="problem">
              {problem}
            </Notice>
          ),
      )}
      {list.isLoading && <Skeleton height={160} />}
      {queue.isGone && items.length > 0 && !list.isFetching && <Notice>{words.gone}</Notice>}
      {items.length === 0 && !list.isLoading && list.problem === null && (
        <Empty icon={CircleCheck} title={words.lists[name].empty}>
          <p>{words.lists[name].emptyText}</p>
        </Empty>
      )}
      <ul className={items.length === 0 ? '' : 'list-frame'}>
        {items.map((each, index) => (
          <li key={each.id} className={styles.item} aria-current={each.id === item?.id || undefined}>
            <button
              type="button"
              className={styles.title}
              aria-expanded={each.id === open}
              onClick={() => {
                queue.show(index);
                setEditing(null);
                setOpen(each.id === open ? null : each.id);
              }}
            >
              {titleOfItem(each)}
            </button>
            <Actions
              actions={actionsFor(each).filter(({ isRare }) => isRare !== true || each.id === open)}
              isBusy={decisions.isBusy}
              onAct={(key) => void act(each, key)}
            />
            {each.id === open && (
              <ReviewDetail
                item={each}
                isBusy={decisions.isBusy}
                editing={editing}
                onOpen={(episode) => openSource(scope, episode)}
                onEdit={setEditing}
                onSave={async (fact, statement) => {
                  const isDone = await decisions.decide(each.id, { kind: 'save', fact, statement });
                  if (isDone) settled();
                  return isDone;
                }}
              />
            )}
          </li>
        ))}
      </ul>
      <MoreButton isShown={list.hasMore} disabled={list.isFetchingMore} onClick={list.more}>
        {words.more}
      </MoreButton>
      <Help isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </section>
  );
}

interface ActionsProps {
  readonly actions: readonly ReviewAction[];
  readonly isBusy: boolean;
  readonly onAct: (key: string) => void;
}

function Actions({ actions, isBusy, onAct }: ActionsProps) {
  return (
    <fieldset className="flow gap-6px">
      <legend className="visually-hidden">{reviewText.actionsLabel}</legend>
      {actions.map(({ key, label, icon, look }) => (
        <Button
          key={key}
          size="small"
          {...(look !== undefined && { kind: look })}
          icon={icon}
          aria-keyshortcuts={key}
          disabled={isBusy}
          onClick={() => onAct(key)}
        >
          {label}
        </Button>
      ))}
    </fieldset>
  );
}

type Keys = Readonly<Record<string, () => void>>;

/** @param keys A move is made again while its key is held; a key that is held decides one item. */
function useKeys(isOn: boolean, keys: { readonly moves: Keys; readonly acts: Keys }): void {
  const onKey = (event: KeyboardEvent) => {
    const key = keyTyped(event);
    if (key === null || !isOn) return;
    const run = keys.moves[key] ?? (event.repeat ? undefined : keys.acts[key]);
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
}

interface BarProps {
  readonly decisions: Decisions;
  readonly onUndo: () => void;
  readonly onHelp: () => void;
}

/** What the last decision did, and the way back. */
function Bar({ decisions: { isBusy, busyWords, last, canUndo }, onUndo, onHelp }: BarProps) {
  const words = reviewText;
  return (
    <div className={styles.bar}>
      <p className="soft text-14" role="status">
        {isBusy ? busyWords : last}
      </p>
      {canUndo && (
        <Button size="small" icon={Undo2} aria-keyshortcuts="u" disabled={isBusy} onClick={onUndo}>
          {words.actions.undo}
        </Button>
      )}
      <span className="grows" />
      <IconButton icon={Keyboard} label={words.actions.help} keys="?" onClick={onHelp} />
    </div>
  );
}

function Help({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const words = reviewText.help;
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={words.title}
      description={words.text}
      actions={
        <Button kind="primary" onClick={onClose}>
          {text.app.close}
        </Button>
      }
    >
      <dl className={styles.keys}>
        {words.rows.map(([key, other, does]) => (
          <div key={key}>
            <dt className="flex gap-1">
              <kbd>{key}</kbd>
              {other !== '' && <kbd>{other}</kbd>}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
