import type { TurnInput } from '../../../src/model/turn-input.ts';
import { DEMO_SESSIONS } from './conversation.ts';

const TWO_MINUTES = 120_000;

/** The turns of the conversation written for `mnemis demo`. */
export function demoTurns(): TurnInput[] {
  return DEMO_SESSIONS.flatMap(({ name, at, lines }) =>
    lines.map((line, index): TurnInput => {
      const colon = line.indexOf(': ');
      return {
        content: line.slice(colon + 2),
        speaker: line.slice(0, colon),
        session: name,
        index,
        at: Date.parse(at) + index * TWO_MINUTES,
        source: 'demo',
      };
    }),
  );
}
