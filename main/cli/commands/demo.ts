import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { shareEnriched } from '../../import-runs/import-share.ts';
import { CommandConsole, cancellable, counted, type Terminal } from '../console.ts';
import { demoTurns } from '../demo/conversation.ts';
import { startProgress } from '../progress.ts';
import { describeAnswer } from './ask.ts';

export function demoCommand(terminal: Terminal): Command {
  return new Command('demo')
    .description('Import a bundled conversation into a temporary memory and answer questions about it.')
    .option('--json', 'print one JSON document')
    .action(async (flags: { json?: boolean }) => {
      const folder = await mkdtemp(join(tmpdir(), 'mnemis-demo-'));
      try {
        await cancellable(terminal, async (signal) => {
          const { Mnemis } = await import('../../../src/engine.ts'); // imported late: see `loadEngine`
          const engine = await Mnemis.open({ path: join(folder, 'demo.db') });
          try {
            await runDemo(engine.scope('demo'), new CommandConsole(terminal, flags.json === true), signal);
          } finally {
            await engine.close();
          }
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
}

/** A change over time, an enumeration, a date, a contradiction, and a question without an answer. */
const DEMO_QUESTIONS = [
  'Where does Nora live now?',
  'Which trips has Ilan been on?',
  'When did Nora adopt a dog?',
  'Is Nora still a vegetarian?',
  'What is the name of Wout’s brother?',
] as const;

async function runDemo(memory: MemoryScope, console: CommandConsole, signal: AbortSignal): Promise<void> {
  const turns = demoTurns();
  console.line(
    console.style(
      'bold',
      `Importing ${turns.length} turns between Nora and Ilan, without a language model or network …`,
    ),
  );
  const started = performance.now();
  const progress = startProgress(console, 'Remembering', 100);
  const records = turns.map((turn, line) => ({ kind: 'turn' as const, turn, where: `turn ${line + 1}` }));
  for await (const event of memory.import(records, { signal }))
    if (event.type === 'progress')
      progress.update(100 * shareEnriched(event.counts), counted(event.counts.facts, 'fact'), null);
  progress.stop();
  const seconds = (performance.now() - started) / 1000;
  const counts = await memory.stats();
  console.line(
    `${counts.episode} turns, ${counts.entity} entities and ${counts.fact} facts in ${seconds.toFixed(1)} s`,
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
    () => 'Try it on your own data: mnemis import FILE (a chat export, notes, JSONL), then mnemis ask "…"',
  );
}
