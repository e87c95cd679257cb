import { rehearsal } from '../../../eval/rehearsal/reading-rehearsals.ts';
import { RehearsalModel } from '../../../eval/rehearsal/rehearsal-model.ts';
import { readSegments } from '../../../src/ingest/extract/llm/read-segments-prompt.ts';
import { segmentBoundaries } from '../../../src/ingest/segment/segment-boundaries-prompt.ts';
import { outdatedFacts } from '../../../src/ingest/supersede/outdated-facts-prompt.ts';
import { counter } from '../../fakes/openai-server/tokens.ts';
import type { Timeline } from './timeline.ts';

/** Reads and judges a timeline by its script; uses the rehearsal model for everything else. */
export function scriptedModel({ sessions, outdated }: Timeline): RehearsalModel {
  const script = new Map(
    sessions.flatMap(({ turns, read }) =>
      turns.map((turn, at) => [turn, read.filter((each) => each.turn === at + 1)]),
    ),
  );
  const rehearsals = [
    rehearsal(segmentBoundaries, async () => ({ lastTurns: [] })),
    rehearsal(readSegments, async ({ segments }) => {
      const turns = segments.flat();
      const facts = turns.flatMap(({ speaker, content }, at) =>
        (script.get(`${speaker}: ${content}`) ?? []).map((each) => ({ ...each, at: at + 1 })),
      );
      return {
        segments: segments.map((_, at) => ({ segment: at + 1, keywords: [], summary: 'A talk.' })),
        keep: turns.map((_, at) => at + 1),
        entities: namesIn(facts).map(({ name, at }) => ({
          name,
          kind: 'thing',
          aliases: [],
          tags: [],
          description: '',
          turns: at,
        })),
        facts: facts.map(({ statement, subject, relation, object, date, at }) => ({
          statement,
          subject,
          relation,
          object,
          participants: namesOf({ statement, subject, object }),
          said: date,
          date,
          until: '',
          confidence: 0.9,
          turns: [at],
        })),
      };
    }),
    rehearsal(outdatedFacts, async ({ facts }) => ({
      outdated: facts.flatMap((by, one) =>
        facts.flatMap((old, other) => {
          const said = outdated.find((each) => each.by === by.statement && each.old === old.statement);
          if (said === undefined || (said.kind === 'replaces' && by.validAt <= old.validAt)) return [];
          return [{ by: one + 1, old: other + 1, reason: 'as told', kind: said.kind, confidence: 0.9 }];
        }),
      ),
    })),
  ];
  return new RehearsalModel({ counter, rehearsals });
}

interface Said {
  readonly statement: string;
  readonly subject: string;
  readonly object: string;
}

function namesOf({ statement, subject, object }: Said): string[] {
  const capital = statement.match(/\p{Lu}\p{L}+/gu) ?? [];
  return [...new Set([subject, object, ...capital])].filter((name) => name !== '');
}

function namesIn(facts: readonly (Said & { readonly at: number })[]): { name: string; at: number[] }[] {
  const turns = new Map<string, number[]>();
  for (const fact of facts)
    for (const name of namesOf(fact)) turns.set(name, [...(turns.get(name) ?? []), fact.at]);
  return Array.from(turns, ([name, at]) => ({ name, at }));
}
