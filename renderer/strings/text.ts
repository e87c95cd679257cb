import { english } from './english.ts';

/** The texts of the app, without those of screens that are loaded later. Another language is another catalogue with the same keys. */
export const text = english;

/** Milliseconds of a day. */
export const DAY = 86_400_000;

/** What went wrong, in words for a person. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : text.app.problem;

const dateFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const timeFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const bytesFormats = [
  [1e9, 'gigabyte'],
  [1e6, 'megabyte'],
  [1e3, 'kilobyte'],
  [1, 'byte'],
] as const;

export const formatNumber = (value: number): string => value.toLocaleString();

/** "1,234", "12.3K", "4.5M". */
export function shortNumber(value: number): string {
  if (value < 10_000) return Math.round(value).toLocaleString();
  return new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** Dollars with as many digits as they need: "$0.004", "$1.20", "$340". */
export function formatDollars(dollars: number): string {
  if (dollars > 0 && dollars < 0.001) return '< $0.001';
  const digits = dollars === 0 || dollars >= 100 ? 0 : dollars < 0.1 ? 3 : 2;
  return `$${dollars.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

export const formatDate = (at: number): string => dateFormat.format(at);
export const formatTime = (at: number): string => timeFormat.format(at);
export const formatDateTime = (at: number): string => `${dateFormat.format(at)}, ${timeFormat.format(at)}`;

/** "14:05" for today, "Mon 14:05" within a week, else the date. */
export function formatWhen(at: number, now = Date.now()): string {
  if (new Date(at).toDateString() === new Date(now).toDateString()) return formatTime(at);
  if (now - at < 6 * DAY)
    return new Intl.DateTimeFormat(undefined, {
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
    }).format(at);
  return formatDate(at);
}

export function formatBytes(bytes: number): string {
  const [unit, name] = bytesFormats.find(([least]) => bytes >= least) ?? bytesFormats.at(-1)!;
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: name,
    // The short form of a byte has no plural.
    unitDisplay: name === 'byte' ? 'long' : 'short',
    maximumFractionDigits: unit > 1e3 ? 1 : 0,
  }).format(bytes / unit);
}

/** "350 ms", "2.4 s", "3 min"; for what was measured. */
export function formatSpent(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return formatDuration(milliseconds / 1_000);
}

/** "40 s", "3 min", "2 h 10 min"; for estimates. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}
