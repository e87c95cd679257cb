import { byWorth, type ProfileSection, profileAsked } from '../answer/profile-answer.ts';
import { bestKnown } from '../browse/people.ts';
import { portraitOf } from '../browse/portrait.ts';
import { SECTIONS } from '../browse/portrait-sections.ts';
import type { RetrievedFact } from '../model/retrieved-item.ts';
import { changesOf } from './changes.ts';
import type { MemoryView } from './past/known-indexes.ts';
import { currentFacts, isCurrent, type Then } from './quoting-view.ts';

/** What memory holds of somebody: facts by section, and all of them, the newest first. */
export interface Profile {
  readonly names: readonly string[];
  readonly sections: readonly ProfileSection[];
  readonly facts: readonly RetrievedFact[];
}

/** "Ann’s sister Clara": whose relative somebody is. */
const RELATIVE =
  /^(?<owner>\p{Lu}[^'’]{0,60})['’]s (?<role>\p{Ll}[\p{L}-]*(?: \p{Ll}[\p{L}-]*)*) (?<name>\p{Lu}.*)$/u;

/** The profile that a question such as "What do you know about Gina?" asks for; null for other questions. */
export async function profileFor(
  view: MemoryView,
  question: string,
  { asker, time }: { readonly asker?: string | undefined; readonly time: Then },
): Promise<Profile | null> {
  const asked = profileAsked(question);
  if (asked === null) return null;
  const relative = RELATIVE.exec(asked)?.groups;
  const entity = bestKnown(view.index, asked) ?? (relative && bestKnown(view.index, relative.name!)) ?? null;
  if (entity === null) return null;
  const { name, aliases } = view.index.entities.profileOf(entity)!;
  const role = relative === undefined ? [] : [`${relative.owner}'s ${relative.role}`];
  const names = [name, ...aliases, ...role];
  // "Ann is an engineer at Nordvik" is over where she says later that she gave notice there.
  const changes = await changesOf(view, entity, { time });
  const over = new Set(changes.map(({ before }) => before?.item.id as string | undefined));
  const own = (await currentFacts(view, entity, time)).filter(({ id }) => !over.has(id));
  const known = new Map<string, RetrievedFact>(own.map((fact) => [fact.id, fact]));
  const more = (await factsOfRole(view, relative, time)).filter(({ id }) => !known.has(id));
  const clock = () => time.asOf ?? time.now;
  const portrayed = { ...view, clock, isShown: isCurrent(view, time) };
  const { sections } = await portraitOf(portrayed, { entity, name: asker ?? '' });
  const shown = sections.flatMap(({ key, title, facts, total }): ProfileSection[] => {
    const lines = facts.flatMap(({ id, said }) => {
      const item = known.get(id);
      return item === undefined ? [] : [{ item, said }];
    });
    const left = total - facts.filter(({ id }) => over.has(id)).length;
    return key === 'changed' || lines.length === 0 ? [] : [{ title, facts: lines, total: left }];
  });
  const related = byWorth(more, names).map((item) => ({ item, said: item.statement }));
  return {
    names,
    facts: [...own, ...more],
    sections:
      shown.length === 0 || related.length === 0
        ? shown
        : [{ title: SECTIONS.family, facts: related, total: related.length }, ...shown],
  };
}

/** "Ann’s mother walks again" is among the facts of Ann, although the mother has a name. */
async function factsOfRole(
  view: MemoryView,
  relative: Readonly<Record<string, string>> | undefined,
  time: Then,
): Promise<readonly RetrievedFact[]> {
  const owner = relative === undefined ? null : bestKnown(view.index, relative.owner!);
  if (owner === null) return [];
  const role = `${relative!.owner}'s ${relative!.role} `.toLowerCase();
  const facts = await currentFacts(view, owner, time);
  return facts.filter(({ statement }) => statement.toLowerCase().startsWith(role));
}
