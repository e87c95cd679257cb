import { Command, Option } from 'commander';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { ROLES } from '../../../src/model/nodes.ts';
import { withoutPassword } from '../../../src/util/database-url.ts';
import { parseZoned } from '../../../src/util/parse-timestamp.ts';
import { writtenAt } from '../../../src/util/speaker-clock.ts';
import { localOffset } from '../../../src/util/time-zone.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { counted, type Terminal } from '../console.ts';
import { type CommonFlags, commonFlags, learningFlags, someWords } from '../flags.ts';
import { type ClientCommand, withClient } from '../run-command.ts';
import { standardInputText } from '../standard-input.ts';
import { timeInWords } from '../time-in-words.ts';

type Role = (typeof ROLES)[number];
type AddFlags = CommonFlags &
  Partial<Config> & {
    readonly speaker?: string;
    readonly role: Role;
    readonly session: string;
    readonly at?: string;
    readonly enrich: boolean;
  };

export function addCommand(terminal: Terminal): Command {
  return learningFlags(commonFlags(new Command('add')))
    .description('Store something that was said, and read it for facts.')
    .argument('[text]', 'the text; "-" or nothing reads it from standard input')
    .option('--speaker <name>', 'who said it (default: the role)', someWords)
    .addOption(new Option('--role <role>', 'the role of the speaker').choices(ROLES).default('user'))
    .option('--session <name>', 'the conversation that it belongs to', someWords, 'main')
    .option('--at <time>', 'when it was said: a date, or words such as yesterday (default: now)')
    .option('--no-enrich', 'only store it; "mnemis resume" reads it for facts later')
    .addHelpText(
      'after',
      `
Examples:
  mnemis add "I moved to Ghent last week." --speaker Nora
  pbpaste | mnemis add --at yesterday`,
    )
    .action(async (text: string | undefined, { speaker, role, session, at, enrich, ...flags }: AddFlags) => {
      const validAt = (await timeInWords('--at', at)) ?? Date.now();
      // Words that name a day mean the day of whoever types them.
      const offset = at === undefined ? localOffset(validAt) : parseZoned(at)?.offset;
      const content = text === undefined || text === '-' ? await standardInputText(terminal) : text.trim();
      if (content === '') throw new UsageError('The text is empty; nothing was stored.');
      const turn = { content, speaker: speaker ?? role, role, session, at: writtenAt({ validAt, offset }) };
      const purpose = enrich ? 'learn' : 'use'; // storing a turn needs no language model
      await withClient(terminal, { ...flags, access: 'writes', purpose }, async (command) => {
        const { config, console } = command;
        const started = Date.now();
        const { waiting, ...stored } = await store(command, turn);
        const learned = enrich ? await learn(command, stored.id, started) : { facts: [], pending: waiting };
        const { content: _, ...about } = turn;
        const { scope } = config;
        const path = withoutPassword(config.path);
        const where = `turn by ${turn.speaker}, session "${session}", in scope "${scope}" of ${path}`;
        console.result({ path, scope, ...about, ...stored, ...learned }, () => [
          ...(stored.notStored.length === 0 ? [`Stored 1 ${where}`] : []),
          ...stored.notStored.map(({ reason }) => console.style('yellow', `Not stored: ${reason}; ${where}`)),
          ...stored.redacted.map((kind) => console.style('yellow', `Redacted before it was stored: ${kind}`)),
          ...describeLearned(learned, enrich),
        ]);
      });
    });
}

type Turn = Readonly<Record<'content' | 'speaker' | 'session' | 'at', string>> & { readonly role: Role };

/** @throws InvalidInputError with the reason, if the turn was rejected */
async function store({ client, config: { scope }, signal }: ClientCommand, turn: Turn) {
  const { outcomes, notStored, pending: waiting } = await client.add({ scope, turns: [turn] }, { signal });
  const [outcome] = outcomes;
  if (outcome === undefined || outcome.status === 'rejected')
    throw new InvalidInputError(`The text was not stored: ${outcome?.reason ?? 'it was not taken'}`);
  const redacted = 'redacted' in outcome ? (outcome.redacted ?? []) : [];
  const { id, status } = outcome;
  return { id, status, notStored, redacted: redacted.map(({ kind }) => kind), waiting };
}

interface Learned {
  readonly facts: readonly { readonly id: string; readonly statement: string }[];
  /** Turns of the scope that wait to be read for facts. */
  readonly pending: number;
}

/** Reads the waiting turns of the scope for facts; returns those that the turn supports. */
async function learn(
  { client, config, signal }: ClientCommand,
  turn: string,
  since: number,
): Promise<Learned> {
  const { scope, llmTokenBudget: tokenBudget } = config;
  let pending = 0;
  for await (const event of client.resume({ scope, tokenBudget }, { signal })) ({ pending } = event);
  const facts: { id: string; statement: string }[] = [];
  for await (const event of client.changes({ scope, since, follow: false }, { signal })) {
    if (event.type !== 'learned' || event.what !== 'fact') continue;
    const { versions } = await client.fact({ scope, fact: event.fact }, { signal });
    const evidence = versions.items.find(({ id }) => id === event.fact)?.evidence ?? [];
    if (evidence.some(({ episode }) => episode === turn))
      facts.push({ id: event.fact, statement: event.statement });
  }
  return { facts, pending };
}

const MOST_FACTS = 8;

function describeLearned({ facts, pending }: Learned, enrich: boolean): string[] {
  if (!enrich) return ['It can be searched; "mnemis resume" reads it for facts.'];
  const waiting =
    pending === 0 ? [] : [`${counted(pending, 'turn')} wait to be read for facts: run "mnemis resume"`];
  if (facts.length === 0)
    return ['No new fact was found in it; it can be searched, and "mnemis ask" quotes it.', ...waiting];
  const more = facts.length - MOST_FACTS;
  return [
    `Learned ${counted(facts.length, 'fact')}:`,
    ...facts.slice(0, MOST_FACTS).map(({ statement }) => `  ${statement}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...waiting,
  ];
}
