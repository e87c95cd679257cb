import { otherOf } from './category-names.ts';
import type { Draft, Drafts } from './drafts.ts';
import { isBeneath, isLabel } from './label-groups.ts';
import type { EntityWork } from './layer-work.ts';

/** A label whose own entities stand beside finer categories of it is "Other …": the next layer takes its name. */
export function nameRemainders({ drafts, minimum }: Pick<EntityWork, 'drafts' | 'minimum'>): void {
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
