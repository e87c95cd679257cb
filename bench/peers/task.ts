import { readLocomoDataset } from '../../eval/datasets/locomo.ts';
import { countsForRecall } from '../../eval/metrics/retrieval-metrics.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { syntheticQuestions, syntheticTurns } from '../synthetic-turns.ts';
import type { PeerTurn } from './peer.ts';

export type TaskName = { readonly data: string } | { readonly episodes: number; readonly searches: number };

/** Turns to add and questions to ask, scope by scope. */
export interface TaskCase {
  readonly scope: string;
  readonly turns: Iterable<PeerTurn>;
  readonly questions: readonly TaskQuestion[];
}

export interface TaskQuestion {
  readonly text: string;
  /** Ids of the turns to find; none if nobody knows. */
  readonly evidence: readonly string[];
}

export async function readTask(task: TaskName): Promise<TaskCase[]> {
  if ('data' in task) {
    const { cases } = await readLocomoDataset(task.data);
    return cases.map(({ scope, turns, questions }) => ({
      scope,
      turns: turns.map(toPeerTurn),
      questions: questions
        .filter(countsForRecall)
        .map(({ text, evidenceTurns }) => ({ text, evidence: evidenceTurns })),
    }));
  }
  const questions = syntheticQuestions(task.searches).map((text) => ({ text, evidence: [] }));
  return [{ scope: 'bench', turns: syntheticPeerTurns(task.episodes), questions }];
}

/** Made while they are added, so that they take no memory. */
function* syntheticPeerTurns(episodes: number): Generator<PeerTurn> {
  for (const turn of syntheticTurns(episodes)) yield toPeerTurn(turn);
}

function toPeerTurn(turn: TurnInput): PeerTurn {
  return { id: turn.sourceId ?? `${turn.session}/${turn.index}`, turn, text: textOf(turn) };
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The day, who speaks, what they say and the captions of their pictures: all that Mnemis ranks a turn by. */
export function textOf({ at, speaker, content, attachments = [] }: TurnInput): string {
  const said = `${DAY.format(new Date(at!))}, ${speaker}: ${content}`;
  return [said, ...attachments.map(({ description }) => description)].join('\n');
}

/** Lists of at most `size`, in order. */
export function* batches<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
