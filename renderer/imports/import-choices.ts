import type { ImportPreviewReply } from '../../main/contract.ts';
import type { ImportSettings } from './upload-store.ts';

/** What a person chose for a file; what is absent takes its default. */
export interface Choices {
  readonly scope?: string;
  readonly format?: string;
  readonly me?: string;
  readonly timeZone?: string;
  readonly dateOrder?: ImportSettings['dateOrder'];
  readonly branches?: ImportSettings['branches'];
  readonly includeTemporary?: boolean;
  readonly enrich?: boolean;
}

/** Which questions a format asks. */
interface Relevant {
  /** `speaker`: one of those in the file. `name`: a free text. */
  readonly me: 'speaker' | 'name' | null;
  readonly timeZone: boolean;
  readonly dateOrder: boolean;
  readonly branches: boolean;
  readonly temporary: boolean;
}

const NOTHING: Relevant = { me: null, timeZone: false, dateOrder: false, branches: false, temporary: false };
const BY_FORMAT: Readonly<Record<string, Relevant>> = {
  chatgpt: { ...NOTHING, me: 'name', branches: true, temporary: true },
  claude: { ...NOTHING, me: 'name', temporary: true },
  whatsapp: { ...NOTHING, me: 'speaker', timeZone: true, dateOrder: true },
  telegram: { ...NOTHING, me: 'speaker', timeZone: true },
  markdown: { ...NOTHING, me: 'name' },
  text: { ...NOTHING, me: 'name' },
};

type Seen = Pick<ImportPreviewReply, 'format' | 'speakers'>;

/** @param called - The name that the file was read with for its user. */
export function relevantFor(preview: Seen | undefined, called?: string): Relevant {
  const known = BY_FORMAT[preview?.format ?? ''];
  if (known !== undefined || preview === undefined) return known ?? NOTHING;
  const names = humansIn(preview).map(({ name }) => name);
  if (names.length > 1) return { ...NOTHING, me: 'speaker' };
  const isUnnamed = names.length === 1 && [NAMELESS, called].includes(names[0]);
  return isUnnamed ? { ...NOTHING, me: 'name' } : NOTHING;
}

/** Who speaks in a file that only knows roles. */
const NAMELESS = 'user';

/** Speakers who may be the user; a name that is too long to be one is nobody's. */
export const humansIn = ({ speakers }: Pick<Seen, 'speakers'>) =>
  speakers.filter(({ role, name }) => role !== 'assistant' && role !== 'tool' && name.length <= LONGEST_NAME);
const LONGEST_NAME = 100;

/**
 * The speaker who is the user, as far as that can be guessed: who has the user's name, whatever the case, or the first
 * part of it; the owner of an export; else who speaks in most of the files that were chosen together.
 *
 * @param others - speakers of the other files.
 */
export function likelySpeaker(
  preview: Pick<Seen, 'speakers'>,
  name: string,
  others: readonly (readonly string[])[] = [],
): string | undefined {
  const humans = humansIn(preview);
  const names = [...new Set(humans.map((speaker) => speaker.name))];
  const first = (words: string) => words.trim().toLowerCase().split(/\s+/)[0];
  const wanted = name.trim().toLowerCase();
  if (wanted !== '') {
    const alike = names.filter((each) => first(each) === wanted || each.toLowerCase() === first(wanted));
    const own =
      names.find((each) => each.toLowerCase() === wanted) ?? (alike.length === 1 ? alike[0] : undefined);
    if (own !== undefined) return own;
  }
  const owners = humans.filter(({ role }) => role === 'user');
  if (owners.length === 1 && humans.length > 1) return owners[0]?.name;
  const counted = names.map((each) => [each, others.filter((other) => other.includes(each)).length] as const);
  const most = Math.max(0, ...counted.map(([, count]) => count));
  const shared = counted.filter(([, count]) => count === most);
  return most > 0 && shared.length === 1 ? shared[0]?.[0] : undefined;
}

interface Known {
  /** The latest preview of the file; absent at first. */
  readonly preview?: Pick<ImportPreviewReply, 'format' | 'speakers'> | undefined;
  /** The user's name in the preferences. */
  readonly name: string;
  /** Speakers of other files that were chosen. */
  readonly others?: readonly (readonly string[])[];
  readonly timeZone: string;
}

/** Whether a file asks which of its speakers is the user, and nobody has said it. */
export const asksForSpeaker = (preview: Seen, choices: Choices, { speaker }: ImportSettings): boolean =>
  relevantFor(preview).me === 'speaker' &&
  humansIn(preview).length > 1 &&
  choices.me === undefined &&
  speaker === undefined;

/** The settings with which a file is read: what was chosen, else what is likely. */
export function settingsOf(choices: Choices, { preview, name, timeZone, others }: Known): ImportSettings {
  const relevant = relevantFor(preview, choices.me ?? name.trim());
  const isSpeaker = relevant.me === 'speaker' && preview !== undefined;
  const likely = isSpeaker ? likelySpeaker(preview, name, others) : name.trim() || undefined;
  const me = relevant.me === null ? undefined : (choices.me ?? likely);
  return {
    ...(choices.format !== undefined && { format: choices.format }),
    ...(me !== undefined && me !== '' && { [isSpeaker ? 'speaker' : 'me']: me }),
    // The person's zone is the best guess for times that name none; formats that name theirs ignore it.
    timeZone: choices.timeZone ?? timeZone,
    ...(relevant.dateOrder &&
      choices.dateOrder !== undefined &&
      choices.dateOrder !== 'auto' && { dateOrder: choices.dateOrder }),
    ...(relevant.branches && choices.branches === 'all' && { branches: 'all' as const }),
    ...(relevant.temporary && choices.includeTemporary === true && { includeTemporary: true }),
  };
}
