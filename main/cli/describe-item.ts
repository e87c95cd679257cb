import type { RetrievedItem } from '../../src/model/retrieved-item.ts';
import type { CommandConsole } from './console.ts';

const LONGEST = 220;

/** An item in two lines: what it says, and why it is here and where it comes from. */
export function describeItem(item: RetrievedItem, console: CommandConsole): string[] {
  return [
    `${String(item.rank).padStart(3)}. ${headline(item)}`,
    console.style('dim', `     ${reason(item)}`),
  ];
}

export function headline(item: RetrievedItem): string {
  if (item.kind === 'episode') {
    const seen = item.attachments.map((attachment) => ` [${attachment.kind}: ${attachment.description}]`);
    return oneLine(`${date(item.validAt)} ${item.speaker}: ${item.content}${seen.join('')}`);
  }
  if (item.kind === 'fact') {
    const end = item.invalidAt === null ? '' : ` to ${date(item.invalidAt)}`;
    return oneLine(`${date(item.validAt)}${end} ${item.statement}`);
  }
  const tags = item.tags.length === 0 ? '' : ` (${item.tags.join(', ')})`;
  return oneLine(`${item.name}${tags}: ${item.summary}`);
}

/** Which lists put it forward and at what rank, and the turns behind it. */
export function reason(item: RetrievedItem): string {
  const votes = item.why.map((vote) => `${vote.list} #${vote.rank}`).join(', ');
  const turns = item.sources
    .map(
      ({ session, index, removed }) => `${session}:${index}${removed ? ' (text removed by retention)' : ''}`,
    )
    .join(' ');
  return `${item.why[0]?.route ?? ''}: ${votes}; score ${item.score.toFixed(4)}; from ${turns || 'no turn'}`;
}

export function date(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}
