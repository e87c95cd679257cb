import type { RetrievedItem, Vote } from '../../src/model/retrieved-item.ts';
import { groupBy } from '../../src/util/collections.ts';
import { described } from '../../src/util/described.ts';
import { isoDay } from '../../src/util/iso-day.ts';
import type { CommandConsole } from './console.ts';

const LONGEST = 220;

/** An item in two lines: its text, then why it was found and its source turns. */
export function describeItem(item: RetrievedItem, console: CommandConsole): string[] {
  return [
    `${String(item.rank).padStart(3)}. ${headline(item)}`,
    console.style('dim', `     ${reason(item)}`),
  ];
}

function headline(item: RetrievedItem): string {
  if (item.kind === 'episode') {
    const seen = described(item.attachments).map(({ kind, description }) => ` [${kind}: ${description}]`);
    return oneLine(`${isoDay(item.validAt)} ${item.speaker}: ${item.content}${seen.join('')}`);
  }
  if (item.kind === 'fact') {
    const end = item.invalidAt === null ? '' : ` to ${isoDay(item.invalidAt)}`;
    return oneLine(`${isoDay(item.validAt)}${end} ${item.statement}`);
  }
  const tags = item.tags.length === 0 ? '' : ` (${item.tags.join(', ')})`;
  return oneLine(`${item.name}${tags}: ${item.summary}`);
}

/** The lists that found the item with its rank in each, its category path, and its source turns. */
export function reason(item: RetrievedItem): string {
  const turns = item.sources
    .map(
      ({ session, index, removed }) => `${session}:${index}${removed ? ' (text removed by retention)' : ''}`,
    )
    .join(' ');
  return `${describeVotes(item.why)}; score ${item.score.toFixed(4)}; from ${turns || 'no turn'}`;
}

/** The routes in the order of their strongest votes. */
function describeVotes(votes: readonly Vote[]): string {
  const byRoute = groupBy(votes, ({ route }) => route);
  const routes = [...byRoute].map(([route, own]) => {
    const lists = own.map(({ list, rank }) => `${list} #${rank}`).join(', ');
    const path = own.find((vote) => vote.path !== undefined)?.path;
    return `${route}: ${lists}${path === undefined ? '' : ` (${path.join(' → ')})`}`;
  });
  return routes.join('; ');
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}
