import { Search } from 'lucide-react';
import { text } from '../strings/text.ts';

interface SearchProps {
  readonly query: string;
  readonly onQuery: (query: string) => void;
}

/** Narrows a portrait to facts with certain words, or to the section of that name. */
export function PortraitSearch({ query, onQuery }: SearchProps) {
  const words = text.memory.portrait;
  return (
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
  );
}
