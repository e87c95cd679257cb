import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import type { CategorizeRequest, Categorizer, LayerNode, ProposedCategory } from '../categorizer.ts';
import { type HierarchySettings, WORTH_A_LAYER } from '../defaults.ts';
import type { HierarchyContext } from '../hierarchy-context.ts';
import { NOT_TRIED } from './close-layer.ts';
import { type DraftCategory, HierarchyDraft, LayerNodes } from './hierarchy-draft.ts';
import { hasRequest, type LayerCursor, type LayerStep, type UpdateMode } from './layer-step.ts';
import { dueNodes, stepRequest } from './step-request.ts';

export interface StepOptions {
  readonly run: string;
  readonly layer: number;
  readonly mode: UpdateMode;
  /** Null at the start of the layer. */
  readonly cursor: LayerCursor | null;
  /** The last forgetting. */
  readonly forgotten: string | null;
  /** Proposals of this run for this layer that are not written yet (`rebuild`). */
  readonly gathered: readonly ProposedCategory[];
  /** Number of children, when it was last offered for splitting, of each category that is too large. */
  readonly sizes: Readonly<Record<string, number>>;
}

export interface PlannedStep {
  readonly step: LayerStep;
  /** Null if there is nothing to ask. */
  readonly request: CategorizeRequest | null;
}

const MOST_NAMES = 8;
const LONGEST_NAME = 60;

/**
 * Plans the next step for a layer. The layer begins again if the cursor belongs to another run, mode or layer, if
 * something was forgotten since, or if a node that it names is gone.
 */
export function planStep(
  { index, settings, newId }: Pick<HierarchyContext, 'index' | 'settings' | 'newId'>,
  { nodesAtOnce }: Pick<Categorizer, 'nodesAtOnce'>,
  options: StepOptions,
): PlannedStep {
  const { run, layer, mode, forgotten, gathered } = options;
  const draft = HierarchyDraft.of(index, newId);
  const nodes = LayerNodes.below(draft, layer);
  const start = { run, mode, layer, after: null, until: nodes.last, forgotten, gathered: null };
  const goesOn = nodesAtOnce !== null && isCurrent(options, nodes);
  const cursor = goesOn ? options.cursor! : start;
  const closing: LayerStep = {
    ...cursor,
    kind: 'close',
    last: null,
    category: null,
    asks: 0,
    left: 0,
    names: [],
    closes: true,
    revision: `${index.entities.revision} ${index.hierarchy.revision}`,
  };
  const place = (asked: readonly LayerNode[]) =>
    ({
      kind: 'place',
      last: asked.at(-1)?.id ?? null,
      asks: asked.length,
      names: shownNames(asked),
    }) as const;
  const planned = (): LayerStep => {
    if (nodesAtOnce === null) return { ...closing, ...place(nodes.all) };
    const isNew = layer > Math.max(1, draft.depth);
    if (isNew && mode === 'update' && !isWorthALayer(index.hierarchy, draft))
      return { ...closing, kind: 'skip', closes: false };
    const due = dueNodes(draft, nodes, cursor);
    const asked = due.slice(0, nodesAtOnce);
    if (asked.length > 0)
      return { ...closing, ...place(asked), left: due.length - asked.length, closes: false };
    const large = tooLarge(draft, settings, options);
    if (large === undefined) return closing;
    const { id, name, children } = large;
    const category = { id, children: children.size };
    return {
      ...closing,
      kind: 'split',
      category,
      asks: children.size,
      names: shownNames([{ name }]),
      closes: false,
    };
  };
  const step = planned();
  const known = { settings, gathered: goesOn ? gathered : [], nodesAtOnce };
  const request = hasRequest(step) ? stepRequest(draft, step, known) : null;
  return { step, request };
}

function isCurrent({ run, layer, mode, cursor, forgotten }: StepOptions, nodes: LayerNodes): boolean {
  return (
    cursor !== null &&
    cursor.run === run &&
    cursor.layer === layer &&
    cursor.mode === mode &&
    cursor.forgotten === forgotten &&
    nodes.has(cursor.after) &&
    nodes.has(cursor.until)
  );
}

/** A few names, cut to a length that fits beside others. */
export function shownNames(named: readonly { readonly name: string }[]): string[] {
  return named.slice(0, MOST_NAMES).map(({ name }) => {
    return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`.toWellFormed();
  });
}

/**
 * A category is split when it becomes too large, and again each time it doubles: asking about one that cannot be split
 * in every run would cost too much.
 */
function tooLarge(
  draft: HierarchyDraft,
  { maximumChildren }: HierarchySettings,
  { layer, sizes }: StepOptions,
): DraftCategory | undefined {
  return draft.categories(layer).find(({ id, children }) => {
    const before = sizes[id] ?? 0;
    return timesDoubled(children.size, maximumChildren) > timesDoubled(before, maximumChildren);
  });
}

/** 0 up to the maximum, 1 up to twice as much, and so on. */
function timesDoubled(children: number, maximum: number): number {
  return children <= maximum ? 0 : Math.ceil(Math.log2(children / maximum));
}

/** With more large categories than this, the smallest of them are offered for splitting again in each run. */
const MOST_SIZES = 300;

/** `StepOptions.sizes` at the start of a run. */
export function sizesOfLarge(
  hierarchy: HierarchyIndex,
  { maximumChildren }: HierarchySettings,
): Record<string, number> {
  const sizes = [...hierarchy.all()].map((id) => [id, hierarchy.childCount(id)] as const);
  const large = sizes.filter(([, size]) => size > maximumChildren).sort((a, b) => b[1] - a[1]);
  return Object.fromEntries(large.slice(0, MOST_SIZES));
}

function isWorthALayer({ record }: HierarchyIndex, draft: HierarchyDraft): boolean {
  // `topNodes` is from the last failed attempt, which had the same number of layers.
  if (record?.stoppedBy === 'few-nodes') return true;
  if (record === null || record.layers !== draft.depth || record.topNodes === NOT_TRIED) return true;
  const now = draft.categories(draft.depth).length;
  const change = Math.abs(now - record.topNodes);
  return change >= Math.max(record.minimumChildren, WORTH_A_LAYER * record.topNodes);
}
