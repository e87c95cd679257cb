import type { LayerNode } from '../../categorizer.ts';
import { categoryNameOf, type Draft, type Drafts } from './drafts.ts';
import { type EntityWork, isBeneath, isLabel, put, type Readings } from './label-groups.ts';
import { NameReader, type ReadingTools, type Subject } from './read-name.ts';
import type { Label } from './vocabulary.ts';
import { baseForm, isKnownNoun } from './words.ts';

/** In a large memory names share words by chance: [entities, names that must share a word]. */
const SHARED_BY: readonly (readonly [number, number])[] = [
  [24_000, 14],
  [6_000, 9],
  [1_500, 6],
  [450, 4],
];
/** How many names must be alike to form a category of their own. */
export function fewestAlike(entities: number, minimum: number): number {
  return Math.max(minimum, SHARED_BY.find(([size]) => entities >= size)?.[1] ?? 0);
}

/** Overlap from which a theme duplicates a category. */
const DUPLICATE_OVERLAP = 0.7;

interface Theme {
  readonly term: string;
  readonly nodes: Set<LayerNode>;
  readonly surfaces: Map<string, number>;
}

/** Adds a second grouping: names that share a word, "pottery class" and "pottery project" (many to many). */
export async function addThemes(work: EntityWork): Promise<void> {
  const { nodes, minimum, tools, drafts } = work;
  const inMemory = new Set(nodes.map(({ name }) => name.toLowerCase()));
  const reader = new NameReader(tools);
  const least = fewestAlike(nodes.length, minimum);
  const before = drafts.all();
  const themes = new Set<Draft>();
  const shared = (await themesOf(work)).filter((theme) => theme.nodes.size >= least);
  for (const theme of withoutDuplicates(shared)) {
    await work.breather.breathe();
    const labels = labelsOf(theme, reader, work);
    const heads = headedBy(theme.term, theme.nodes, work.readings);
    // A "city skyline view" is no city, but a "pottery class" is of pottery.
    const isOfKind = heads.size >= least && isKind(theme, heads);
    const name = nameOf(theme, labels, { reader, isKind: isOfKind });
    const label = tools.vocabulary.named(name) ?? synonymOf(theme, labels, tools);
    if (label === undefined && !isOfKind && !isTopic(theme, labels, { ...tools, inMemory })) continue;
    const nodes = label !== undefined || isOfKind ? heads : theme.nodes;
    if (nodes.size < least || ![label ?? labels].flat().some(({ isShown }) => isShown)) continue;
    const same = before.filter(
      (draft) => !isAbove(draft, labels) && overlap(draft.nodes, nodes) >= DUPLICATE_OVERLAP,
    );
    if (label === undefined && !same.every(isBroadest)) continue;
    const draft = drafts.add(label?.name ?? name, label === undefined ? labels : [label], nodes);
    if (draft !== null) themes.add(draft);
    for (const broad of same.filter(isBroadest))
      if (broad !== draft && [...broad.nodes].every((node) => nodes.has(node))) drafts.remove(broad);
  }
  for (const draft of before) {
    await work.breather.breathe();
    moveToThemes(
      draft,
      [...themes].filter((theme) => theme !== draft),
      work,
    );
  }
}

/** The nodes whose name is of this kind: "road trip" is a trip, "trip plan" is not. */
function headedBy(term: string, nodes: ReadonlySet<LayerNode>, readings: Readings): ReadonlySet<LayerNode> {
  const isHead = (head: string) => head === term || head.endsWith(` ${term}`);
  return new Set([...nodes].filter((node) => isHead(readings.get(node)!.head)));
}

/** Whether the word names the kind of the names, not their topic. */
function isKind({ term, nodes, surfaces }: Theme, heads: ReadonlySet<LayerNode>): boolean {
  return isSeenInPlural(term, surfaces) || 2 * heads.size >= nodes.size;
}

function isSeenInPlural(term: string, surfaces: ReadonlyMap<string, number>): boolean {
  return [...surfaces.keys()].some((surface) => surface.toLowerCase() !== term && /s$/i.test(surface));
}

/**
 * Whether names can be about it: what has a category finer than the broadest, or a name. A word that the taxonomy does
 * not have is a name if it is one in memory too, several words, or an acronym: "Luna", but not "Add".
 */
function isTopic(
  { term, surfaces }: Theme,
  labels: readonly Label[],
  { taxonomy, vocabulary, inMemory }: ReadingTools & { readonly inMemory: ReadonlySet<string> },
): boolean {
  const isKnown = vocabulary.ofWord(term).length > 0 || isKnownNoun(term, taxonomy);
  if (isKnown) return labels.some(({ isShown, parent }) => isShown && parent !== null);
  const isAcronym = [...surfaces.keys()].some((surface) => /^\p{Lu}.*\p{Lu}/u.test(surface));
  return term.includes(' ') || isAcronym || inMemory.has(term);
}

/** Of two themes of nearly the same names keeps the larger, then the longer term: "Harry Potter", not "potter". */
function withoutDuplicates(themes: readonly Theme[]): readonly Theme[] {
  const ordered = [...themes].sort(
    (a, b) => b.nodes.size - a.nodes.size || b.term.length - a.term.length || (a.term < b.term ? -1 : 1),
  );
  const kept = new Set<Theme>();
  const ofNode = new Map<LayerNode, Set<Theme>>();
  for (const theme of ordered) {
    const met = new Set([...theme.nodes].flatMap((node) => [...(ofNode.get(node) ?? [])]));
    if ([...met].some((other) => overlap(other.nodes, theme.nodes) >= DUPLICATE_OVERLAP)) continue;
    kept.add(theme);
    for (const node of theme.nodes) put(ofNode, node, theme);
  }
  return themes.filter((theme) => kept.has(theme));
}

/**
 * Keeps entities in their finest category: a label keeps the entities that no theme below it has. If too few remain,
 * they move to the label above.
 */
function moveToThemes(draft: Draft, themes: readonly Draft[], { drafts, minimum }: EntityWork): void {
  const [label] = draft.labels;
  if (label === undefined || !isLabel(draft)) return;
  const finer = new Set(themes.flatMap((theme) => (isBeneath(theme, label) ? [...theme.nodes] : [])));
  const own = [...draft.nodes].filter((node) => !finer.has(node));
  const above = label.lineage.slice(1).flatMap(({ name }) => drafts.named(name) ?? [])[0];
  const isEnough = own.length === 0 || own.length >= minimum || above !== undefined;
  if (finer.size === 0) return;
  if (!isEnough) {
    keepOne(draft, themes, { drafts, own });
    return;
  }
  if (own.length < minimum) drafts.remove(draft);
  for (const node of own.length < minimum ? own : []) above!.nodes.add(node);
  for (const node of finer) draft.nodes.delete(node);
}

/** Removes one of a label and a theme of nearly the same entities. */
function keepOne(
  draft: Draft,
  themes: readonly Draft[],
  { drafts, own }: { readonly drafts: Drafts; readonly own: readonly LayerNode[] },
): void {
  const twins = themes.filter(({ nodes }) => overlap(draft.nodes, nodes) >= DUPLICATE_OVERLAP);
  if (twins.length === 0) return;
  const others = drafts.all().filter((each) => each !== draft);
  if (own.every((node) => others.some(({ nodes }) => nodes.has(node)))) drafts.remove(draft);
  else
    for (const twin of twins) if ([...twin.nodes].every((node) => draft.nodes.has(node))) drafts.remove(twin);
}

/** "Things" is less specific than any theme. */
function isBroadest(draft: Draft): boolean {
  return isLabel(draft) && draft.labels[0]!.parent === null;
}

/** The theme is a finer name for the contents of the label. */
function isAbove(draft: Draft, labels: readonly Label[]): boolean {
  return isLabel(draft) && labels.some(({ lineage }) => lineage.includes(draft.labels[0]!));
}

/** A label that the theme's word names already: "kids" are children. */
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

/** What the word means in most of the names that end in it, else its meaning alone. */
function labelsOf(
  { term, nodes }: Theme,
  reader: NameReader,
  { tools: { vocabulary }, readings }: EntityWork,
): readonly Label[] {
  const meant = new Map<string, { readonly labels: readonly Label[]; count: number }>();
  for (const node of nodes) {
    const { head, meaning } = readings.get(node)!;
    if (head !== term || meaning.labels.length === 0) continue;
    const key = meaning.labels.map(({ name }) => name).join('|');
    const known = meant.get(key) ?? { labels: meaning.labels, count: 0 };
    meant.set(key, known);
    known.count++;
  }
  const [most] = [...meant].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
  if (most !== undefined) return most[1].labels;
  const [meaning] = reader.meaningsOf(term, '');
  if (meaning !== undefined && meaning.labels.length > 0) return meaning.labels;
  const topics = vocabulary.named('Topics');
  return topics === undefined ? [] : [topics];
}

/** Category name of a theme. A name stays as written: no "Gromits". */
function nameOf(
  { term, surfaces }: Theme,
  labels: readonly Label[],
  { reader, isKind }: { readonly reader: NameReader; readonly isKind: boolean },
): string {
  const [usual = term] = [...surfaces].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0] ?? [];
  if (/^\p{Lu}.*\p{Lu}/u.test(usual) || (/^\p{Lu}/u.test(usual) && !reader.isKnown(term))) return usual;
  // A kind becomes a plural ("Trips"); a topic does not ("fantasy films" and "fantasy books" are of fantasy).
  return categoryNameOf(term, isKind ? labels : [], isKind && isSeenInPlural(term, surfaces));
}

/** Jaccard index; 0 if the sizes alone rule out `DUPLICATE_OVERLAP`. */
function overlap(a: ReadonlySet<LayerNode>, b: ReadonlySet<LayerNode>): number {
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  if (few.size < DUPLICATE_OVERLAP * many.size) return 0;
  let both = 0;
  for (const node of few) if (many.has(node)) both++;
  return both / (a.size + b.size - both);
}
