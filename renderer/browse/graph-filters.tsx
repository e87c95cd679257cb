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
  ...{ layers: null, from: '', to: '', source: '', limit: DEFAULT_LIMIT },
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
  readonly onClose: () => void;
}

/** What the graph shows, in few lines. At least one kind stays chosen. */
export function GraphFilters({ filters, choices, onChange, onClose }: FilterProps) {
  const words = text.browse.graph;
  const layers = Array.from({ length: choices?.layers ?? 0 }, (_, at) => at + 1);
  const toggleKind = (kind: GraphKind) => {
    const kinds = toggled(filters.kinds, kind);
    if (kinds.size > 0) onChange({ ...filters, kinds });
  };
  const toggleLayer = (layer: number) => {
    const next = toggled(filters.layers ?? new Set(layers), layer);
    onChange({ ...filters, layers: next.size === layers.length ? null : next });
  };
  const day = (at: number | undefined) =>
    at === undefined ? undefined : new Date(at).toISOString().slice(0, 10);
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
      <fieldset>
        <legend>{words.kinds}</legend>
        {GRAPH_KINDS.map((kind) => (
          <label key={kind} className={styles.check}>
            <input type="checkbox" checked={filters.kinds.has(kind)} onChange={() => toggleKind(kind)} />
            <KindDot kind={kind} />
            {text.browse.manyKinds[kind]}
          </label>
        ))}
      </fieldset>
      {layers.length > 1 && filters.kinds.has('category') && (
        <fieldset>
          <legend>{words.layers}</legend>
          {layers.toReversed().map((layer) => (
            <label key={layer} className={styles.check}>
              <input
                type="checkbox"
                checked={filters.layers?.has(layer) ?? true}
                onChange={() => toggleLayer(layer)}
              />
              <KindDot kind="category" layer={layer} />
              {words.layer(layer)}
            </label>
          ))}
        </fieldset>
      )}
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
        <label>
          <span>{words.source}</span>
          <select
            className={inputClass}
            value={filters.source}
            onChange={({ target }) => onChange({ ...filters, source: target.value })}
          >
            <option value="">{words.anySource}</option>
            {choices?.sources.map((source) => (
              <option key={source} value={source}>
                {sourceName(source)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{words.size}</span>
          <select
            className={inputClass}
            value={filters.limit}
            onChange={({ target }) => onChange({ ...filters, limit: Number(target.value) })}
          >
            {LIMITS.map((limit) => (
              <option key={limit} value={limit}>
                {words.sizes(limit)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div className="flex apart">
        <Button size="small" kind="quiet" onClick={() => onChange(NO_FILTERS)}>
          {words.reset}
        </Button>
        <Button size="small" onClick={onClose}>
          {text.app.close}
        </Button>
      </div>
    </form>
  );
}

function toggled<T>(set: ReadonlySet<T>, item: T): Set<T> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}
