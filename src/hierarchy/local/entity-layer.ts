import { SPEAKER } from '../category-name.ts';
import { addDates } from './date-groups.ts';
import { Drafts } from './drafts.ts';
import { addByLabel, meetsAbove } from './label-groups.ts';
import type { EntityWork, LayerWork } from './layer-work.ts';
import { readEntities } from './read-layer.ts';
import { nameRemainders } from './remainders.ts';
import { settleMeanings } from './settle-meanings.ts';
import { addThemes } from './themes.ts';
import { addByVector } from './vector-groups.ts';

/** Categories of entities, at the finest level at which enough of them meet. */
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

/** The last resort: sounds, slips and what is alone of its kind. */
function addMiscellaneous(work: EntityWork): void {
  const { readings, tools, drafts, minimum, left: later } = work;
  leaveDates(work);
  const placed = drafts.placed();
  const left = [...readings.keys()].filter((node) => !placed.has(node) && !later.has(node));
  const label = tools.vocabulary.named('Miscellaneous');
  if (label !== undefined && left.length >= minimum) drafts.add(label.name, [label], left);
}

/** Dates too few for a category of their own stand beside those of time, where there are some. */
function leaveDates(work: EntityWork): void {
  const time = work.tools.vocabulary.named('Time');
  const placed = work.drafts.placed();
  const dates = [...work.readings].filter(([node, { date }]) => date !== null && !placed.has(node));
  if (time === undefined || !meetsAbove(time, dates.length, work)) return;
  for (const [node] of dates) work.left.add(node);
}

export function dropSmall({ drafts, minimum }: Pick<EntityWork, 'drafts' | 'minimum'>): void {
  for (const draft of drafts.all())
    if (draft.nodes.size < minimum && draft.name !== SPEAKER) drafts.remove(draft);
}
