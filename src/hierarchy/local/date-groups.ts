import { groupBy } from '../../util/collections.ts';
import type { LayerNode } from '../categorizer.ts';
import type { NamedDate } from './dates.ts';
import type { EntityWork } from './layer-work.ts';

type Dated = readonly [LayerNode, NamedDate];

/** Months of a year apart are worth it where there are several. */
const MONTHS_OF_A_YEAR = 2;

/** By month where there are enough, else by year. */
export function addDates(work: EntityWork): void {
  const dated = [...work.readings].flatMap(([node, { date }]): Dated[] =>
    date === null ? [] : [[node, date]],
  );
  const undated: Dated[] = [];
  for (const [year, ofYear] of groupBy(dated, ([, date]) => date.year))
    if (year === null || ofYear.length < work.minimum) undated.push(...ofYear);
    else addYear(year, ofYear, work);
  addCategory('Dates', undated, work);
}

function addYear(year: string, dated: readonly Dated[], work: EntityWork): void {
  const months = [...groupBy(dated, ([, date]) => date.month)].filter(
    ([month, ofMonth]) => month !== null && ofMonth.length >= work.minimum,
  );
  const grouped = new Set(months.flatMap(([, ofMonth]) => ofMonth));
  const rest = dated.filter((each) => !grouped.has(each));
  const isWhole = months.length < MONTHS_OF_A_YEAR || (rest.length > 0 && rest.length < work.minimum);
  if (isWhole) addCategory(year, dated, work);
  else {
    for (const [month, ofMonth] of months) addCategory(month!, ofMonth, work);
    addCategory(`Other dates of ${year}`, rest, work);
  }
}

function addCategory(name: string, dated: readonly Dated[], { drafts, tools }: EntityWork): void {
  const label = tools.vocabulary.named('Dates');
  if (label === undefined || dated.length === 0) return;
  const nodes = dated.map(([node]) => node);
  drafts.add(name, [label], nodes);
}
