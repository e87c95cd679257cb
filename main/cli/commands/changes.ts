import type { Command } from 'commander';
import type { ChangeEvent } from '../../../src/browse/feed/change-event.ts';
import { type CommandConsole, counted, type Terminal } from '../console.ts';
import { contractCommand } from '../contract-command.ts';

export function changesCommand(terminal: Terminal): Command {
  return contractCommand<'changes', number>(terminal, {
    name: 'changes',
    summary:
      'List what a scope stored, learned, superseded, corrected and forgot. With --json, prints one JSON event per line.',
    method: 'changes',
    fields: {
      since: {
        value: 'time',
        says: 'only changes from this time on: a date, or words such as yesterday (default: all)',
      },
    },
    input: () => ({ follow: false }),
    opening: () => ({ purpose: 'count' }),
    result: async (events, { console, signal }) => {
      let count = 0;
      for await (const event of events) {
        count++;
        if (console.json) terminal.stdout.write(`${JSON.stringify(event)}\n`);
        else console.line(describeChange(event, console));
      }
      signal.throwIfAborted();
      return count;
    },
    isEmpty: (count) => count === 0,
    print: (count, { console, config }) => {
      if (count === 0) console.line(`No changes in scope "${config.scope}".`);
    },
  });
}

export function describeChange(event: ChangeEvent, console: CommandConsole): string {
  const when = console.style('dim', new Date(event.at).toISOString().slice(0, 19).replace('T', ' '));
  return `${when}  ${event.type.padEnd(10)}  ${describe(event)}`.replace(/\s+$/, '');
}

function describe(event: ChangeEvent): string {
  switch (event.type) {
    case 'stored':
      return `${event.session}:${event.index} by ${event.speaker}${event.version > 1 ? `, version ${event.version}` : ''}`;
    case 'learned':
      return event.what === 'fact' ? event.statement : event.name;
    case 'superseded':
      return `${event.supersededStatement ?? '(forgotten)'} → ${event.statement}`;
    case 'withdrawn':
      return event.statement;
    case 'corrected':
    case 'merged':
    case 'split':
      return `${event.kind} by ${event.author}: ${event.about.map(({ text }) => text).join('; ')}`;
    case 'undone':
      return `by ${event.author}`;
    case 'forgot':
    case 'retained':
    case 'rederived':
    case 'restored':
      return describeCounts(event.counts);
    case 'missed':
      return '';
  }
}

/** "2 facts, 1 entity". */
export function describeCounts(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([what, count]) => counted(count, ...wordsFor(what))).join(', ') || 'nothing';
}

/** Singular and plural of a count's name: a kind of row ("entity", "turns") or a total of a run ("factsLearned"). */
function wordsFor(what: string): readonly [one: string, many: string] {
  const joint: Readonly<Record<string, readonly [string, string]>> = {
    rowsAdded: ['row added', 'rows added'],
    rowsRemoved: ['row removed', 'rows removed'],
    factsLearned: ['fact learned', 'facts learned'],
    factsWithdrawn: ['fact withdrawn', 'facts withdrawn'],
  };
  const one = what.replace(/s$/, '');
  return joint[what] ?? [one, one.endsWith('y') ? one.replace(/y$/, 'ies') : `${one}s`];
}
