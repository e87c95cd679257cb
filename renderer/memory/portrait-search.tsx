import { Search } from 'lucide-react';
import type { Portrait } from '../../main/contract.ts';
import { formatNumber, text } from '../strings/text.ts';
import { keyOfGroup } from './portrait-groups.ts';
import styles from './portrait-screen.module.css';

interface SearchProps {
  readonly portrait: Portrait;
  readonly query: string;
  /** Key of the only group that is shown; null: all. */
  readonly group: string | null;
  readonly hasGroups: boolean;
  readonly onQuery: (query: string) => void;
  readonly onGroup: (group: string | null) => void;
}

/** Narrows a portrait to facts with certain words, or to one group. */
export function PortraitSearch({ portrait, query, group, hasGroups, onQuery, onGroup }: SearchProps) {
  const words = text.memory.portrait;
  const { groups, facts } = portrait;
  const choices = [
    { key: null, title: words.all, count: facts },
    ...groups.map((each) => ({ key: keyOfGroup(each), title: each.title, count: each.facts.length })),
  ];
  return (
    <div className="stack gap-3">
      <label className="search-box">
        <Search size={16} aria-hidden />
        <span className="visually-hidden">{words.search}</span>
        <input
          type="search"
          value={query}
          placeholder={words.search}
          onChange={({ target }) => onQuery(target.value)}
        />
      </label>
      {groups.length > 1 && hasGroups && (
        <fieldset className="flow gap-6px">
          <legend className="visually-hidden">{words.groups}</legend>
          {choices.map(({ key, title, count }) => (
            <button
              key={key}
              type="button"
              className={styles.filter}
              aria-pressed={group === key}
              title={title}
              onClick={() => onGroup(group === key ? null : key)}
            >
              <span className="ellipsis">{title}</span>
              <b className="figures">{formatNumber(count)}</b>
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}
