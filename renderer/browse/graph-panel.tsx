import { Maximize, SlidersHorizontal, X, ZoomIn, ZoomOut } from 'lucide-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { toast } from 'sonner';
import type { GraphKind, GraphNode, InputOf } from '../../main/contract.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Notice } from '../kit/feedback.tsx';
import { nodePlace } from '../parts/place/places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useClient, useReply } from '../state/connection.tsx';
import { useUi } from '../state/ui.ts';
import { messageOf, text } from '../strings/text.ts';
import type { GraphView } from './graph/graph-view.ts';
import { type Filters, GRAPH_KINDS, GraphFilters, NO_FILTERS, requestOf } from './graph-filters.tsx';
import styles from './graph-panel.module.css';
import { KindDot } from './kind-dot.tsx';

interface PanelProps {
  readonly scope: string;
  readonly selected: GraphNode | null;
  /** Counts the choices made elsewhere: each moves the camera there. */
  readonly moves: number;
  readonly onSelect: (node: GraphNode | null) => void;
}

const isStill = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;
/** Neighbours that are added at once. */
const NEIGHBOURS = 40;

/** Memory as a picture: nodes and links on WebGL, with filters, a legend, and a card of what is selected. */
export function GraphPanel({ scope, selected, moves, onSelect }: PanelProps) {
  const words = text.browse.graph;
  const client = useClient();
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [isFiltering, setFiltering] = useState(false);
  const [state, setState] = useState<'loading' | 'arranging' | 'still'>('loading');
  const [counts, setCounts] = useState({ nodes: 0, links: 0 });
  const request: InputOf<'graph'> = { scope, ...requestOf(filters) };
  const { data, error } = useReply('graph', request, { keep: true });
  const count = useCallback((view: GraphView) => setCounts({ nodes: view.nodes, links: view.links }), []);
  const expand = async (node: GraphNode): Promise<void> => {
    try {
      const { limit: _, ...rest } = request;
      const found = await client.graph({ ...rest, around: node.id, limit: NEIGHBOURS });
      // What was found fits the filters of then only.
      if (view.current === null || latest.current.filters !== filters) return;
      view.current.add(found);
      count(view.current);
      toast(words.expanded(found.nodes.length - 1, found.total - found.nodes.length + 1));
    } catch (problem) {
      toast.error(messageOf(problem));
    }
  };
  const current = { onSelect, expand, filters };
  const latest = useRef(current);
  latest.current = current;
  const { place, view, isAbsent, problem, retry } = useView({
    onSelect: (node) => latest.current.onSelect(node),
    onExpand: (node) => void latest.current.expand(node),
    onState: setState,
  });
  const isReady = view.current !== null;
  useEffect(() => {
    if (!isReady || data === undefined || view.current === null) return;
    view.current.show(data);
    count(view.current);
  }, [isReady, data, view, count]);
  // A choice in the tree or of a name may be of a node that the picture does not show yet.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new choice moves the camera
  useEffect(() => {
    const { current } = view;
    if (current === null || state === 'loading') return;
    current.select(selected?.id ?? null);
    if (selected === null || moves === 0) return;
    let isOver = false;
    const show = async () => {
      if (!current.has(selected.id)) {
        const found = await client.graph({ ...requestOf(NO_FILTERS), scope, around: selected.id, limit: 12 });
        if (isOver) return;
        current.add(found);
        count(current);
        current.select(selected.id);
      }
      await current.centre(selected.id);
    };
    show().catch((error: unknown) => {
      if (!isOver) toast.error(messageOf(error));
    });
    return () => {
      isOver = true;
    };
  }, [selected?.id, moves, isReady, state === 'loading']);
  if (problem !== null)
    return (
      <Notice
        kind="problem"
        action={
          <Button size="small" onClick={retry}>
            {text.app.retry}
          </Button>
        }
      >
        {problem}
      </Notice>
    );
  if (isAbsent) return <Notice kind="warning">{words.noWebGl}</Notice>;
  const isEmpty = data !== undefined && data.nodes.length === 0;
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
        <IconButton icon={ZoomIn} label={words.zoomIn} onClick={() => view.current?.zoom('in')} />
        <IconButton icon={ZoomOut} label={words.zoomOut} onClick={() => view.current?.zoom('out')} />
        <IconButton icon={Maximize} label={words.fit} onClick={() => void view.current?.fit()} />
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
      {error && (
        <div className={styles.middle}>
          <Notice kind="problem">{error.message}</Notice>
        </div>
      )}
      {isEmpty && (
        <div className={styles.middle}>
          <Notice>
            <strong>{words.nothing}</strong>
            <p>{words.nothingText}</p>
          </Notice>
        </div>
      )}
      {selected !== null && (
        <NodeCard
          node={selected}
          scope={scope}
          onExpand={() => void expand(selected)}
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

interface ViewEvents {
  readonly onSelect: (node: GraphNode | null) => void;
  readonly onExpand: (node: GraphNode) => void;
  readonly onState: (state: 'arranging' | 'still') => void;
}

/** The picture in its element. The part of the app that draws is loaded with the first picture. */
function useView(events: ViewEvents) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<GraphView | null>(null);
  const [isAbsent, setAbsent] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [, setReady] = useState(false);
  const latest = useRef(events);
  latest.current = events;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads it again
  useEffect(() => {
    let isOver = false;
    const begin = async () => {
      const { GraphView, canDraw } = await import('./graph/graph-view.ts');
      if (isOver || place.current === null) return;
      if (!canDraw()) return setAbsent(true);
      view.current = new GraphView(place.current, {
        isStill: isStill(),
        onSelect: (node) => latest.current.onSelect(node),
        onExpand: (node) => latest.current.onExpand(node),
        onState: (state) => latest.current.onState(state),
      });
      setReady(true);
    };
    begin().catch((error: unknown) => {
      if (!isOver) setProblem(messageOf(error));
    });
    const themes = new MutationObserver(() => view.current?.paint());
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      isOver = true;
      themes.disconnect();
      view.current?.end();
      view.current = null;
    };
  }, [attempt]);
  const retry = () => {
    setProblem(null);
    setAttempt(attempt + 1);
  };
  return { place, view, isAbsent, problem, retry };
}

function Legend({ kinds, layers }: { readonly kinds: ReadonlySet<GraphKind>; readonly layers: number }) {
  const words = text.browse;
  const shown = GRAPH_KINDS.filter((kind) => kinds.has(kind));
  return (
    <ul className={styles.legend} aria-label={words.graph.legend}>
      {shown.flatMap((kind) =>
        kind === 'category'
          ? Array.from({ length: Math.min(4, layers) }, (_, at) => at + 1)
              .reverse()
              .map((layer) => (
                <li key={layer}>
                  <KindDot kind="category" layer={layer} />
                  {words.graph.layer(layer)}
                </li>
              ))
          : [
              <li key={kind}>
                <KindDot kind={kind} />
                {words.manyKinds[kind]}
              </li>,
            ],
      )}
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
  const { set } = useUi();
  const { id, kind, layer, size } = node;
  const name = speakerName(node.name);
  const link = kind === 'category' || kind === 'entity' ? nodePlace(scope, node) : null;
  return (
    <section className={styles.card} aria-label={words.graph.selected(name)}>
      <div className={styles.cardHead}>
        <KindDot kind={kind} layer={layer} />
        <strong>{name}</strong>
        <IconButton icon={X} iconSize={15} label={words.graph.unselect} onClick={onClose} />
      </div>
      <p>
        {kind === 'category' ? words.layer(layer) : words.kinds[kind]} · {words.graph.sizeOf[kind](size)}
      </p>
      <div className={styles.cardActions}>
        {link !== null && <a href={link}>{words.graph.openPage}</a>}
        {kind === 'turn' && (
          <Button size="small" onClick={() => set({ inspected: { kind: 'source', scope, episode: id } })}>
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
