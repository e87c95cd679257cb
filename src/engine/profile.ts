import { type ProfileSection, profileAsked } from '../answer/profile-answer.ts';
import { bestKnown } from '../browse/people.ts';
import { portraitOf } from '../browse/portrait.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { RetrievedFact } from '../model/retrieved-item.ts';
import type { LookBack } from '../search/look-back.ts';
import type { MemoryView } from './past/known-indexes.ts';
import { currentFacts } from './quoting-view.ts';

/** What memory holds of somebody: facts by section, and all of them, the newest first. */
export interface Profile {
  readonly names: readonly string[];
  readonly sections: readonly ProfileSection[];
  readonly facts: readonly RetrievedFact[];
}

/** The profile that a question such as "What do you know about Gina?" asks for; null for other questions. */
export async function profileFor(
  view: MemoryView,
  question: string,
  {
    asker,
    times,
    now,
  }: { readonly asker?: string | undefined; readonly times: LookBack; readonly now: Milliseconds },
): Promise<Profile | null> {
  const asked = profileAsked(question);
  const entity = asked === null ? null : bestKnown(view.index, asked.name);
  if (asked === null || entity === null) return null;
  const { name, aliases } = view.index.entities.profileOf(entity)!;
  const facts = await currentFacts(view, entity, { asOf: times.asOf, now });
  const known = new Map<string, RetrievedFact>(facts.map((fact) => [fact.id, fact]));
  const clock = () => times.asOf ?? now;
  const { sections } = await portraitOf({ ...view, clock }, { entity, name: asker ?? '' });
  return {
    names: [name, ...aliases],
    facts: asked.isOfChanges ? [] : facts,
    sections: sections.flatMap(({ key, title, facts: lines, total }) => {
      const shown = lines.flatMap(({ id, said }) => {
        const item = known.get(id);
        return item === undefined ? [] : [{ item, said }];
      });
      return (key === 'changed') !== asked.isOfChanges || shown.length === 0
        ? []
        : [{ title, facts: shown, total }];
    }),
  };
}
