import { useEffect, useRef, useState } from 'react';
import { toast } from 'sonner';
import type { GraphNode, InputOf } from '../../main/contract.ts';
import { useClient, useReply } from '../state/connection.tsx';
import { messageOf, text } from '../strings/text.ts';
import type { GraphView } from './graph/graph-view.ts';
import { type Filters, NO_FILTERS, requestOf } from './graph-filters.tsx';

export interface GraphProps {
  readonly scope: string;
  /** Id of what the picture is around; null: all of memory. */
  readonly centre: string | null;
  readonly selected: GraphNode | null;
  /** Counts the choices made elsewhere: each moves the camera there. */
  readonly moves: number;
  readonly onSelect: (node: GraphNode | null) => void;
}

/** Neighbours that are added at once; around a node that the picture did not show; and within two steps of its centre. */
const [NEIGHBOURS, AROUND, WITHIN] = [40, 12, 60];

/** What the picture shows: the reply to the filters, and what a person added to it. */
export function useGraph({ scope, centre, selected, moves, onSelect }: GraphProps, filters: Filters) {
  const client = useClient();
  const [state, setState] = useState<'loading' | 'arranging' | 'still'>('loading');
  const [counts, setCounts] = useState({ nodes: 0, links: 0 });
  const request: InputOf<'graph'> = { scope, ...requestOf(filters) };
  const { data, error } = useReply(
    'graph',
    centre === null ? request : { ...request, around: centre, steps: 2, limit: WITHIN },
    { keep: true },
  );
  const expand = async (node: GraphNode): Promise<void> => {
    try {
      const found = await client.graph({ ...request, around: node.id, limit: NEIGHBOURS });
      // What was found fits the filters of then only.
      const now = latest.current;
      if (now.view === null || now.filters !== filters) return;
      now.view.add(found);
      count(now.view);
      toast(text.browse.graph.expanded(found.nodes.length - 1, found.total - found.nodes.length + 1));
    } catch (problem) {
      toast.error(messageOf(problem));
    }
  };
  const count = ({ nodes, links }: GraphView) => setCounts({ nodes, links });
  const { place, view, isAbsent, problem, retry } = useView({
    onSelect,
    onExpand: expand,
    onState: setState,
  });
  const latest = useRef({ view, filters });
  latest.current = { view, filters };
  /** Whether the centre was shown as the selected node. */
  const hasBegun = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new reply or picture is shown once
  useEffect(() => {
    if (view === null || data === undefined) return;
    view.show(data);
    count(view);
    const [first] = data.nodes;
    if (centre === null || hasBegun.current || first === undefined) return;
    hasBegun.current = true;
    onSelect(first);
  }, [view, data]);
  // A choice in the tree or of a name may be of a node that the picture does not show yet.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new choice moves the camera
  useEffect(() => {
    if (view === null || state === 'loading') return;
    view.select(selected?.id ?? null);
    if (selected === null || moves === 0) return;
    let isOver = false;
    const show = async () => {
      if (!view.has(selected.id)) {
        const around = { ...requestOf(NO_FILTERS), scope, around: selected.id, limit: AROUND };
        const found = await client.graph(around);
        if (isOver) return;
        view.add(found);
        count(view);
        view.select(selected.id);
      }
      await view.centre(selected.id);
    };
    show().catch((error: unknown) => {
      if (!isOver) toast.error(messageOf(error));
    });
    return () => {
      isOver = true;
    };
  }, [selected?.id, moves, view, state === 'loading']);
  return { place, view, isAbsent, problem, retry, state, counts, data, error, expand };
}

interface ViewEvents {
  readonly onSelect: (node: GraphNode | null) => void;
  readonly onExpand: (node: GraphNode) => Promise<void>;
  readonly onState: (state: 'arranging' | 'still') => void;
}

interface Drawing {
  readonly view: GraphView | null;
  /** Whether the browser cannot draw it. */
  readonly isAbsent?: boolean;
  readonly problem?: string;
}

/** The picture in its element. The part of the app that draws is loaded with the first picture. */
function useView(events: ViewEvents) {
  const place = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<Drawing>({ view: null });
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(events);
  latest.current = events;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads it again
  useEffect(() => {
    let view = null as GraphView | null;
    let isOver = false;
    const begin = async () => {
      const { GraphView, canDraw } = await import('./graph/graph-view.ts');
      if (isOver || place.current === null) return;
      if (!canDraw()) return setDrawing({ view, isAbsent: true });
      view = new GraphView(place.current, {
        isStill: window.matchMedia('(prefers-reduced-motion: reduce)').matches,
        onSelect: (node) => latest.current.onSelect(node),
        onExpand: (node) => void latest.current.onExpand(node),
        onState: (state) => latest.current.onState(state),
      });
      setDrawing({ view });
    };
    begin().catch((error: unknown) => {
      if (!isOver) setDrawing({ view: null, problem: messageOf(error) });
    });
    const themes = new MutationObserver(() => view?.paint());
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      isOver = true;
      themes.disconnect();
      view?.end();
    };
  }, [attempt]);
  const retry = () => {
    setDrawing({ view: null });
    setAttempt(attempt + 1);
  };
  return { place, ...drawing, retry };
}
