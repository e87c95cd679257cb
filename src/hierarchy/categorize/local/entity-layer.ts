import type { LayerNode } from '../../categorizer.ts';
import { SPEAKER } from '../../category-name.ts';
import { type Draft, Drafts, otherOf } from './drafts.ts';
import {
  addByLabel,
  addDates,
  type EntityWork,
  isBeneath,
  isGroupedAbove,
  isLabel,
  type LayerWork,
  put,
  type Readings,
} from './label-groups.ts';
import { type Meaning, NameReader, type NameReading } from './read-name.ts';
import { addThemes } from './themes.ts';
import { addByVector, Centre, type Point } from './vector-groups.ts';
import type { Label } from './vocabulary.ts';

/** Groups entities at the finest level that has enough of them. */
export async function groupEntities(layer: LayerWork): Promise<Drafts> {
  const drafts = new Drafts();
  const readings = await settleMeanings(await readEntities(layer), layer);
  const work: EntityWork = { ...layer, readings, drafts, left: new Set() };
  addSpeaker(work);
  addDates(work);
  await addByLabel(work);
  await addThemes(work);
  await layer.breather.breathe();
  await addByVector(work);
  dropSmall(work);
  addMiscellaneous(work);
  nameRemainders(work);
  return drafts;
}

function addSpeaker({ readings, tools, drafts }: EntityWork): void {
  const people = tools.vocabulary.named('People');
  const speakers = [...readings].filter(([, { isSpeaker }]) => isSpeaker).map(([node]) => node);
  if (speakers.length > 0) drafts.add(SPEAKER, people === undefined ? [] : [people], speakers);
}

/** Last resort: places interjections, typos and entities that are alone in their kind. */
function addMiscellaneous(work: EntityWork): void {
  const { readings, tools, drafts, minimum, left: later } = work;
  placeSpareDates(work);
  const placed = drafts.placed();
  const left = [...readings.keys()].filter((node) => !placed.has(node) && !later.has(node));
  const label = tools.vocabulary.named('Miscellaneous');
  if (label !== undefined && left.length >= minimum) drafts.add(label.name, [label], left);
}

/** Adds dates too few for a category of their own to those of "Time", if there are any. */
function placeSpareDates(work: EntityWork): void {
  const time = work.tools.vocabulary.named('Time');
  const placed = work.drafts.placed();
  const dates = [...work.readings].filter(([node, { date }]) => date !== null && !placed.has(node));
  if (time === undefined || !isGroupedAbove(time, dates.length, work)) return;
  for (const [node] of dates) work.left.add(node);
}

export function dropSmall({ drafts, minimum }: Pick<EntityWork, 'drafts' | 'minimum'>): void {
  for (const draft of drafts.all())
    if (draft.nodes.size < minimum && draft.name !== SPEAKER) drafts.remove(draft);
}

/** From this share of lower-case names on, a capital marks a proper name. */
const SMALL_SHARE = 0.2;

/** Names of more words are usually titles. */
const LONGEST_HEADING = 3;

/** Sorted by id, so that later steps do not depend on the order of the nodes. */
export async function readEntities({ nodes, tools, breather }: LayerWork): Promise<Readings> {
  const reader = new NameReader(tools);
  const capitalsMarkNames = usesLowerCase(nodes);
  const small = lowerCaseWords(nodes);
  const readings = new Map<LayerNode, NameReading>();
  for (const node of [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const isName = capitalsMarkNames && !isCommon(node.name, small, reader);
    readings.set(node, reader.read(node.name, node.tags, isName));
    await breather.breathe();
  }
  return readings;
}

function usesLowerCase(nodes: readonly LayerNode[]): boolean {
  const things = nodes.filter(({ tags: [kind] }) => kind !== 'person' && kind !== 'date');
  const small = things.filter(({ name }) => /^\p{Ll}/u.test(name));
  return small.length > 0 && small.length >= SMALL_SHARE * things.length;
}

function lowerCaseWords(nodes: readonly LayerNode[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ name }) => name.split(' ')).filter((word) => word === word.toLowerCase()));
}

/**
 * Whether a capitalised name is a common noun: "Gadgets" from the start of a sentence, "Balanced Diet" from a
 * heading, when "gadgets" and "balanced diet" occur too.
 */
function isCommon(name: string, small: ReadonlySet<string>, reader: NameReader): boolean {
  const lower = name.toLowerCase();
  if (name.slice(0, 1) === lower.slice(0, 1)) return false;
  const words = lower.split(' ');
  const isHeading = words.length <= LONGEST_HEADING && words.every((word) => small.has(word));
  return isHeading || reader.isPlural(name);
}

/** Names of one meaning that a label needs for a centre. */
const FEWEST = 3;
/** Minimum cosine to the centre of a less usual meaning. */
const NEAR = 0.35;
/** How much that cosine must exceed the one of the usual meaning. */
const NEARER = 0.15;

type Centres = ReadonlyMap<Label, Centre>;

/**
 * Chooses, of several meanings of a name, the one shared by its neighbours in memory: among songs and playlists a
 * "genre" is one of music. Falls back to the usual meaning if they do not decide.
 */
async function settleMeanings(readings: Readings, { breather }: LayerWork): Promise<Readings> {
  const centres = await centresOf(readings, breather);
  const settled = new Map<LayerNode, NameReading>();
  for (const [node, reading] of readings) {
    await breather.breathe();
    const vector = reading.others.length > 0 && centres.size > 0 ? node.vector : null;
    settled.set(node, vector === null ? reading : settle(reading, { node, vector }, centres));
  }
  return settled;
}

/** Centres of labels, from names with only one meaning. */
async function centresOf(readings: Readings, breather: LayerWork['breather']): Promise<Centres> {
  const asked = new Set<Label>();
  for (const { meaning, others } of readings.values())
    if (others.length > 0)
      for (const { labels } of [meaning, ...others]) for (const label of labels) asked.add(label);
  const members = new Map<Label, Set<LayerNode>>();
  for (const [node, { meaning, others }] of readings)
    if (others.length === 0)
      for (const label of meaning.labels) if (asked.has(label)) put(members, label, node);
  const centres = new Map<Label, Centre>();
  for (const [label, nodes] of members) {
    await breather.breathe();
    if (nodes.size >= FEWEST) centres.set(label, new Centre(nodes));
  }
  return centres;
}

function settle(reading: NameReading, point: Point, centres: Centres): NameReading {
  const { meaning, others } = reading;
  const usual = Math.max(0, similarity(meaning, point, centres));
  let [best, most] = [meaning, Math.max(NEAR, usual + NEARER)];
  for (const other of others) {
    const near = similarity(other, point, centres);
    if (near > most && !isBroad(other, meaning)) [best, most] = [other, near];
  }
  if (best === meaning) return reading;
  return { ...reading, meaning: best, others: others.filter((other) => other !== best) };
}

function similarity({ labels }: Meaning, point: Point, centres: Centres): number {
  return Math.max(-1, ...labels.map((label) => centres.get(label)?.similarity(point) ?? -1));
}

/** Whether the meaning is above the usual one, or among the broadest, whose members have little in common. */
function isBroad(other: Meaning, { labels }: Meaning): boolean {
  return other.labels.every(
    (label) => label.parent === null || labels.some(({ lineage }) => lineage.includes(label)),
  );
}

/** Renames a label that keeps entities beside finer categories of it to "Other …": the next layer uses its name. */
function nameRemainders({ drafts, minimum }: Pick<EntityWork, 'drafts' | 'minimum'>): void {
  const all = drafts.all();
  for (const draft of all.filter(isLabel)) {
    const beneath = all.filter((each) => each !== draft && isBeneath(each, draft.labels[0]!));
    if (beneath.length >= minimum - 1) rename(draft, drafts);
  }
}

function rename(draft: Draft, drafts: Drafts): void {
  drafts.remove(draft);
  drafts.add(otherOf(draft.name), draft.labels, draft.nodes);
}
