import type { Milliseconds } from '../model/ids.ts';
import type { Role } from '../model/nodes.ts';
import { described } from '../util/described.ts';
import { isoDay } from '../util/iso-day.ts';
import { asData, asLabel, clip } from './as-data.ts';

/** A turn as prompts show it; its number is its position in the list, from 1. */
export interface PromptTurn {
  readonly speaker: string;
  readonly role: Role;
  readonly at: Milliseconds;
  readonly content: string;
  readonly attachments: readonly { readonly kind: string; readonly description: string }[];
}

/** Of a longer turn (a pasted log), only the beginning and the end are shown. */
export const LONGEST_SHOWN_TURN = 4_000;
const LONGEST_ATTACHMENT = 500;
const MOST_ATTACHMENTS = 10;
const LONGEST_SPEAKER = 80;

/** Explains the format of `renderTurns` to the model. */
export const TURNS_FORM =
  'A line "@ date" dates the turns below; a turn is "number speaker: text", its further lines begin with "|", attachments are in brackets.';

/** One line per turn, under a line for each day. */
export function renderTurns(turns: readonly PromptTurn[]): string {
  return renderLines(turns).join('\n');
}

/** Like `renderTurns`, with a dash instead of the number: turns shown for reference cannot be cited. */
export function renderEarlierTurns(turns: readonly PromptTurn[]): string {
  return renderLines(turns, { label: () => '-' }).join('\n');
}

/** Like `renderTurns`, with consecutive numbers and a line "== number" before each segment. */
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

/** The day with its weekday, to resolve "last Friday"; UTC. */
export function dayName(at: Milliseconds): string {
  const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][new Date(at).getUTCDay()]!;
  return `${weekday} ${isoDay(at)}`;
}

/** A speaker without a name is shown by role; text of an assistant or a tool is marked as such. */
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

/** The part of a turn's own text that prompts show: a model can read nothing else from the turn. */
export function shownWords(turn: Pick<PromptTurn, 'content' | 'attachments'>): string {
  const descriptions = shownAttachments(turn).map(({ description }) => clip(description, LONGEST_ATTACHMENT));
  return [clip(turn.content, LONGEST_SHOWN_TURN), ...descriptions].join('\n');
}

function shownAttachments({ attachments }: Pick<PromptTurn, 'attachments'>): PromptTurn['attachments'] {
  return described(attachments).slice(0, MOST_ATTACHMENTS);
}
