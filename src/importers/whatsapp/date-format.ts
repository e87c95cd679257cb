import { escaped } from '../../util/escaped.ts';

/** The name of a month or a day. */
export const DATE_WORD = String.raw`\p{L}[\p{L}\p{M}.’']{0,14}`;

const TOKEN = /'[^']*'|YYYY|YY|MM?|DD?|HH?|hh?|mm?|ss?|a|\s+|./gs;
const FIELDS: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year1>\d{4})`,
  YY: String.raw`(?<year1>\d{2})`,
  M: String.raw`(?<month1>\d{1,2}|${DATE_WORD})`,
  D: String.raw`(?<day1>\d{1,2})`,
  H: String.raw`(?<hour>\d{1,2})`,
  m: String.raw`(?<minute>\d{1,2})`,
  s: String.raw`(?<second>\d{1,2})`,
  a: String.raw`(?<after>[^\p{N}\s\[\]:]{1,20}(?:\s?m\.?)?)`,
  '*': String.raw`[^\p{N}\n]{0,40}?`,
};

/** The field of a token of a form of dates; undefined for a literal. */
function fieldOf(token: string): string | undefined {
  return /^(?:YYYY|YY|[MDms]{1,2}|[Hh]{1,2}|[a*])$/.test(token)
    ? (FIELDS[token] ?? FIELDS[token === 'h' || token === 'hh' ? 'H' : token[0]!])
    : undefined;
}

/** The header of a form of dates, in brackets, before a dash, or before a name. */
export function patternOf(format: string): RegExp {
  const stamp = (format.match(TOKEN) ?? [])
    .map((token) => {
      if (/^\s/.test(token)) return String.raw`\s+`;
      return fieldOf(token) ?? escaped(token.replace(/^'(.+)'$/s, '$1'));
    })
    .join('');
  return new RegExp(String.raw`^\[?\s?${stamp}\s?\]?(?:\s?[-–—,:])?(?:\s(?<rest>[\s\S]*))?$`, 'iu');
}

const NEEDED = ['year1', 'month1', 'day1', 'hour', 'minute'];

/** Whether it names year, month, day, hour and minute, and nothing twice. */
export function isDateFormat(format: string): boolean {
  const fields = (format.match(TOKEN) ?? []).flatMap(
    (token) => /<(\w+)>/.exec(fieldOf(token) ?? '')?.[1] ?? [],
  );
  return new Set(fields).size === fields.length && NEEDED.every((field) => fields.includes(field));
}
