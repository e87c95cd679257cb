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

export function relevantFor(format: string | undefined): Relevant {
  return BY_FORMAT[format ?? ''] ?? NOTHING;
}

/** The speaker who has the user's name, whatever the case. */
export function ownSpeaker(preview: Pick<ImportPreviewReply, 'speakers'>, name: string): string | undefined {
  const wanted = name.trim().toLowerCase();
  if (wanted === '') return undefined;
  const names = preview.speakers.map((speaker) => speaker.name);
  return (
    names.find((each) => each.toLowerCase() === wanted) ??
    names.find((each) => each.toLowerCase().split(/\s+/)[0] === wanted)
  );
}

interface Known {
  /** The latest preview of the file; absent at first. */
  readonly preview?: Pick<ImportPreviewReply, 'format' | 'speakers'> | undefined;
  /** The user's name in the preferences. */
  readonly name: string;
  readonly timeZone: string;
}

/** The settings with which a file is read: what was chosen, else what is likely. */
export function settingsOf(choices: Choices, { preview, name, timeZone }: Known): ImportSettings {
  const relevant = relevantFor(preview?.format);
  const likely =
    preview === undefined || relevant.me === null
      ? undefined
      : relevant.me === 'name'
        ? name.trim() || undefined
        : ownSpeaker(preview, name);
  const me = relevant.me === null ? undefined : (choices.me ?? likely);
  return {
    ...(choices.format !== undefined && { format: choices.format }),
    ...(me !== undefined && me !== '' && { me }),
    // The zone of this machine is the best guess for times that name none; formats that name theirs ignore it.
    timeZone: choices.timeZone ?? timeZone,
    ...(relevant.dateOrder &&
      choices.dateOrder !== undefined &&
      choices.dateOrder !== 'auto' && { dateOrder: choices.dateOrder }),
    ...(relevant.branches && choices.branches === 'all' && { branches: 'all' as const }),
    ...(relevant.temporary && choices.includeTemporary === true && { includeTemporary: true }),
  };
}
