import { ChartColumn } from 'lucide-react';
import { useState } from 'react';
import { Disclosure, Segments } from '../kit/choice.tsx';
import { Empty, Notice, Skeleton } from '../kit/feedback.tsx';
import { numberIn } from '../kit/form.tsx';
import { Group } from '../kit/group.tsx';
import { useReply } from '../state/connection.tsx';
import { formatDollars, formatNumber, shortNumber, text } from '../strings/text.ts';
import { SectionHead } from './section-head.tsx';
import styles from './settings.module.css';
import { UsageItems } from './usage-items.tsx';
import { type DayBar, dayBars, grouped, type Totals, totalsOf, type UsageRow } from './usage-totals.ts';
import { usePreference } from './use-settings.ts';

const PERIODS = ['7', '30', '90'] as const;

/** What models were asked, and what it cost. */
export function UsageSection() {
  const words = text.settings.usage;
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>('30');
  const days = Number(period);
  const usage = useReply('usage', { days }, { keep: true });
  const rows = usage.data?.rows;
  return (
    <>
      <SectionHead title={text.settings.sections.usage} lead={words.lead} />
      <div className={styles.period}>
        <Segments
          aria-labelledby="usage-period"
          value={period}
          onChange={setPeriod}
          options={PERIODS.map((value) => ({ value, label: words.days(Number(value)) }))}
        />
        <span id="usage-period" className="visually-hidden">
          {words.period}
        </span>
      </div>
      {usage.error && <Notice kind="problem">{usage.error.message}</Notice>}
      {rows === undefined && !usage.error && <Skeleton height={220} />}
      {rows?.length === 0 && (
        <Empty icon={ChartColumn} title={words.empty}>
          <p>{words.emptyNote}</p>
        </Empty>
      )}
      {rows !== undefined && rows.length > 0 && <Report rows={rows} days={days} />}
      <UsageItems kind="import" days={days} />
      <UsageItems kind="question" days={days} />
      <UsageItems kind="other" days={days} />
    </>
  );
}

function Report({ rows, days }: { readonly rows: readonly UsageRow[]; readonly days: number }) {
  const words = text.settings.usage;
  const totals = totalsOf(rows);
  const today = new Date().toISOString().slice(0, 10);
  return (
    <>
      <dl className={styles.totals}>
        <div>
          <dt className="note">{words.calls}</dt>
          <dd>{formatNumber(totals.calls)}</dd>
        </div>
        <div>
          <dt className="note">{words.tokens}</dt>
          <dd>{shortNumber(totals.promptTokens + totals.completionTokens)}</dd>
        </div>
        <div>
          <dt className="note">{words.cost}</dt>
          <dd>{costOf(totals)}</dd>
          {totals.isPart && <dd className="note may-break">{words.partCost}</dd>}
        </div>
      </dl>
      <Chart bars={dayBars(rows, days, today)} days={days} />
      <Group title={words.byModel} lead={words.priceNote}>
        <Models rows={rows} />
      </Group>
      <Disclosure title={words.byDay}>
        <Days rows={rows} />
      </Disclosure>
    </>
  );
}

const HEIGHT = 120;

/** Tokens of each day: chat, and above it what was read. */
function Chart({ bars, days }: { readonly bars: readonly DayBar[]; readonly days: number }) {
  const words = text.settings.usage;
  const most = Math.max(1, ...bars.map(({ chat, other }) => chat + other));
  const width = 100 / bars.length;
  const [first, last] = [bars[0]?.day ?? '', bars.at(-1)?.day ?? ''];
  return (
    <figure className={styles.chart}>
      <svg viewBox={`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={words.chart(days)}>
        <title>{words.chart(days)}</title>
        {bars.map(({ day, chat, other }, index) => {
          const [low, high] = [(chat / most) * HEIGHT, (other / most) * HEIGHT];
          const x = index * width + width * 0.14;
          return (
            <g key={day}>
              <title>{words.bar(day, shortNumber(chat + other))}</title>
              <rect x={index * width} width={width} height={HEIGHT} fill="transparent" />
              <rect x={x} y={HEIGHT - low} width={width * 0.72} height={low} className={styles.ofChat} />
              <rect
                x={x}
                y={HEIGHT - low - high}
                width={width * 0.72}
                height={high}
                className={styles.ofOther}
              />
            </g>
          );
        })}
      </svg>
      <figcaption className="flow apart gap-2 faint text-12">
        <span>{first}</span>
        <span className="inline-line gap-6px">
          <i className={`${styles.swatch} ${styles.ofChat}`} /> {words.purposes.chat}
          <i className={`${styles.swatch} ${styles.ofOther}`} /> {words.purposes.reading}
        </span>
        <span>{last}</span>
      </figcaption>
    </figure>
  );
}

/** Use of each model, with its prices. */
function Models({ rows }: { readonly rows: readonly UsageRow[] }) {
  const words = text.settings.usage;
  return (
    <div className={styles.tableFrame}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>{words.model}</th>
            <th>{words.calls}</th>
            <th>{words.prompt}</th>
            <th>{words.completion}</th>
            <th>{words.cost}</th>
            <th>{words.price}</th>
          </tr>
        </thead>
        <tbody>
          {grouped(rows, ({ model }) => model).map((each) => (
            <tr key={each.name}>
              <th scope="row" title={each.name}>
                {each.name}
              </th>
              <td>{formatNumber(each.calls)}</td>
              <td>{shortNumber(each.promptTokens)}</td>
              <td>{shortNumber(each.completionTokens)}</td>
              <td>{costOf(each)}</td>
              <td>
                <Price model={each.name} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Prices of a model for a million tokens. */
function Price({ model }: { readonly model: string }) {
  const words = text.settings.usage;
  const saved = usePreference('prices');
  const price = saved.value?.[model];
  const [typed, setTyped] = useState<{ prompt?: string; completion?: string }>({});
  const finish = () => {
    const prompt = typed.prompt === undefined ? price?.prompt : numberIn(typed.prompt);
    const completion = typed.completion === undefined ? price?.completion : numberIn(typed.completion);
    const isTouched = typed.prompt !== undefined || typed.completion !== undefined;
    if (isTouched && saved.value !== undefined) {
      const { [model]: _, ...others } = saved.value;
      const isGone = (prompt ?? null) === null && (completion ?? null) === null;
      saved.save(
        isGone ? others : { ...others, [model]: { prompt: prompt ?? 0, completion: completion ?? 0 } },
      );
    }
    setTyped({});
  };
  return (
    <span className="inline-line gap-1">
      {(['prompt', 'completion'] as const).map((part) => (
        <input
          key={part}
          className={styles.price}
          aria-label={part === 'prompt' ? words.pricePrompt(model) : words.priceCompletion(model)}
          placeholder={part === 'prompt' ? words.prompt : words.completion}
          inputMode="decimal"
          autoComplete="off"
          disabled={saved.value === undefined}
          title={saved.problem}
          value={typed[part] ?? price?.[part] ?? ''}
          onChange={({ target }) => setTyped((earlier) => ({ ...earlier, [part]: target.value }))}
          onBlur={finish}
          onKeyDown={({ key }) => key === 'Enter' && finish()}
        />
      ))}
    </span>
  );
}

function Days({ rows }: { readonly rows: readonly UsageRow[] }) {
  const words = text.settings.usage;
  return (
    <div className={`${styles.tableFrame} ${styles.days} panel rounded-14`}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>{words.day}</th>
            <th>{words.model}</th>
            <th>{words.purpose}</th>
            <th>{words.calls}</th>
            <th>{words.tokens}</th>
            <th>{words.cost}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.day} ${row.model} ${row.purpose}`}>
              <th scope="row">{row.day}</th>
              <td title={row.model}>{row.model}</td>
              <td>{words.purposes[row.purpose]}</td>
              <td>{formatNumber(row.calls)}</td>
              <td>{shortNumber(row.promptTokens + row.completionTokens)}</td>
              <td>{row.cost === null ? words.noCost : formatDollars(row.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function costOf({ cost }: Totals): string {
  return cost === null ? text.settings.usage.noCost : formatDollars(cost);
}
