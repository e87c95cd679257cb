import type { GraphKind, InputOf, MemoryGraph } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { inputClass } from '../kit/group.tsx';
import { sourceName } from '../parts/turn/source-name.ts';
import { DAY, text } from '../strings/text.ts';
import styles from './graph-filters.module.css';
import { KindDot } from './kind-dot.tsx';

/** What the graph shows. */
export interface Filters {
  readonly kinds: ReadonlySet<GraphKind>;
  /** Null: all. */
  readonly layers: ReadonlySet<number> | null;
  /** Days as YYYY-MM-DD; empty: no limit. */
  readonly from: string;
  readonly to: string;
  readonly source: string;
  readonly limit: number;
}

const DEFAULT_LIMIT = 1_500;
const LIMITS = [300, DEFAULT_LIMIT, 4_000, 10_000];
export const NO_FILTERS: Filters = {
  kinds: new Set(['category', 'entity']),
  layers: null,
  from: '',
  to: '',
  source: '',
  limit: DEFAULT_LIMIT,
};

/** In the order of the filters and the legend. */
export const GRAPH_KINDS: readonly GraphKind[] = ['category', 'entity', 'topic', 'turn'];

/** The request for what the filters say. The last day is a part of the period. */
export function requestOf({
  kinds,
  layers,
  from,
  to,
  source,
  limit,
}: Filters): Omit<InputOf<'graph'>, 'scope'> {
  return {
    kinds: GRAPH_KINDS.filter((kind) => kinds.has(kind)),
    limit,
    ...(layers !== null && { layers: [...layers].sort((a, b) => a - b) }),
    ...(from !== '' && { from: Date.parse(from) }),
    ...(to !== '' && { to: Date.parse(to) + DAY }),
    ...(source !== '' && { source }),
  };
}

interface FilterProps {
  readonly filters: Filters;
  readonly choices: Pick<MemoryGraph, 'sources' | 'layers' | 'said'> | undefined;
  readonly onChange: (filters: Filters) => void;
}

/** What the graph shows, in few lines. */
export function GraphFilters({ onClose, ...props }: FilterProps & { readonly onClose: () => void }) {
  const words = text.browse.graph;
  return (
    <form
      className={styles.filters}
      aria-label={words.filters}
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Kinds {...props} />
      <Lines {...props} />
      <div className="flex apart">
        <Button size="small" kind="quiet" onClick={() => props.onChange(NO_FILTERS)}>
          {words.reset}
        </Button>
        <Button size="small" onClick={onClose}>
          {text.app.close}
        </Button>
      </div>
    </form>
  );
}

/** Kinds of nodes, and layers of categories. At least one kind stays chosen. */
function Kinds({ filters, choices, onChange }: FilterProps) {
  const words = text.browse.graph;
  const { kinds, layers } = filters;
  const all = Array.from({ length: choices?.layers ?? 0 }, (_, at) => at + 1);
  const toggleKind = (kind: GraphKind) => {
    const next = toggled(kinds, kind);
    if (next.size > 0) onChange({ ...filters, kinds: next });
  };
  const toggleLayer = (layer: number) => {
    const next = toggled(layers ?? new Set(all), layer);
    onChange({ ...filters, layers: next.size === all.length ? null : next });
  };
  return (
    <>
      <fieldset className="stack gap-2px">
        <legend className="caption">{words.kinds}</legend>
        {GRAPH_KINDS.map((kind) => (
          <label key={kind} className={styles.check}>
            <input type="checkbox" checked={kinds.has(kind)} onChange={() => toggleKind(kind)} />
            <KindDot kind={kind} />
            {text.browse.manyKinds[kind]}
          </label>
        ))}
      </fieldset>
      {all.length > 1 && kinds.has('category') && (
        <fieldset className="stack gap-2px">
          <legend className="caption">{words.layers}</legend>
          {all.toReversed().map((layer) => (
            <label key={layer} className={styles.check}>
              <input
                type="checkbox"
                checked={layers?.has(layer) ?? true}
                onChange={() => toggleLayer(layer)}
              />
              <KindDot kind="category" layer={layer} />
              {words.layer(layer)}
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}

/** The time of what was said, its source, and how much is shown. */
function Lines({ filters, choices, onChange }: FilterProps) {
  const words = text.browse.graph;
  const day = (at: number | undefined) =>
    at === undefined ? undefined : new Date(at).toISOString().slice(0, 10);
  const sources = (choices?.sources ?? []).map((source) => [source, sourceName(source)] as const);
  return (
    <div className={styles.lines}>
      {(['from', 'to'] as const).map((end) => (
        <label key={end}>
          <span>{words[end]}</span>
          <input
            type="date"
            className={inputClass}
            value={filters[end]}
            min={day(choices?.said?.[0])}
            max={day(choices?.said?.[1])}
            onChange={({ target }) => onChange({ ...filters, [end]: target.value })}
          />
        </label>
      ))}
      <Choice
        label={words.source}
        value={filters.source}
        options={[['', words.anySource], ...sources]}
        onChange={(source) => onChange({ ...filters, source })}
      />
      <Choice
        label={words.size}
        value={String(filters.limit)}
        options={LIMITS.map((limit) => [String(limit), words.sizes(limit)])}
        onChange={(limit) => onChange({ ...filters, limit: Number(limit) })}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select className={inputClass} value={value} onChange={({ target }) => onChange(target.value)}>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function toggled<T>(set: ReadonlySet<T>, item: T): Set<T> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}
