import { Command } from 'commander';
import type { ForgetEvent, ForgetPreview, ForgetReport } from '../../../src/edit/forget/forget-event.ts';
import type { CompactEvent } from '../../../src/files/backup/compact.ts';
import { type ForgetTarget, oneForgetTarget } from '../../../src/model/forget-target.ts';
import { nothingToForget } from '../../../src/tools/forget.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import { UsageError } from '../../errors.ts';
import { type CommandConsole, CommandFailed, canAsk, confirm, counted, type Terminal } from '../console.ts';
import { eraseAdvice } from '../erase-advice.ts';
import { type CommonFlags, commonFlags, someWords, wholeNumber } from '../flags.ts';
import { lastEvent } from '../progress.ts';
import { type ClientCommand, refuseEmptyScope, withClient } from '../run-command.ts';
import { timeInWords } from '../time-in-words.ts';
import { describeCounts } from './changes.ts';

interface ForgetFlags extends CommonFlags {
  readonly session?: string;
  readonly episode?: string;
  readonly entity?: string;
  readonly withTurns?: boolean;
  readonly before?: string;
  readonly after?: string;
  readonly query?: string;
  readonly limit?: number;
  readonly quotations?: boolean;
  readonly all?: boolean;
  readonly deleteScope?: boolean;
  readonly yes?: boolean;
  readonly compact?: boolean;
  readonly dryRun?: boolean;
  readonly author?: string;
}

export function forgetCommand(terminal: Terminal): Command {
  return commonFlags(new Command('forget'))
    .description(
      'Delete turns and everything derived from them, or an entity. Shows what would be deleted and asks first.',
    )
    .option('--session <name>', 'all turns of a session', someWords)
    .option('--episode <id>', 'one turn, with all its versions', someWords)
    .option('--entity <name>', 'an entity, by name or id, and its facts; its turns stay', someWords)
    .option('--with-turns', 'with --entity: delete the turns that mention it, too')
    .option('--before <time>', 'turns said before this time')
    .option('--after <time>', 'turns said at or after this time')
    .option('--query <text>', 'the best results of a search', someWords)
    .option('--limit <number>', 'with --query: how many (default: 10, at most 100)', wholeNumber)
    .option('--all', 'all turns of the scope')
    .option('--delete-scope', 'the whole scope: as --all, with its name, tombstones and records')
    .option('--quotations', 'also delete turns of any speaker that quote the deleted ones')
    .option('--dry-run', 'show what would be deleted, delete nothing')
    .option('--yes', 'do not ask for confirmation')
    .option('--compact', 'then rewrite the memory’s file, so that the text is erased from the disk')
    .option('--author <name>', 'who requests it, for the log of changes (default: "user")')
    .action(async (flags: ForgetFlags) => {
      const target = await targetOf(flags);
      const { path, scope, embedder, embedderDimension, device, json } = flags;
      const common = withoutUndefined({ path, scope, embedder, embedderDimension, device, json });
      await withClient(terminal, { ...common, access: 'reads' }, (command) => forget(command, target, flags));
    });
}

async function forget(command: ClientCommand, target: ForgetTarget, flags: ForgetFlags): Promise<void> {
  const { client, config, console, signal } = command;
  const { quotations } = flags;
  const preview = await client.previewForget({ scope: config.scope, target, quotations }, { signal });
  if (preview.target === 'query' && preview.episodes.length === 0) await refuseEmptyScope(command);
  if (flags.dryRun === true) {
    console.result(preview, () => describePreview(preview, console));
    return;
  }
  console.line(...describePreview(preview, console));
  const isWhole = flags.deleteScope === true;
  const isThere = isWhole && (await client.scopes({}, { signal })).includes(config.scope);
  if (isThere) console.line(`The scope "${config.scope}" would be deleted, with its name.`);
  if (nothingToForget(preview) && !isThere) {
    console.result({ removed: {} }, () => 'Nothing to forget.');
    return;
  }
  if (flags.yes !== true && (console.json || !canAsk(console.terminal)))
    throw new UsageError(
      'Confirmation needs a terminal; nothing was forgotten. Check with --dry-run, then run again with --yes.',
    );
  if (flags.yes !== true && !(await confirm(console.terminal, 'Forget this?', signal))) {
    console.line('Nothing was forgotten.');
    return;
  }
  // Deletes exactly the turns that were shown: a second search could find others.
  const shown =
    preview.target === 'query' ? { target: { episodes: [...preview.episodes] } } : { target, quotations };
  const events = isWhole
    ? client.deleteScope({ scope: config.scope }, { signal })
    : client.forget({ scope: config.scope, ...shown, author: flags.author }, { signal });
  const report = await run(command, events);
  const isErased =
    report.onDisk === 'needs compact' && flags.compact === true ? await compact(command) : false;
  console.result({ ...report, onDisk: isErased ? 'erased' : report.onDisk }, () =>
    describeReport(report, isErased, command),
  );
  if (!report.proof.clean) throw new CommandFailed();
}

async function run({ console }: ClientCommand, events: AsyncIterable<ForgetEvent>): Promise<ForgetReport> {
  const { type: _, ...report } = await lastEvent(events, {
    console,
    what: 'Forgetting',
    show: ({ step, done, total }, progress) =>
      progress.update((100 * done) / Math.max(1, total), `${step}, ${done} turns deleted`),
  });
  return { ...report, seconds: Math.round(report.seconds * 1000) / 1000 };
}

async function compact({ client, signal }: ClientCommand): Promise<boolean> {
  let last: CompactEvent | undefined;
  for await (const event of client.compact({}, { signal })) last = event;
  return last?.type === 'done';
}

/** @throws UsageError unless the flags name exactly one target. */
async function targetOf({
  limit,
  withTurns,
  entity,
  query,
  all,
  deleteScope,
  ...flags
}: ForgetFlags): Promise<ForgetTarget> {
  if (deleteScope === true && flags.author !== undefined)
    throw new UsageError('--delete-scope keeps no record, so it takes no --author');
  if (withTurns === true && entity === undefined) throw new UsageError('--with-turns needs --entity');
  if (limit !== undefined && query === undefined) throw new UsageError('--limit needs --query');
  const { session, episode } = flags;
  const before = await timeInWords('--before', flags.before);
  const after = await timeInWords('--after', flags.after);
  const named = { session, episode, before, after, entity, episodes: withTurns, query, limit };
  const target = oneForgetTarget({ ...named, all: all ?? deleteScope });
  if (target === null)
    throw new UsageError(
      'Name one of --session, --episode, --entity, --before and --after, --query (with a --limit up to 100), --all, --delete-scope; nothing was forgotten',
    );
  return target;
}

function describePreview(preview: ForgetPreview, console: CommandConsole): string[] {
  const { counts, examples, vanishing, reread, episodes, alsoSaid } = preview;
  const { embedding: _, episode: __, ...derived } = counts;
  const more = episodes.length - examples.length;
  return [
    console.style('bold', `${counted(episodes.length, 'turn')} would be deleted:`),
    ...examples.map(
      ({ session, at, text, id }) => `  ${at.slice(0, 10)}, session "${session}": ${text} (${id})`,
    ),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(Object.keys(derived).length === 0 ? [] : [`with ${describeCounts(derived)}`]),
    ...(vanishing.length === 0 ? [] : [`entities that no turn would mention: ${namesOf(vanishing)}`]),
    ...(reread === 0 ? [] : [`${counted(reread, 'turn')} beside them would be read for facts again`]),
    ...describeQuotations(alsoSaid),
  ];
}

function describeQuotations({ total, turns }: ForgetPreview['alsoSaid']): string[] {
  if (total === 0) return [];
  const more = total - turns.length;
  return [
    `also quoted in ${counted(total, 'turn')} that would stay (--quotations deletes them, too):`,
    ...turns.map(
      ({ at, session, speaker, text, id }) =>
        `  ${at.slice(0, 10)}, session "${session}", ${speaker}: ${text} (${id})`,
    ),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function namesOf(entities: ForgetPreview['vanishing']): string {
  const names = entities.slice(0, 10).map(({ name }) => name);
  return entities.length > names.length
    ? `${names.join(', ')} and ${entities.length - names.length} more`
    : names.join(', ');
}

const FALLBACKS: Readonly<Record<ForgetReport['fallbacks'][number]['step'], string>> = {
  removing:
    'The rows derived from the turns could not be determined exactly, so more were deleted, and their turns are read again',
  checking: 'The search for remaining text failed',
  rederiving: 'Neighbouring turns could not be read for facts again and wait; to read them: mnemis resume',
  hierarchy: 'The categories could not be updated; to update them: mnemis hierarchy update',
};

function describeReport(
  report: ForgetReport,
  isErased: boolean,
  { config, console }: ClientCommand,
): string[] {
  const { removed, reread, proof, onDisk, alsoSaid } = report;
  const found = proof.findings.map(
    ({ holder, where, texts }) => `  ${counted(texts, 'text')} in the ${holder} (${where})`,
  );
  return [
    `Removed from memory: ${counted(removed.episode ?? 0, 'turn')}, ${counted(removed.fact ?? 0, 'fact')}, in ${report.seconds.toFixed(1)} s.`,
    ...(reread === 0
      ? []
      : [
          `${counted(reread, 'turn')} beside them are read for facts again in the background; if some still wait later: mnemis resume`,
        ]),
    proof.clean
      ? `Searched for ${counted(proof.searched, 'forgotten text')} in all stored data and found none.`
      : console.style('red', `Searched for ${counted(proof.searched, 'forgotten text')} and found:`),
    ...found,
    ...report.fallbacks.map(({ step, reason }) => `${FALLBACKS[step]} (${reason})`),
    ...(alsoSaid === 0
      ? []
      : [
          alsoSaid === 1
            ? '1 turn that quotes deleted text stays.'
            : `${alsoSaid} turns that quote deleted text stay.`,
        ]),
    ...(isErased && proof.clean
      ? ['Erased from the memory’s files; backups and exports are unchanged.']
      : []),
    ...(!isErased && onDisk !== 'nothing on disk'
      ? [`Not yet erased from the disk. To erase it: ${eraseAdvice(config.path)}`]
      : []),
  ];
}
