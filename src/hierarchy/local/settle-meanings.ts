import type { LayerNode } from '../categorizer.ts';
import { Centre, type Point } from './centre.ts';
import { type LayerWork, put, type Readings } from './layer-work.ts';
import type { Meaning, NameReading } from './read-name.ts';
import type { Label } from './vocabulary.ts';

/** Names of one meaning by which a label is known here. */
const FEWEST = 3;
/** Cosine to those of a less usual meaning from which a name may have it. */
const NEAR = 0.35;
/** How much nearer they must be than those of the usual one. */
const NEARER = 0.15;

type Centres = ReadonlyMap<Label, Centre>;

/**
 * Of several meanings of a name the one that its neighbours in memory share: among songs and playlists a "genre" is of
 * music. The usual one where they do not tell.
 */
export async function settleMeanings(readings: Readings, { breather }: LayerWork): Promise<Readings> {
  const centres = await centresOf(readings, breather);
  const settled = new Map<LayerNode, NameReading>();
  for (const [node, reading] of readings) {
    await breather.breathe();
    const vector = reading.others.length > 0 && centres.size > 0 ? node.vector : null;
    settled.set(node, vector === null ? reading : settle(reading, { node, vector }, centres));
  }
  return settled;
}

/** Of the labels that several names have which can mean nothing else. */
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

/** Above the usual one, or one of the broadest, whose members have little in common. */
function isBroad(other: Meaning, { labels }: Meaning): boolean {
  return other.labels.every(
    (label) => label.parent === null || labels.some(({ lineage }) => lineage.includes(label)),
  );
}
