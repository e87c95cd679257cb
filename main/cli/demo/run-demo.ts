import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { describeAnswer } from '../commands/ask.ts';
import type { CommandConsole } from '../console.ts';
import { startProgress } from '../progress.ts';
import { DEMO_SESSIONS } from './conversation.ts';

const TWO_MINUTES = 120_000;

/** A contradiction, an enumeration, a date, a detail – and something that nobody ever said. */
export const DEMO_QUESTIONS = [
  'Where does Nora live now?',
  'Which trips has Ilan been on?',
  'When did Nora adopt a dog?',
  'Is Nora still a vegetarian?',
  'What is the name of Wout’s brother?',
] as const;

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

export async function runDemo(
  memory: MemoryScope,
  console: CommandConsole,
  signal: AbortSignal,
): Promise<void> {
  const turns = demoTurns();
  console.line(
    console.style('bold', `Remembering ${turns.length} turns between Nora and Ilan, no model, no network …`),
  );
  const started = performance.now();
  const progress = startProgress(console, 'Remembering', turns.length);
  const records = turns.map((turn, line) => ({ kind: 'turn' as const, turn, where: `turn ${line + 1}` }));
  for await (const event of memory.import(records, { signal }))
    if (event.type === 'progress') progress.update(event.counts.read, `${event.counts.facts} facts`);
  progress.stop();
  const seconds = (performance.now() - started) / 1000;
  const counts = await memory.stats();
  console.line(
    `${counts.episode} episodes, ${counts.entity} entities, ${counts.fact} facts, ${counts.embedding} vectors in ${seconds.toFixed(1)} s`,
    '',
  );
  const answers = [];
  for (const question of DEMO_QUESTIONS) {
    const answer = await memory.ask(question, { signal });
    answers.push(answer);
    console.line(console.style('cyan', `? ${question}`), ...describeAnswer(answer, console), '');
  }
  console.result(
    {
      turns: turns.length,
      seconds,
      episodes: counts.episode,
      entities: counts.entity,
      facts: counts.fact,
      answers: answers.map(({ question, answered, text, citations }) => ({
        question,
        answered,
        text,
        citations,
      })),
    },
    () => 'Try it on your own: mnemis import FILE (a chat export, notes, JSONL), then mnemis ask "…"',
  );
}
