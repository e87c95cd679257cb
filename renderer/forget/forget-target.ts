import type { InputOf } from '../../main/contract.ts';

type Target = InputOf<'previewForget'>['target'];

/** Ways to say what should be forgotten, in the order in which they are offered. */
export const FORGET_WAYS = [
  'words',
  'session',
  'entity',
  'period',
  'speaker',
  'source',
  'ids',
  'all',
] as const;
type ForgetWay = (typeof FORGET_WAYS)[number];

/** What was filled in. */
export interface ForgetForm {
  readonly way: ForgetWay;
  readonly query: string;
  readonly limit: number;
  readonly session: string;
  readonly entity: string;
  readonly withTurns: boolean;
  /** Days as "2024-05-01"; empty for none. */
  readonly from: string;
  readonly to: string;
  readonly speaker: string;
  readonly source: string;
  readonly ids: string;
}

export const EMPTY_FORM: ForgetForm = {
  way: 'words',
  query: '',
  limit: 10,
  session: '',
  entity: '',
  withTurns: false,
  from: '',
  to: '',
  speaker: '',
  source: '',
  ids: '',
};

/** A target, or the turns to collect first: those of a speaker or a source. */
export type Wanted =
  | { readonly target: Target }
  | { readonly turns: { readonly speaker?: string; readonly source?: string } };

/** Null while something is missing. */
export function wantedBy(form: ForgetForm): Wanted | null {
  switch (form.way) {
    case 'words': {
      const query = form.query.trim();
      return query === '' ? null : { target: { query, limit: form.limit } };
    }
    case 'session':
      return form.session === '' ? null : { target: { session: form.session } };
    case 'entity': {
      const entity = form.entity.trim();
      return entity === '' ? null : { target: { entity, ...(form.withTurns && { episodes: true }) } };
    }
    case 'period':
      return periodOf(form);
    case 'speaker':
      return form.speaker === '' ? null : { turns: { speaker: form.speaker } };
    case 'source':
      return form.source === '' ? null : { turns: { source: form.source } };
    case 'ids': {
      const ids = [...new Set(form.ids.split(/[\s,;]+/).filter(Boolean))];
      return ids.length === 0 ? null : { target: { episodes: ids } };
    }
    case 'all':
      return { target: { all: true } };
  }
}

/** From the beginning of the first day to the end of the last one, in the time zone of the window. */
function periodOf({ from, to }: ForgetForm): Wanted | null {
  const after = dayBegin(from, 0);
  const before = dayBegin(to, 1);
  if (after === null && before === null) return null;
  return { target: { ...(after !== null && { after }), ...(before !== null && { before }) } };
}

function dayBegin(day: string, later: number): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (match === null) return null;
  const [, year, month, date] = match;
  return new Date(Number(year), Number(month) - 1, Number(date) + later).getTime();
}
