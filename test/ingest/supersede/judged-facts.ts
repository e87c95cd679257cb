import type { JudgedFact } from '../../../src/ingest/supersede/superseder.ts';
import type { EntityId, FactId } from '../../../src/model/ids.ts';
import type { TimeInterval } from '../../../src/model/nodes.ts';

export const DAY = 86_400_000;

export interface FactLine {
  readonly day?: number;
  readonly said?: string;
  readonly order?: number;
  readonly event?: TimeInterval;
  readonly confidence?: number;
}

let made = 0;

/** A fact about every capitalised name in its statement, each name an entity of its own; said on a day from 0. */
export function judgedFact(
  statement: string,
  { day = 0, said = '', order = 0, event, confidence = 0.9 }: FactLine = {},
): JudgedFact {
  const names = statement.match(/\p{Lu}\p{L}+/gu) ?? [];
  return {
    id: `fact-${++made}` as FactId,
    statement,
    validAt: day * DAY,
    invalidAt: null,
    event: event ?? null,
    confidence,
    told: { session: String(day), index: order, at: day * DAY, offset: 0 },
    retold: [],
    names: new Map(names.map((name) => [name.toLowerCase() as EntityId, [name]] as const)),
    said,
  };
}
