import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, CircleCheck, Keyboard, Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { OutputOf, ReviewKind } from '../../main/contract.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Empty, Notice, Skeleton } from '../kit/feedback.tsx';
import { ForgetDialog } from '../parts/forget/forget-dialog.tsx';
import { useClient } from '../state/connection.tsx';
import { useUi } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import { actionsFor, keyTyped } from './review-actions.ts';
import { ReviewDetail } from './review-detail.tsx';
import styles from './review-screen.module.css';
import { titleOfItem } from './review-titles.ts';
import { useDecisions } from './use-decisions.ts';

const PAGE = 50;

interface QueueProps {
  readonly scope: string;
  readonly kind: ReviewKind;
  /** Other kinds with something to decide. */
  readonly others: readonly { readonly kind: ReviewKind; readonly count: number }[];
  readonly onChoose: (kind: ReviewKind) => void;
}

/** The items of one kind, one of them open. */
export function ReviewQueue({ scope, kind, others, onChoose }: QueueProps) {
  const words = text.review;
  const client = useClient();
  const { set } = useUi();
  const decisions = useDecisions(scope);
  const [chosen, setChosen] = useState<string | null>(null);
  const [place, setPlace] = useState(0);
  const [editing, setEditing] = useState<string | null>(null);
  const [forgetting, setForgetting] = useState<{ item: string; episode: string } | null>(null);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const open = useRef<HTMLDivElement>(null);
  const pages = useInfiniteQuery({
    queryKey: ['reviewItems', scope, kind],
    queryFn: ({ pageParam, signal }) =>
      client.reviewItems(
        { scope, kind, limit: PAGE, ...(pageParam !== null && { after: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: OutputOf<'reviewItems'>) => next,
  });
  const all = pages.data?.pages.flatMap((page) => page.items) ?? [];
  const items = all.filter(({ id }) => !decisions.isSettled(id));
  const total = Math.max(items.length, (pages.data?.pages.at(-1)?.total ?? 0) - (all.length - items.length));
  const at = items.findIndex(({ id }) => id === chosen);
  const here = at >= 0 ? at : Math.min(place, items.length - 1);
  // If the open item disappears, do not select the next one: the user may be deciding about it.
  const isGone = chosen !== null && at < 0;
  const item = isGone ? undefined : items[here];
  useEffect(() => {
    if (chosen === null && item !== undefined) setChosen(item.id);
  }, [chosen, item]);
  // Where no item is left, the place of the items takes the focus.
  const focus = () => requestAnimationFrame(() => (heading.current ?? open.current)?.focus());
  const show = (index: number) => {
    const next = items[Math.max(0, Math.min(items.length - 1, index))];
    if (next === undefined) return;
    setChosen(next.id);
    setPlace(items.indexOf(next));
    setEditing(null);
    focus();
    if (items.indexOf(next) >= items.length - 5 && pages.hasNextPage && !pages.isFetchingNextPage)
      void pages.fetchNextPage();
  };
  /** The next item takes the place of one that was settled. */
  const settled = () => {
    setChosen(null);
    setPlace(here);
    setEditing(null);
    focus();
  };
  const undo = async () => {
    const back = await decisions.undo();
    if (back !== null) {
      setChosen(back);
      focus();
    }
  };
  const actions = item === undefined ? [] : actionsFor(item);
  const act = async (key: string) => {
    const action = actions.find((each) => each.key === key);
    if (item === undefined || action === undefined || decisions.isBusy) return;
    if (action.does.kind === 'edit') setEditing(action.does.fact);
    else if (action.does.kind === 'forget') setForgetting({ item: item.id, episode: action.does.episode });
    else if (await decisions.decide(item.id, action.does)) settled();
  };
  const onKey = (event: KeyboardEvent) => {
    const key = keyTyped(event);
    if (key === null || editing !== null) return;
    const moves: Readonly<Record<string, () => void>> = {
      j: () => show(isGone ? here : here + 1),
      ArrowDown: () => show(isGone ? here : here + 1),
      k: () => show(here - 1),
      ArrowUp: () => show(here - 1),
    };
    // A key that is held decides one item.
    if (event.repeat && moves[key] === undefined) return;
    const known: Readonly<Record<string, () => void>> = {
      ...moves,
      u: () => void undo(),
      '?': () => setHelpOpen(true),
    };
    const run = known[key] ?? (actions.some((each) => each.key === key) ? () => void act(key) : undefined);
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
  const names = words.kinds[kind];
  return (
    <>
      <section className="stack gap-2 may-narrow" aria-label={words.queue(names.name)}>
        <p className={styles.about}>{names.about}</p>
        {pages.isPending && <Skeleton height={160} />}
        {pages.error && <Notice kind="problem">{pages.error.message}</Notice>}
        <ul className={styles.list}>
          {items.map((each) => (
            <li key={each.id}>
              <button
                type="button"
                className={styles.row}
                aria-current={each.id === item?.id || undefined}
                onClick={() => show(items.indexOf(each))}
              >
                {titleOfItem(each)}
              </button>
            </li>
          ))}
        </ul>
        {pages.hasNextPage && (
          <Button
            size="small"
            kind="quiet"
            disabled={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            {words.more}
          </Button>
        )}
      </section>
      <div ref={open} className={styles.open} tabIndex={-1}>
        <div className={styles.bar}>
          <p className="soft text-14" role="status">
            {decisions.isBusy ? decisions.busyWords : decisions.last}
          </p>
          {decisions.canUndo && (
            <Button
              size="small"
              icon={Undo2}
              aria-keyshortcuts="u"
              disabled={decisions.isBusy}
              onClick={() => void undo()}
            >
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
            onClick={() => show(here - 1)}
          />
          <IconButton
            icon={ArrowDown}
            label={words.next}
            keys="J"
            disabled={here >= items.length - 1}
            onClick={() => show(here + 1)}
          />
          <IconButton icon={Keyboard} label={words.actions.help} keys="?" onClick={() => setHelpOpen(true)} />
        </div>
        {decisions.problem !== null && <Notice kind="problem">{decisions.problem}</Notice>}
        {isGone && items.length > 0 && !pages.isFetching && <Notice>{words.gone}</Notice>}
        {items.length === 0 && pages.isSuccess && (
          <Empty icon={CircleCheck} title={names.empty}>
            <p>{names.emptyText}</p>
            <div className={styles.others}>
              {others.map((other) => (
                <Button key={other.kind} size="small" onClick={() => onChoose(other.kind)}>
                  {words.goTo(words.kinds[other.kind].name, other.count)}
                </Button>
              ))}
            </div>
          </Empty>
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
            onOpen={(episode) => set({ inspected: { kind: 'source', scope, episode } })}
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
            <dt>
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
