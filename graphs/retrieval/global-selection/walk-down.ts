import type { OfferedNode, Pick } from '../../../src/hierarchy/traverse/selector.ts';
import { plusUsage } from '../../../src/inference/language-model/tokens/plus-usage.ts';
import type { CallOptions } from '../../../src/model/call-options.ts';
import { NO_USAGE } from '../../../src/model/retrieved-item.ts';
import type { RouteOutcome } from '../../../src/retrieve/run-routes.ts';
import { checkCancel } from '../../../src/retrieve/within-time.ts';
import type { WalkSteps } from '../steps.ts';
import type { WalkState } from './state.ts';

/** Names of one list in the state. */
const NAMES = 8;
const LONGEST_NAME = 60;

/** Walks list by list until the walk ends: what the nodes of Global Selection do one at a time. @throws CancelledError */
export async function walkDown(
  steps: WalkSteps,
  place: number,
  { signal }: CallOptions,
): Promise<RouteOutcome> {
  let walk = begunWalk(place);
  while (walk.end === null) {
    checkCancel(signal);
    walk = offered(steps, walk);
    if (walk.end === null) walk = await selected(steps, walk, { signal });
  }
  return collected(steps, walk);
}

export function begunWalk(place: number): WalkState {
  return { place, offered: null, lists: [], end: null, failure: null, milliseconds: 0, usage: NO_USAGE };
}

/** The walk with its next list of nodes, or ended where there is none. */
export function offered(steps: WalkSteps, walk: WalkState): WalkState {
  if (steps.obstacle !== null) return { ...walk, end: steps.obstacle };
  const took = clock(walk);
  const next = steps.after(picksOf(walk));
  const shown = shownIn(next.offer());
  const list = { layer: next.layer, nodes: shown.length, names: namesOf(shown) };
  return { ...walk, offered: list, end: shown.length === 0 ? 'complete' : null, ...took() };
}

/** The walk with what the selector, a model or rules, picked of its list. A walk that fails has ended. */
export async function selected(
  steps: WalkSteps,
  walk: WalkState,
  { signal }: CallOptions,
): Promise<WalkState> {
  const took = clock(walk);
  try {
    const current = steps.after(picksOf(walk));
    const [shown, { layer }] = [shownIn(current.offer()), current];
    const { picks, notes, usage } = await steps.select(current, { signal, used: walk.milliseconds });
    const list = {
      layer,
      offered: shown.length,
      names: namesOf(shown),
      picks: picks.map(({ id, all, score }) => ({ id, all, score })),
      picked: pickedNames(picks, shown),
      notes: [...notes],
    };
    const end = picks.length === 0 ? 'no-picks' : null;
    return {
      ...walk,
      lists: [...walk.lists, list],
      end,
      usage: plusUsage(walk.usage, usage),
      ...took(),
    };
  } catch (error) {
    const { usage, ...failed } = steps.failureOf(error);
    return { ...walk, ...failed, usage: plusUsage(walk.usage, usage), ...took() };
  }
}

/** The turns, facts and entities of the selected nodes, ranked: the lists of the route. */
export function collected(steps: WalkSteps, walk: WalkState): RouteOutcome {
  const { end, failure, milliseconds, usage } = walk;
  return steps.end(picksOf(walk), { end: end ?? 'complete', failure, milliseconds, usage });
}

function picksOf({ lists }: WalkState): readonly (readonly Pick[])[] {
  return lists.map(({ picks }) => picks);
}

/** Adds the time since this call to that of a walk. */
function clock({ milliseconds }: WalkState): () => { milliseconds: number } {
  const started = performance.now();
  return () => ({ milliseconds: milliseconds + performance.now() - started });
}

function shownIn(nodes: readonly OfferedNode[]): readonly OfferedNode[] {
  return nodes.flatMap((node) => [node, ...(node.children ?? [])]);
}

function namesOf(nodes: readonly OfferedNode[]): string[] {
  return nodes.slice(0, NAMES).map(({ name }) => name.slice(0, LONGEST_NAME));
}

function pickedNames(picks: readonly Pick[], shown: readonly OfferedNode[]): string[] {
  const first = picks.slice(0, NAMES);
  const nameOf = new Map(shown.map(({ id, name }) => [id, name.slice(0, LONGEST_NAME)]));
  return first.map(({ id, all }) => `${nameOf.get(id) ?? ''}${all ? '*' : ''}`);
}
