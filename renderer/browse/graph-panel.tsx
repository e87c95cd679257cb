import { Maximize, SlidersHorizontal, X, ZoomIn, ZoomOut } from 'lucide-react';
import { useState } from 'react';
import type { GraphKind, GraphNode } from '../../main/contract.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Failed, Notice } from '../kit/feedback.tsx';
import { goTo, memoryPlace, nodePlace } from '../parts/place/places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { openSource } from '../state/ui.ts';
import { text } from '../strings/text.ts';
import { type Filters, GRAPH_KINDS, GraphFilters, NO_FILTERS } from './graph-filters.tsx';
import styles from './graph-panel.module.css';
import { KindDot } from './kind-dot.tsx';
import { type GraphProps, useGraph } from './use-graph.ts';

/** Memory as a picture: nodes and links on WebGL, with filters, a legend, and a card of what is selected. */
export function GraphPanel(props: GraphProps) {
  const { scope, centre, selected, onSelect } = props;
  const words = text.browse.graph;
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [isFiltering, setFiltering] = useState(false);
  const graph = useGraph(props, filters);
  const { place, view, state, counts, data, error } = graph;
  if (graph.problem !== undefined) return <Failed onRetry={graph.retry}>{graph.problem}</Failed>;
  if (graph.isAbsent) return <Notice kind="warning">{words.noWebGl}</Notice>;
  return (
    <section
      className={styles.panel}
      aria-label={words.label}
      data-state={state}
      data-nodes={counts.nodes}
      data-links={counts.links}
    >
      <p className="visually-hidden">{words.about}</p>
      <div ref={place} className={styles.canvas} aria-hidden data-testid="graph" />
      <div className={styles.tools}>
        <IconButton icon={ZoomIn} label={words.zoomIn} onClick={() => view?.zoom('in')} />
        <IconButton icon={ZoomOut} label={words.zoomOut} onClick={() => view?.zoom('out')} />
        <IconButton icon={Maximize} label={words.fit} onClick={() => void view?.fit()} />
        <IconButton
          icon={SlidersHorizontal}
          label={words.filters}
          aria-expanded={isFiltering}
          onClick={() => setFiltering(!isFiltering)}
        />
      </div>
      {isFiltering && (
        <GraphFilters
          filters={filters}
          choices={data}
          onChange={setFilters}
          onClose={() => setFiltering(false)}
        />
      )}
      {centre !== null && (
        <Button size="small" className={styles.whole!} onClick={() => goTo(memoryPlace(scope, 'browse'))}>
          {words.whole}
        </Button>
      )}
      <div className={styles.middle}>
        {error && <Notice kind="problem">{error.message}</Notice>}
        {data?.nodes.length === 0 && (
          <Notice>
            <strong>{words.nothing}</strong>
            <p>{words.nothingText}</p>
          </Notice>
        )}
      </div>
      {selected !== null && (
        <NodeCard
          node={selected}
          scope={scope}
          onExpand={() => void graph.expand(selected)}
          onClose={() => onSelect(null)}
        />
      )}
      <footer className={styles.foot}>
        <Legend kinds={filters.kinds} layers={data?.layers ?? 0} />
        <p role="status">
          {data !== undefined && words.shown(counts.nodes, Math.max(data.total, counts.nodes), counts.links)}
          {state === 'arranging' && ` · ${words.ordering}`}
        </p>
      </footer>
    </section>
  );
}

interface Dot {
  readonly kind: GraphKind;
  readonly layer: number;
  readonly name: string;
}

function Legend({ kinds, layers }: { readonly kinds: ReadonlySet<GraphKind>; readonly layers: number }) {
  const words = text.browse;
  const shown = GRAPH_KINDS.filter((kind) => kinds.has(kind)).flatMap((kind): readonly Dot[] =>
    kind === 'category'
      ? [4, 3, 2, 1]
          .filter((layer) => layer <= layers)
          .map((layer) => ({ kind, layer, name: words.graph.layer(layer) }))
      : [{ kind, layer: 1, name: words.manyKinds[kind] }],
  );
  return (
    <ul className={styles.legend} aria-label={words.graph.legend}>
      {shown.map(({ kind, layer, name }) => (
        <li key={name} className="line gap-6px">
          <KindDot kind={kind} layer={layer} />
          {name}
        </li>
      ))}
    </ul>
  );
}

interface CardProps {
  readonly node: GraphNode;
  readonly scope: string;
  readonly onExpand: () => void;
  readonly onClose: () => void;
}

function NodeCard({ node, scope, onExpand, onClose }: CardProps) {
  const words = text.browse;
  const { id, kind, layer, size } = node;
  const name = speakerName(node.name);
  const link = kind === 'category' || kind === 'entity' ? nodePlace(scope, node) : null;
  return (
    <section className={styles.card} aria-label={words.graph.selected(name)}>
      <div className="line gap-2">
        <KindDot kind={kind} layer={layer} />
        <strong className="ellipsis fills">{name}</strong>
        <IconButton icon={X} iconSize={15} label={words.graph.unselect} onClick={onClose} />
      </div>
      <p className="soft text-13">
        {kind === 'category' ? words.layer(layer) : words.kinds[kind]} · {words.graph.sizeOf[kind](size)}
      </p>
      <div className="line wrap gap-3">
        {link !== null && (
          <a href={link} className="medium">
            {words.graph.openPage}
          </a>
        )}
        {kind === 'turn' && (
          <Button size="small" onClick={() => openSource(scope, id)}>
            {words.graph.openSource}
          </Button>
        )}
        <Button size="small" onClick={onExpand}>
          {words.graph.expand}
        </Button>
      </div>
    </section>
  );
}
