import type { RetrievedItem, Vote } from '../../src/model/retrieved-item.ts';
import { groupBy } from '../../src/util/collections.ts';
import { described } from '../../src/util/described.ts';
import { isoDay } from '../../src/util/iso-day.ts';
import { clockTime, clockTimeOfFact } from '../../src/util/speaker-clock.ts';
import { type CommandConsole, inOneLine } from './console.ts';

const LONGEST = 220;
const RANK = '  1. ';

/** How many of the found items are shown, and whether each has its id and the reason why it was found. */
export interface ShownItems {
  /** Default: a few of each kind. */
  readonly most?: number | undefined;
  readonly reasons?: boolean;
}

const FEW = { episodes: 4, facts: 3, entities: 3 } as const;
const TITLES = { episodes: 'Turns', facts: 'Facts', entities: 'Entities' } as const;
export type FoundItems = Readonly<Record<keyof typeof FEW, readonly RetrievedItem[]>>;

/** Found items by kind, and the number of those not shown. */
export function describeFound(
  found: FoundItems,
  { most, reasons = false }: ShownItems,
  console: CommandConsole,
): { readonly lines: string[]; readonly hidden: number } {
  const lines: string[] = [];
  let hidden = 0;
  for (const kind of ['episodes', 'facts', 'entities'] as const) {
    const items = found[kind].slice(0, most ?? FEW[kind]);
    hidden += found[kind].length - items.length;
    if (items.length > 0)
      lines.push(
        console.style('bold', TITLES[kind]),
        ...items.flatMap((item) => describeItem(item, { reasons, console })),
      );
  }
  return { lines, hidden };
}

/** An item in a line of text; with reasons, why it was found, its source turns and its id follow. */
function describeItem(
  item: RetrievedItem,
  { reasons, console }: { readonly reasons: boolean; readonly console: CommandConsole },
): string[] {
  const line = `${String(item.rank).padStart(3)}. ${inOneLine(headline(item), Math.min(LONGEST, console.width - RANK.length))}`;
  return reasons ? [line, console.style('dim', `     ${reason(item)}; id ${item.id}`)] : [line];
}

function headline(item: RetrievedItem): string {
  if (item.kind === 'episode') {
    const seen = described(item.attachments).map(({ kind, description }) => ` [${kind}: ${description}]`);
    return `${isoDay(clockTime(item))} ${item.speaker}: ${item.content}${seen.join('')}`;
  }
  if (item.kind === 'fact') {
    const end = item.invalidAt === null ? '' : ` to ${isoDay(item.invalidAt)}`;
    return `${isoDay(clockTimeOfFact(item))}${end} ${item.statement}`;
  }
  const tags = item.tags.length === 0 ? '' : ` (${item.tags.join(', ')})`;
  return `${item.name}${tags}: ${item.summary}`;
}

/** The lists that found the item with its rank in each, its category path, its score, and its source turns. */
export function reason(item: RetrievedItem): string {
  return `${describeVotes(item.why)}; score ${item.score.toFixed(4)}; ${describeSources(item)}`;
}

export function describeSources({ sources }: RetrievedItem): string {
  const turns = sources.map(
    ({ session, index, removed }) => `${session}:${index}${removed ? ' (text removed by retention)' : ''}`,
  );
  return `from ${turns.join(' ') || 'no turn'}`;
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
