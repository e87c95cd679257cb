import type { Milliseconds } from '../model/ids.ts';
import type { Role } from '../model/nodes.ts';
import { described } from '../util/described.ts';
import { isoDay } from '../util/iso-day.ts';
import { asData, asLabel, clip } from './as-data.ts';

/** A turn as prompts show it; its number is its place in the list, from 1. */
export interface PromptTurn {
  readonly speaker: string;
  readonly role: Role;
  readonly at: Milliseconds;
  readonly content: string;
  readonly attachments: readonly { readonly kind: string; readonly description: string }[];
}

/** Of a longer turn (a pasted log), the beginning and the end are shown. */
export const LONGEST_SHOWN_TURN = 4_000;
const LONGEST_ATTACHMENT = 500;
const MOST_ATTACHMENTS = 10;
const LONGEST_SPEAKER = 80;

/** What the prompts say of the form that `renderTurns` gives. */
export const TURNS_FORM =
  'A line "@ date" dates the turns below it; a turn is "number speaker: text", further lines of it begin with "|", attachments stand in brackets.';

/** A turn a line, under a line for each day. */
export function renderTurns(turns: readonly PromptTurn[]): string {
  return renderLines(turns).join('\n');
}

/** As `renderTurns`, with a dash for the number: turns that are shown for reference cannot be cited. */
export function renderEarlierTurns(turns: readonly PromptTurn[]): string {
  return renderLines(turns, { label: () => '-' }).join('\n');
}

/** As `renderTurns`, the turns numbered through, under a line "== number" for each segment. */
export function renderSegments(segments: readonly (readonly PromptTurn[])[]): string {
  const starts = new Map<number, number>();
  let turns = 0;
  for (const [at, segment] of segments.entries()) {
    starts.set(turns, at);
    turns += segment.length;
  }
  const before = (turn: number) => (starts.has(turn) ? [`== ${starts.get(turn)! + 1}`] : []);
  return renderLines(segments.flat(), { before }).join('\n');
}

interface LineOptions {
  readonly before?: (turn: number) => readonly string[];
  readonly label?: (turn: number) => string;
}

function renderLines(
  turns: readonly PromptTurn[],
  { before = () => [], label = (turn) => String(turn + 1) }: LineOptions = {},
): string[] {
  let day = '';
  return turns.flatMap((turn, at) => {
    const last = day;
    day = dayName(turn.at);
    const dated = day === last ? [] : [`@ ${day}`];
    return [...before(at), ...dated, `${label(at)} ${shownSpeaker(turn)}: ${shownText(turn)}`];
  });
}

/** With the weekday, from which "last Friday" is counted; UTC. */
export function dayName(at: Milliseconds): string {
  const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][new Date(at).getUTCDay()]!;
  return `${weekday} ${isoDay(at)}`;
}

/** A speaker without a name is shown as the role would be, and a machine's words as a machine's. */
function shownSpeaker({ speaker, role }: PromptTurn): string {
  const name = asLabel(speaker, LONGEST_SPEAKER) || role;
  const isPerson = role === 'user' || role === 'other';
  return isPerson || name.toLowerCase() === role ? name : `${name} (${role})`;
}

function shownText(turn: PromptTurn): string {
  const shown = shownAttachments(turn).map(
    ({ kind, description }) => `[${asLabel(kind, 40)}: ${asLabel(description, LONGEST_ATTACHMENT)}]`,
  );
  return [asData(turn.content, LONGEST_SHOWN_TURN), ...shown].filter((part) => part !== '').join(' ');
}

/** The part of a turn's text, as it was said, that prompts show: nothing else can be read from a turn. */
export function shownWords(turn: Pick<PromptTurn, 'content' | 'attachments'>): string {
  const descriptions = shownAttachments(turn).map(({ description }) => clip(description, LONGEST_ATTACHMENT));
  return [clip(turn.content, LONGEST_SHOWN_TURN), ...descriptions].join('\n');
}

function shownAttachments({ attachments }: Pick<PromptTurn, 'attachments'>): PromptTurn['attachments'] {
  return described(attachments).slice(0, MOST_ATTACHMENTS);
}
