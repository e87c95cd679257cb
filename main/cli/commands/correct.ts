import { Command } from 'commander';
import type { CorrectionRecord } from '../../../src/edit/correct/describe-correction.ts';
import type { CorrectionInput } from '../../../src/model/correction-input.ts';
import type { RetrievedFact } from '../../../src/model/retrieved-item.ts';
import { isoDay } from '../../../src/util/iso-day.ts';
import { UsageError } from '../../errors.ts';
import { type CommandConsole, CommandFailed, canAsk, confirm, type Terminal } from '../console.ts';
import { type CommonFlags, commonFlags, someWords, wholeNumber } from '../flags.ts';
import { type ClientCommand, refuseEmptyScope, withClient } from '../run-command.ts';
import { timeInWords } from '../time-in-words.ts';

interface AuthorFlags extends CommonFlags {
  readonly author?: string;
}
interface FactFlags extends AuthorFlags {
  readonly statement?: string;
  readonly validAt?: string;
  readonly invalidAt?: string;
  readonly reject?: boolean;
  readonly pin?: boolean;
  readonly yes?: boolean;
}
interface EntityFlags extends AuthorFlags {
  readonly merge?: string;
  readonly rename?: string;
  readonly apartFrom?: string;
}

/** Corrections searched for the one just made; others may be added at the same time. */
const RECENT = 20;
const MOST_CANDIDATES = 5;

export function correctCommand(terminal: Terminal): Command {
  const command = new Command('correct').description(
    'Correct facts and entities; "corrections" lists the corrections.',
  );
  for (const each of [factCommand, entityCommand, undoCommand]) command.addCommand(each(terminal));
  return command;
}

function factCommand(terminal: Terminal): Command {
  return authorFlags(new Command('fact'))
    .description('Edit, reject or pin a fact.')
    .argument('<fact>', 'words of the fact, or its id, as "search --verbose" prints it', someWords)
    .option('--statement <text>', 'the new statement')
    .option('--valid-at <time>', 'when the fact begins to hold')
    .option('--invalid-at <time>', 'when the fact stopped holding')
    .option('--reject', 'the fact is wrong')
    .option('--pin', 'keep the fact: later turns do not supersede it')
    .option('--yes', 'do not ask whether the fact that the words found is the right one')
    .action(
      async (fact: string, { statement, validAt, invalidAt, reject, pin, yes, ...flags }: FactFlags) => {
        const patch = {
          statement,
          validAt: await timeInWords('--valid-at', validAt),
          invalidAt: await timeInWords('--invalid-at', invalidAt),
        };
        const isEdit = Object.values(patch).some((value) => value !== undefined);
        if (Number(isEdit) + Number(reject === true) + Number(pin === true) !== 1)
          throw new UsageError('Give an edit (--statement, --valid-at, --invalid-at), --reject, or --pin.');
        await correct(terminal, flags, async (command) => {
          const id = await chosenFact(command, fact, yes === true);
          if (id === null) return null;
          if (reject) return { kind: 'reject-fact', fact: id };
          return pin ? { kind: 'pin-fact', fact: id } : { kind: 'edit-fact', fact: id, patch };
        });
      },
    );
}

/** The fact's id; null if the user says that the one found is not meant. @throws CommandFailed if it is not clear */
async function chosenFact(
  command: ClientCommand,
  idOrWords: string,
  isSure: boolean,
): Promise<string | null> {
  if (isFactId(idOrWords)) return idOrWords.trim();
  const { console, signal } = command;
  const { facts, haveWords } = await factsInWords(command, idOrWords);
  const [fact] = facts;
  if (fact === undefined) throw unclear(command, [], 'No fact was found; nothing was changed.');
  if (!haveWords)
    throw unclear(command, facts, 'No fact has all of these words; nothing was changed. Give the id of one:');
  if (facts.length > 1)
    throw unclear(
      command,
      facts,
      'More than one fact may be meant; nothing was changed. Give the id of one:',
    );
  if (isSure) return fact.id;
  if (console.json || !canAsk(console.terminal))
    throw unclear(command, facts, 'Nothing was changed yet. If this fact is meant, run again with --yes:');
  console.line(...facts.flatMap((each) => describeFact(each, console)));
  return (await confirm(console.terminal, 'Correct this fact?', signal)) ? fact.id : null;
}

function unclear({ console }: ClientCommand, facts: FactsInWords['facts'], message: string): CommandFailed {
  const candidates = facts
    .slice(0, MOST_CANDIDATES)
    .map(({ id, statement, validAt, invalidAt }) => ({ id, statement, validAt, invalidAt }));
  console.result({ error: { code: 'fact-unclear', message }, candidates }, () => [
    message,
    ...candidates.flatMap((each) => describeFact(each, console)),
  ]);
  return new CommandFailed();
}

function describeFact(
  { id, statement, validAt }: Pick<FactsInWords['facts'][number], 'id' | 'statement' | 'validAt'>,
  console: CommandConsole,
): string[] {
  return [`  ${isoDay(validAt)} ${statement}`, console.style('dim', `    ${id}`)];
}

function entityCommand(terminal: Terminal): Command {
  return authorFlags(new Command('entity'))
    .description('Rename an entity, merge another into it, or keep the two apart.')
    .argument('<entity>', 'its id, or a name that no other entity has')
    .option('--merge <entity>', 'merge this entity into it')
    .option('--rename <name>', 'its new name; the old name becomes an alias')
    .option('--apart-from <entity>', 'never merge it with this entity')
    .action(async (entity: string, { merge, rename, apartFrom, ...flags }: EntityFlags) => {
      const given = [merge, rename, apartFrom].filter((each) => each !== undefined);
      if (given.length !== 1) throw new UsageError('Give one of --merge, --rename and --apart-from.');
      await correct(terminal, flags, async (command) => {
        const id = await idOf(command, entity);
        if (rename !== undefined) return { kind: 'edit-profile', entity: id, patch: { name: rename } };
        const other = await idOf(command, given[0]!);
        return merge === undefined
          ? { kind: 'keep-apart', entities: [id, other] }
          : { kind: 'merge-entities', keep: id, merged: other };
      });
    });
}

function undoCommand(terminal: Terminal): Command {
  return authorFlags(new Command('undo'))
    .description('Undo a correction.')
    .argument('<id>', 'the correction’s id, as "corrections" prints it')
    .action(async (id: string, flags: AuthorFlags) =>
      correct(terminal, flags, async () => ({ kind: 'undo', correction: id })),
    );
}

function authorFlags(command: Command): Command {
  return commonFlags(command).option('--author <name>', 'who makes the correction (default: "user")');
}

async function correct(
  terminal: Terminal,
  { author, ...flags }: AuthorFlags,
  wanted: (command: ClientCommand) => Promise<CorrectionInput | null>,
): Promise<void> {
  await withClient(terminal, { ...flags, access: 'reads' }, async (command) => {
    const { client, config, console, signal } = command;
    const { scope } = config;
    const correction = await wanted(command);
    if (correction === null) {
      console.line('Nothing was changed.');
      return;
    }
    const made = await client.correct({ scope, correction, author }, { signal });
    const latest = await client.corrections({ scope, limit: RECENT });
    const record = latest.find(({ id }) => id === made.correction);
    console.result(made, () => [
      `${record?.description ?? 'Corrected'}.`,
      console.style('dim', `To undo it: mnemis correct undo ${made.correction}`),
    ]);
  });
}

async function idOf({ client, config: { scope } }: ClientCommand, idOrName: string): Promise<string> {
  return (await client.entity({ scope, entity: idOrName, limit: 1 })).entity;
}

type ListFlags = CommonFlags & {
  readonly limit?: number;
  readonly before?: string;
  readonly uncertain?: boolean;
};

export function correctionsCommand(terminal: Terminal): Command {
  return commonFlags(new Command('corrections'))
    .description('List corrections, the newest first.')
    .option('--limit <number>', 'how many, at most 500 (default: 50)', wholeNumber)
    .option('--before <id>', 'only corrections made before this one')
    .option('--uncertain', 'list pairs of entities that may be the same instead, to merge or keep apart')
    .action(async ({ limit, before, uncertain, ...flags }: ListFlags) =>
      withClient(terminal, { ...flags, access: 'reads' }, async (command) => {
        const { client, config, console, signal } = command;
        const { scope } = config;
        if (uncertain) {
          const pairs = await client.uncertain({ scope }, { signal });
          console.result(pairs, () =>
            pairs.length === 0
              ? `Scope "${scope}" has no entities that may be the same.`
              : pairs.map(({ entities: [one, other], confidence }) =>
                  [confidence.toFixed(2), named(one), named(other)].join('  '),
                ),
          );
          return;
        }
        const made = await client.corrections({ scope, limit, before }, { signal });
        if (made.length === 0) await refuseEmptyScope(command);
        console.result(made, () =>
          made.length === 0
            ? `Scope "${scope}" has no corrections.`
            : made.flatMap((each) => describe(each, console)),
        );
      }),
    );
}

function named({ name, id }: { readonly name: string; readonly id: string }): string {
  return `${name} (${id})`;
}

function describe(
  { id, author, createdAt, undoneAt, description }: CorrectionRecord,
  console: CommandConsole,
) {
  const undone = undoneAt === null ? '' : `; undone ${isoDay(undoneAt)}`;
  return [
    `${isoDay(createdAt)} ${author}: ${description.replace(/\s+/g, ' ')}`,
    console.style('dim', `  ${id}${undone}`),
  ];
}

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Turns to search for; twice as many facts are found. */
const DEPTH = 25;

const isFactId = (text: string): boolean => ID.test(text.trim());

/** The facts that words may mean, the best first. `haveWords`: they have all of the words; else they are only near. */
interface FactsInWords {
  readonly facts: readonly RetrievedFact[];
  readonly haveWords: boolean;
}

/** @throws ScopeEmptyError */
async function factsInWords(command: ClientCommand, text: string): Promise<FactsInWords> {
  const { client, config, signal } = command;
  const { facts } = await client.search({ scope: config.scope, query: text, k: DEPTH }, { signal });
  if (facts.length === 0) await refuseEmptyScope(command);
  const words = wordsOf(text);
  const all = facts.filter(({ statement }) => words.every((word) => wordsOf(statement).includes(word)));
  const same = all.filter(({ statement }) => wordsOf(statement).join(' ') === words.join(' '));
  const meant = [same, all, facts].find((some) => some.length > 0) ?? [];
  return { facts: meant, haveWords: meant !== facts && meant.length > 0 };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
