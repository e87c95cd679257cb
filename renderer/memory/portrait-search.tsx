import { Search } from 'lucide-react';
import type { Portrait } from '../../main/contract.ts';
import { formatNumber, text } from '../strings/text.ts';
import styles from './portrait-screen.module.css';

interface SearchProps {
  readonly portrait: Portrait;
  readonly query: string;
  /** Key of the only section that is shown; null: all. */
  readonly only: string | null;
  readonly hasSections: boolean;
  readonly onQuery: (query: string) => void;
  readonly onOnly: (section: string | null) => void;
}

/** Narrows a portrait to facts with certain words, or to one section. */
export function PortraitSearch({ portrait, query, only, hasSections, onQuery, onOnly }: SearchProps) {
  const words = text.memory.portrait;
  const { sections } = portrait;
  const choices = [{ key: null, title: words.all, total: null }, ...sections];
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
      {sections.length > 1 && hasSections && (
        <fieldset className="flow gap-6px">
          <legend className="visually-hidden">{words.sections}</legend>
          {choices.map(({ key, title, total }) => (
            <button
              key={key}
              type="button"
              className={styles.filter}
              aria-pressed={only === key}
              title={title}
              onClick={() => onOnly(only === key ? null : key)}
            >
              <span className="ellipsis">{title}</span>
              {total !== null && <b className="figures">{formatNumber(total)}</b>}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}
