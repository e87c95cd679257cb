import { Ellipsis, MessageSquareX, Pencil, Pin, PinOff, Undo2 } from 'lucide-react';
import { memo } from 'react';
import type { FactLine } from '../../../main/contract.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import { Marked } from '../../kit/marked.tsx';
import { markWords } from '../../kit/marked-parts.ts';
import { Menu, MenuItem } from '../../kit/menu.tsx';
import { Tooltip } from '../../kit/tooltip.tsx';
import { openSource, takeBack } from '../../state/ui.ts';
import { text } from '../../strings/text.ts';
import { datesOf, isUnsure } from './fact-dates.ts';
import styles from './fact-item.module.css';
import type { FactActions, Rejected } from './use-fact-actions.ts';

interface FactProps {
  readonly fact: FactLine;
  /** The statement as it is said to the user. Default: as it is stored, which is what the user edits. */
  readonly said?: string;
  readonly scope: string;
  readonly actions: FactActions;
  /** Words to mark. */
  readonly query?: string;
  /** The turn that is shown beside it, which is no source to open. */
  readonly here?: string;
}

/** A fact in words, with its time, its sources, and what a person can do to it. */
export const FactItem = memo(function FactItem(props: FactProps) {
  const { fact, scope, actions, query = '', here, said = fact.statement } = props;
  const words = text.memory.fact;
  const corrections = actions.correctionsOf(fact.id);
  const pinning = corrections.find(({ kind }) => kind === 'pin-fact');
  const editing = corrections.find(({ kind }) => kind === 'edit-fact');
  return (
    <li className={styles.fact}>
      <div className="fills">
        <p className={styles.statement}>
          <Marked text={markWords(said, query)} />
        </p>
        <Meta fact={fact} scope={scope} here={here} />
        {editing !== undefined && (
          <p className="note inline-line gap-5px">
            <Pencil size={12} aria-hidden />
            {words.edited}
            <button type="button" className="underlined" onClick={() => void actions.undo(editing.id)}>
              {text.app.undo}
            </button>
          </p>
        )}
      </div>
      <div className={styles.actions}>
        {fact.isPinned && (
          <Tooltip label={text.memory.terms.pinned}>
            <span className={`middle accent-text ${styles.pin}`}>
              <Pin size={14} aria-label={words.pinned} />
            </span>
          </Tooltip>
        )}
        <Menu trigger={<IconButton icon={Ellipsis} iconSize={16} label={words.actions(said)} />}>
          {!fact.isPinned && (
            <MenuItem icon={Pin} note={text.memory.terms.pin} onSelect={() => void actions.pin(fact)}>
              {words.pin}
            </MenuItem>
          )}
          {pinning !== undefined && (
            <MenuItem icon={PinOff} onSelect={() => void actions.undo(pinning.id, words.done.unpin)}>
              {words.unpin}
            </MenuItem>
          )}
          <MenuItem icon={MessageSquareX} onSelect={() => takeBack({ scope, fact, episodes: [] })}>
            {words.takeBack}
          </MenuItem>
        </Menu>
      </div>
    </li>
  );
});

/** Sources that are shown one by one. */
const FEW_SOURCES = 3;

interface MetaProps {
  readonly fact: FactLine;
  readonly scope: string;
  readonly here: string | undefined;
}

function Meta({ fact, scope, here }: MetaProps) {
  const words = text.memory.fact;
  const dates = datesOf(fact);
  const open = (episode: string) => openSource(scope, episode);
  const sources = fact.sources.filter(({ episode }) => episode !== here);
  const [first] = sources;
  return (
    <p className={styles.meta}>
      {dates !== null && <span>{dates}</span>}
      {isUnsure(fact) && (
        <Tooltip label={text.memory.terms.confidence(Math.round(fact.confidence * 100))}>
          <span className={`warned ${styles.unsure}`}>{words.unsure}</span>
        </Tooltip>
      )}
      {first !== undefined && sources.length === 1 && (
        <button type="button" className="text-link" onClick={() => open(first.episode)}>
          {words.source}
        </button>
      )}
      {sources.length > 1 && (
        <span className={styles.sources}>
          {words.sources}
          {sources.slice(0, FEW_SOURCES).map(({ episode }, at) => (
            <button
              key={episode}
              type="button"
              className="text-link"
              aria-label={words.sourceNumber(at + 1)}
              onClick={() => open(episode)}
            >
              {at + 1}
            </button>
          ))}
          {sources.length > FEW_SOURCES && (
            <Menu
              align="start"
              trigger={
                <button type="button" className="text-link">
                  {words.moreSources(sources.length - FEW_SOURCES)}
                </button>
              }
            >
              {sources.slice(FEW_SOURCES).map(({ episode }, at) => (
                <MenuItem key={episode} onSelect={() => open(episode)}>
                  {words.sourceNumber(FEW_SOURCES + at + 1)}
                </MenuItem>
              ))}
            </Menu>
          )}
        </span>
      )}
    </p>
  );
}

/** A fact that was rejected just now, where it was. */
export function RejectedItem({ item, actions }: { readonly item: Rejected; readonly actions: FactActions }) {
  const words = text.memory.fact;
  return (
    <li className={styles.fact}>
      <div className="fills">
        <p className={`faint ${styles.statement}`}>
          <s>{item.line.statement}</s>
        </p>
        <p className={styles.meta}>{words.rejectedText}</p>
      </div>
      <Button size="small" kind="quiet" icon={Undo2} onClick={() => void actions.undo(item.correction)}>
        {text.app.undo}
      </Button>
    </li>
  );
}
