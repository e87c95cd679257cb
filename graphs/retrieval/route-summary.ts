import type { WalkTrace } from '../../src/model/retrieved-item.ts';
import type { RouteOutcome } from '../../src/retrieve/run-routes.ts';
import type { RouteSummary } from './state.ts';

const MOST_NOTES = 3;

/** A route's outcome without its lists. */
export function summaryOf({ trace }: RouteOutcome): RouteSummary {
  const { route, end, found, milliseconds, failure, notes, walk } = trace;
  return {
    ...{ route, end, found },
    milliseconds: Math.round(milliseconds),
    ...(failure !== null && { failure }),
    ...(end !== 'found' && notes.length > 0 && { notes: notes.slice(0, MOST_NOTES) }),
    ...(walk && { walk: layersOf(walk) }),
  };
}

function layersOf({ steps, end }: WalkTrace): string[] {
  return [
    ...steps.map(({ layer, picked, offered }) => `layer ${layer}: ${picked} of ${offered} picked`),
    end,
  ];
}
