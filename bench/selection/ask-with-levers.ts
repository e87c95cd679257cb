import { rehearsal } from '../../eval/rehearsal/reading-rehearsals.ts';
import { RehearsalModel } from '../../eval/rehearsal/rehearsal-model.ts';
import { selectNodes } from '../../src/retrieve/categories/select-nodes-prompt.ts';
import { type AskedMemory, type PreparedQuestion, walkOnce } from './asked-question.ts';
import type { Lever } from './levers.ts';
import type { LineCounter } from './line-counter.ts';
import { heldTokens, PromptPrefixes } from './prompt-prefixes.ts';
import { REHEARSALS, type RehearsalName, rehearsedPicks } from './rehearsed-picks.ts';
import type { Measured, SelectionRow } from './selection-report.ts';

export interface LeverFigures extends Pick<SelectionRow, 'rehearsal' | 'lever'> {
  readonly all: readonly Measured[];
}

const NO_COST = { calls: 0, prompt: 0, completion: 0, shared: 0, held: 0 };

/** Asks all questions with the local selector, and with each lever and each simulated model. */
export async function askWithLevers(
  memory: AskedMemory,
  questions: readonly PreparedQuestion[],
  { levers, counter }: { levers: readonly Lever[]; counter: LineCounter },
): Promise<LeverFigures[]> {
  const route = { ...levers[0]!.route, selector: 'local' as const };
  const unaided: Measured[] = [];
  for (const question of questions)
    unaided.push({ ...NO_COST, ...(await walkOnce(memory, question, route)).outcome });
  const results: LeverFigures[] = [{ rehearsal: 'none', lever: 'local selector', all: unaided }];
  for (const name of REHEARSALS)
    for (const lever of levers) {
      const all = await askAll(memory, questions, { lever, name, counter });
      results.push({ rehearsal: name, lever: lever.name, all });
    }
  return results;
}

/** One after another, in the order a provider would receive them. */
async function askAll(
  memory: AskedMemory,
  questions: readonly PreparedQuestion[],
  { lever: { route }, name, counter }: { lever: Lever; name: RehearsalName; counter: LineCounter },
): Promise<Measured[]> {
  const prefixes = new PromptPrefixes();
  let current = questions[0]!;
  let calls: { readonly shared: number; readonly own: number }[] = [];
  const model = new RehearsalModel({
    counter,
    rehearsals: [
      rehearsal(selectNodes, async (input) => {
        const { user } = selectNodes.render(input);
        const known = prefixes.take(user);
        calls.push({
          shared: await counter.count(user.slice(0, known)),
          own: await counter.count(user),
        });
        return rehearsedPicks(input, current, name);
      }),
    ],
  });
  const measured: Measured[] = [];
  for (const question of questions) {
    [current, calls] = [question, []];
    const { usage, outcome } = await walkOnce({ ...memory, languageModel: model }, question, route);
    const { calls: asked, promptTokens: prompt, completionTokens: completion } = usage;
    // Rules and schema come before the list and are the same in every call.
    const rules = asked === 0 ? 0 : (prompt - sum(calls.map(({ own }) => own))) / asked;
    const shared = measured.length === 0 ? [] : calls.map((call) => rules + call.shared);
    measured.push({
      ...outcome,
      calls: asked,
      prompt,
      completion,
      shared: sum(shared),
      held: sum(shared.map(heldTokens)),
    });
  }
  return measured;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
