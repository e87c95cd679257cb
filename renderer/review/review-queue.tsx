import { ArrowDown, ArrowUp, CircleCheck, Keyboard, Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ReviewKind } from '../../main/contract.ts';
import { Button, IconButton, MoreButton } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Empty, Notice, Skeleton } from '../kit/feedback.tsx';
import { ForgetDialog } from '../parts/forget/forget-dialog.tsx';
import { openSource } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import { actionsFor, keyTyped } from './review-actions.ts';
import { ReviewDetail } from './review-detail.tsx';
import styles from './review-screen.module.css';
import { titleOfItem } from './review-titles.ts';
import { type Decisions, useDecisions } from './use-decisions.ts';
import { type Queue, useQueue } from './use-queue.ts';

interface QueueProps {
  readonly scope: string;
  readonly kind: ReviewKind;
  /** Other kinds with something to decide. */
  readonly others: readonly { readonly kind: ReviewKind; readonly count: number }[];
  readonly onChoose: (kind: ReviewKind) => void;
}

/** The items of one kind, one of them open. */
export function ReviewQueue({ scope, kind, others, onChoose }: QueueProps) {
  const decisions = useDecisions(scope);
  const queue = useQueue({ scope, kind, isSettled: decisions.isSettled });
  const { list, items, item, isGone } = queue;
  const [editing, setEditing] = useState<string | null>(null);
  const [forgetting, setForgetting] = useState<{ item: string; episode: string } | null>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const open = useRef<HTMLDivElement>(null);
  // Where no item is left, the place of the items takes the focus.
  const focus = () => requestAnimationFrame(() => (heading.current ?? open.current)?.focus());
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
    queue.open(back);
    focus();
  };
  const actions = item === undefined ? [] : actionsFor(item);
  const act = async (key: string) => {
    const does = actions.find((each) => each.key === key)?.does;
    if (item === undefined || does === undefined || decisions.isBusy) return;
    if (does.kind === 'edit') setEditing(does.fact);
    else if (does.kind === 'forget') setForgetting({ item: item.id, episode: does.episode });
    else if (await decisions.decide(item.id, does)) settled();
  };
  useKeys(editing === null, {
    moves: { j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1) },
    acts: {
      ...Object.fromEntries(actions.map(({ key }) => [key, () => void act(key)])),
      u: () => void undo(),
      '?': () => setHelpOpen(true),
    },
  });
  return (
    <>
      <ItemList kind={kind} queue={queue} onShow={(index) => queue.show(index) && moved()} />
      <div ref={open} className={styles.open} tabIndex={-1}>
        <Bar
          queue={queue}
          decisions={decisions}
          onStep={step}
          onUndo={() => void undo()}
          onHelp={() => setHelpOpen(true)}
        />
        {decisions.problem !== null && <Notice kind="problem">{decisions.problem}</Notice>}
        {isGone && items.length > 0 && !list.isFetching && <Notice>{text.review.gone}</Notice>}
        {items.length === 0 && !list.isLoading && list.problem === null && (
          <NothingLeft kind={kind} others={others} onChoose={onChoose} />
        )}
        {item !== undefined && (
          <ReviewDetail
            key={item.id}
            item={item}
            heading={heading}
            actions={actions}
            isBusy={decisions.isBusy}
            editing={editing}
            onAct={(key) => void act(key)}
            onOpen={(episode) => openSource(scope, episode)}
            onEdit={setEditing}
            onSave={async (fact, statement) => {
              const isDone = await decisions.decide(item.id, { kind: 'save', fact, statement });
              if (isDone) settled();
              return isDone;
            }}
          />
        )}
      </div>
      {forgetting !== null && (
        <ForgetDialog
          scope={scope}
          episodes={[forgetting.episode]}
          onClose={(isForgotten) => {
            if (isForgotten) decisions.forgot(forgetting.item);
            setForgetting(null);
            if (isForgotten) settled();
            else focus();
          }}
        />
      )}
      <Help isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </>
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

interface ListProps {
  readonly kind: ReviewKind;
  readonly queue: Queue;
  readonly onShow: (index: number) => void;
}

function ItemList({ kind, queue: { list, items, item }, onShow }: ListProps) {
  const words = text.review;
  const { name, about } = words.kinds[kind];
  return (
    <section className="stack gap-2 may-narrow" aria-label={words.queue(name)}>
      <p className="soft text-14">{about}</p>
      {list.isLoading && <Skeleton height={160} />}
      {list.problem !== null && <Notice kind="problem">{list.problem}</Notice>}
      <ul className={styles.list}>
        {items.map((each, index) => (
          <li key={each.id}>
            <button
              type="button"
              className={styles.row}
              aria-current={each.id === item?.id || undefined}
              onClick={() => onShow(index)}
            >
              {titleOfItem(each)}
            </button>
          </li>
        ))}
      </ul>
      <MoreButton isShown={list.hasMore} disabled={list.isFetchingMore} onClick={list.more}>
        {words.more}
      </MoreButton>
    </section>
  );
}

interface BarProps {
  readonly queue: Queue;
  readonly decisions: Decisions;
  readonly onStep: (by: 1 | -1) => void;
  readonly onUndo: () => void;
  readonly onHelp: () => void;
}

/** What the last decision did, and the way to the other items. */
function Bar({ queue: { items, here, total }, decisions, onStep, onUndo, onHelp }: BarProps) {
  const words = text.review;
  const { isBusy, busyWords, last, canUndo } = decisions;
  return (
    <div className={styles.bar}>
      <p className="soft text-14" role="status">
        {isBusy ? busyWords : last}
      </p>
      {canUndo && (
        <Button size="small" icon={Undo2} aria-keyshortcuts="u" disabled={isBusy} onClick={onUndo}>
          {words.actions.undo} <kbd>U</kbd>
        </Button>
      )}
      <span className="grows" />
      {items.length > 0 && <span className="note">{words.place(here + 1, total)}</span>}
      <IconButton
        icon={ArrowUp}
        label={words.previous}
        keys="K"
        disabled={here <= 0}
        onClick={() => onStep(-1)}
      />
      <IconButton
        icon={ArrowDown}
        label={words.next}
        keys="J"
        disabled={here >= items.length - 1}
        onClick={() => onStep(1)}
      />
      <IconButton icon={Keyboard} label={words.actions.help} keys="?" onClick={onHelp} />
    </div>
  );
}

function NothingLeft({ kind, others, onChoose }: Omit<QueueProps, 'scope'>) {
  const words = text.review;
  const { empty, emptyText } = words.kinds[kind];
  return (
    <Empty icon={CircleCheck} title={empty}>
      <p>{emptyText}</p>
      <div className={styles.others}>
        {others.map((other) => (
          <Button key={other.kind} size="small" onClick={() => onChoose(other.kind)}>
            {words.goTo(words.kinds[other.kind].name, other.count)}
          </Button>
        ))}
      </div>
    </Empty>
  );
}

function Help({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const words = text.review.help;
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
