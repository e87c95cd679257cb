import type { LayerNode } from '../categorizer.ts';
import { categoryNameOf } from './category-names.ts';
import type { Draft } from './drafts.ts';
import { isBeneath, isLabel } from './label-groups.ts';
import type { EntityWork } from './layer-work.ts';
import { NameReader, type ReadingTools, type Subject } from './read-name.ts';
import type { Label } from './vocabulary.ts';
import { baseForm, isKnownNoun } from './words.ts';

/** Entities of a large memory share words by chance: [entities, names that have to share one]. */
const SHARED_BY: readonly (readonly [number, number])[] = [
  [24_000, 14],
  [6_000, 9],
  [1_500, 6],
  [450, 4],
];
/** A theme that is nearly the same as a category says nothing new. */
const SAME = 0.7;

interface Theme {
  readonly term: string;
  readonly nodes: Set<LayerNode>;
  readonly surfaces: Map<string, number>;
}

/** A second facet: names that share a word, "pottery class" and "pottery project" (many to many). */
export async function addThemes(work: EntityWork): Promise<void> {
  const { nodes, minimum, tools, drafts } = work;
  const reader = new NameReader(tools);
  const least = Math.max(minimum, SHARED_BY.find(([size]) => nodes.length >= size)?.[1] ?? 0);
  const before = drafts.all();
  const themes: Draft[] = [];
  for (const theme of await themesOf(work)) {
    if (theme.nodes.size < least) continue;
    await work.breather.breathe();
    const labels = labelsOf(theme, reader, tools);
    const name = nameOf(theme, labels);
    const label = tools.vocabulary.named(name) ?? synonymOf(theme, labels, tools);
    if (label !== undefined) drafts.add(label.name, [label], theme.nodes);
    else if (!before.some((draft) => !isAbove(draft, labels) && overlap(draft.nodes, theme.nodes) >= SAME)) {
      const draft = drafts.add(name, labels, theme.nodes);
      if (draft !== null) themes.push(draft);
    }
  }
  for (const draft of before) {
    await work.breather.breathe();
    leaveToThemes(draft, themes, work);
  }
}

/**
 * Entities are where they meet at the finest level: a label keeps what no theme below it has. Too few to stay alone go
 * to the label above.
 */
function leaveToThemes(draft: Draft, themes: readonly Draft[], { drafts, minimum }: EntityWork): void {
  const [label] = draft.labels;
  if (label === undefined || !isLabel(draft)) return;
  const finer = new Set(themes.flatMap((theme) => (isBeneath(theme, label) ? [...theme.nodes] : [])));
  const own = [...draft.nodes].filter((node) => !finer.has(node));
  const above = label.lineage.slice(1).flatMap(({ name }) => drafts.named(name) ?? [])[0];
  const isEnough = own.length === 0 || own.length >= minimum || above !== undefined;
  if (finer.size === 0 || !isEnough) return;
  if (own.length < minimum) drafts.remove(draft);
  for (const node of own.length < minimum ? own : []) above!.nodes.add(node);
  for (const node of finer) draft.nodes.delete(node);
}

/** The theme is a finer name for what the label holds. */
function isAbove(draft: Draft, labels: readonly Label[]): boolean {
  return isLabel(draft) && labels.some(({ lineage }) => lineage.includes(draft.labels[0]!));
}

/** "Kids" are children: a word for what a label already names. */
function synonymOf(
  { term }: Theme,
  labels: readonly Label[],
  { taxonomy, vocabulary }: ReadingTools,
): Label | undefined {
  const [usual] = taxonomy.sensesOf(term);
  return labels.find(({ name }) => {
    const noun = baseForm(name.toLowerCase(), (word) => isKnownNoun(word, taxonomy));
    return (
      usual !== undefined &&
      vocabulary.named(name) !== undefined &&
      taxonomy.sensesOf(noun).slice(0, 2).includes(usual)
    );
  });
}

async function themesOf({ readings, breather }: EntityWork): Promise<readonly Theme[]> {
  const themes = new Map<string, Theme>();
  for (const [node, { subjects }] of readings) {
    await breather.breathe();
    for (const subject of subjects) count(themes, subject, node);
  }
  return [...themes.values()].sort((a, b) => (a.term < b.term ? -1 : 1));
}

function count(themes: Map<string, Theme>, { term, surface }: Subject, node: LayerNode): void {
  const theme = themes.get(term) ?? { term, nodes: new Set(), surfaces: new Map() };
  themes.set(term, theme);
  theme.nodes.add(node);
  theme.surfaces.set(surface, (theme.surfaces.get(surface) ?? 0) + 1);
}

function labelsOf({ term }: Theme, reader: NameReader, { vocabulary }: ReadingTools): readonly Label[] {
  const [meaning] = reader.meaningsOf(term, '');
  if (meaning !== undefined && meaning.labels.length > 0) return meaning.labels;
  const topics = vocabulary.named('Topics');
  return topics === undefined ? [] : [topics];
}

function nameOf({ term, surfaces }: Theme, labels: readonly Label[]): string {
  const [usual = term] = [...surfaces].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0] ?? [];
  if (/^\p{Lu}.*\p{Lu}/u.test(usual)) return usual;
  const isSeenInPlural = [...surfaces.keys()].some(
    (surface) => surface.toLowerCase() !== term && /s$/i.test(surface),
  );
  return categoryNameOf(term, labels, isSeenInPlural);
}

/** Jaccard's index; 0 where their sizes rule out that they are the same. */
function overlap(a: ReadonlySet<LayerNode>, b: ReadonlySet<LayerNode>): number {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  if (few.size < SAME * many.size) return 0;
  let both = 0;
  for (const node of few) if (many.has(node)) both++;
  return both / (a.size + b.size - both);
}
