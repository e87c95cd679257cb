import { NEUTRAL, premiseAgreement } from '../../answer/premise/premise-agreement.ts';
import type { SearchResult } from '../../model/retrieved-item.ts';
import { IN_CONVERSATION } from '../../retrieve/conversation-reading.ts';
import { readQuestion } from '../../retrieve/question.ts';
import { type Recipe, recipe } from '../../retrieve/recipes/recipe.ts';
import { SYSTEM1 } from '../../retrieve/system1/settings.ts';
import type { Timeline } from '../../search/timeline.ts';

/** Turns that match the question's words, whoever says them and in whatever form. */
const ANYBODY: Recipe = recipe(
  'premise',
  'turns that match a question without its names, no speaker preferred',
  {
    routes: [
      {
        ...SYSTEM1,
        kinds: ['episode'],
        reading: { ...IN_CONVERSATION, namedSpeaker: 1, asking: 1, temporal: 1 },
      },
    ],
  },
);
const TURNS_HEARD = 20;
/** Words tell more than vectors, as in the search itself. */
const LISTS = { lexical: 0.7, vector: 0.3 };

/**
 * What speaks for a question's premise, from 0 to 1; nothing for or against it where the question names no speaker, or
 * everybody. Costs one more search of the turns, and no model call.
 */
export async function premiseOf(
  question: string,
  timeline: Pick<Timeline, 'speakers' | 'liveSpeakers' | 'liveSpeakerNames'>,
  search: (settings: { readonly recipe: Recipe; readonly k: number }) => Promise<SearchResult>,
): Promise<number> {
  const live = timeline.liveSpeakers();
  const named = readQuestion(question, timeline.liveSpeakerNames()).speakers;
  if (named.size === 0 || named.size >= live.length) return NEUTRAL;
  const names = (numbers: readonly number[]) => new Set(numbers.map((number) => timeline.speakers[number]!));
  const asked = names([...named]);
  const others = names(live.filter((number) => !named.has(number)));
  const { episodes } = await search({ recipe: ANYBODY, k: TURNS_HEARD });
  return premiseAgreement({ asked, others, turns: episodes, lists: LISTS });
}
