import type { ImportPreview, LeftOutCount } from '../../../src/importers/preview-import.ts';
import { counted } from '../console.ts';

const SPEAKERS_SHOWN = 6;

/** What a file holds, in lines for a person. */
export function describePreview(preview: ImportPreview): string[] {
  const { bytes, conversations, from, notes, rejected, speakers, to, turns } = preview;
  if (turns === 0) return [...describeLeftOut(preview.leftOut), ...describeRejected(rejected)];
  const size = bytes === null ? '' : `, ${describeBytes(bytes)}`;
  const names = speakers.slice(0, SPEAKERS_SHOWN).map(({ name, turns: said }) => `${name} (${said})`);
  const more = speakers.length > SPEAKERS_SHOWN ? ' and others' : '';
  return [
    `From ${dayOf(from)} to ${dayOf(to)}, in ${counted(conversations, 'conversation')}${size}`,
    `Speakers: ${names.join(', ')}${more}`,
    ...describeLeftOut(preview.leftOut),
    ...describeRejected(rejected),
    ...notes.map((note) => `${note}.`),
  ];
}

export function describeLeftOut(leftOut: readonly LeftOutCount[]): string[] {
  return leftOut.map(({ count, reason, where }) => `Passed over: ${count} × ${reason} (${where})`);
}

function describeRejected(rejected: readonly LeftOutCount[]): string[] {
  return rejected.map(({ count, reason, where }) => `Broken: ${count} × ${reason} (${where})`);
}

function dayOf(at: number | null): string {
  return at === null ? 'an unknown day' : new Date(at).toISOString().slice(0, 10);
}

function describeBytes(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  const megabytes = bytes / 1024 / 1024;
  return megabytes < 1 ? `${(bytes / 1024).toFixed(1)} KB` : `${megabytes.toFixed(1)} MB`;
}
