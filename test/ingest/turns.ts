import type { TurnToRead } from '../../src/ingest/extract/extractor.ts';
import type { TurnToSegment } from '../../src/ingest/segment/segmenter.ts';

/** Monday, 10 June 2024, 9:00. */
export const SAID_AT = Date.UTC(2024, 5, 10, 9);

export function turn(speaker: string, content: string, rest: Partial<TurnToRead> = {}): TurnToRead {
  return { content, speaker, role: 'user', validAt: SAID_AT, attachments: [], ...rest };
}

/** "Ann: Hello!" by line. */
export function dialogue(...lines: string[]): TurnToRead[] {
  return lines.map((line) =>
    turn(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()),
  );
}

export function withVector(vector: readonly number[], rest: Partial<TurnToRead> = {}): TurnToSegment {
  return { ...turn('Ann', 'x', rest), vector: Float32Array.from(vector) };
}
