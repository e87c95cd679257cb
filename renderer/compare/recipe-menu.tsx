import { useId } from 'react';
import type { OutputOf } from '../../main/contract.ts';
import { Options } from '../kit/field.tsx';
import { timelineText } from '../strings/timeline-text.ts';
import styles from './compare-screen.module.css';

type Recipe = OutputOf<'recipes'>['items'][number];
const GROUPS = ['general', 'papers', 'ablations'] as const;

interface MenuProps {
  readonly label: string;
  readonly value: string;
  readonly recipes: readonly Recipe[];
  /** Whether a model is configured: recipes that need one are marked otherwise. */
  readonly hasModel: boolean;
  readonly onChange: (name: string) => void;
}

/** The choice of a recipe, with a sentence about the chosen one. */
export function RecipeMenu({ label, value, recipes, hasModel, onChange }: MenuProps) {
  const words = timelineText.compare;
  const id = useId();
  const chosen = recipes.find(({ name, aliases }) => name === value || aliases.includes(value));
  const nameOf = ({ name, aliases, model }: Recipe) =>
    [
      aliases[0] === undefined ? name : `${name} (${aliases[0]})`,
      ...(model === 'needed' && !hasModel ? [words.needsModel] : []),
    ].join(', ');
  return (
    <div className="stack gap-5px may-narrow">
      <label className="text-14 medium" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className={styles.menu}
        value={chosen?.name ?? value}
        aria-describedby={`${id}-about`}
        onChange={({ target }) => onChange(target.value)}
      >
        {chosen === undefined && <option value={value}>{value}</option>}
        {GROUPS.map((group) => (
          <optgroup key={group} label={words.groups[group]}>
            <Options
              of={recipes
                .filter((each) => each.group === group)
                .map((each) => ({ value: each.name, label: nameOf(each) }))}
            />
          </optgroup>
        ))}
      </select>
      <p id={`${id}-about`} className="note">
        {chosen !== undefined && `${sentence(chosen.description, recipes)} ${words.model[chosen.model]}`}
      </p>
    </div>
  );
}

/** Names of recipes keep their form. */
function sentence(description: string, recipes: readonly Recipe[]): string {
  const isName = recipes.some(({ name }) => description.startsWith(name));
  const begun = isName ? description : `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
