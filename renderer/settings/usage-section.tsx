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
import { type Column, Table } from './table.tsx';
import { UsageItems } from './usage-items.tsx';
import { type DayBar, dayBars, grouped, type Totals, totalsOf, type UsageRow } from './usage-totals.ts';
import { usePreference } from './use-settings.ts';

const words = text.settings.usage;

const PERIODS = ['7', '30', '90'] as const;

/** What models were asked, and what it cost. */
export function UsageSection() {
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
        <Table
          rows={grouped(rows, ({ model }) => model)}
          columns={MODEL_COLUMNS}
          keyOf={({ name }) => name}
        />
      </Group>
      <Disclosure title={words.byDay}>
        <Table
          rows={rows}
          columns={DAY_COLUMNS}
          keyOf={({ day, model, purpose }) => `${day} ${model} ${purpose}`}
          className={`${styles.days} panel rounded-14`}
        />
      </Disclosure>
    </>
  );
}

const HEIGHT = 120;

/** Tokens of each day: chat, and above it what was read. */
function Chart({ bars, days }: { readonly bars: readonly DayBar[]; readonly days: number }) {
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

type Named = ReturnType<typeof grouped>[number];

const MODEL_COLUMNS: readonly Column<Named>[] = [
  { title: words.model, cell: ({ name }) => name, whole: ({ name }) => name },
  { title: words.calls, cell: ({ calls }) => formatNumber(calls) },
  { title: words.prompt, cell: ({ promptTokens }) => shortNumber(promptTokens) },
  { title: words.completion, cell: ({ completionTokens }) => shortNumber(completionTokens) },
  { title: words.cost, cell: costOf },
  { title: words.price, cell: ({ name }) => <Price model={name} /> },
];

const DAY_COLUMNS: readonly Column<UsageRow>[] = [
  { title: words.day, cell: ({ day }) => day },
  { title: words.model, cell: ({ model }) => model, whole: ({ model }) => model },
  { title: words.purpose, cell: ({ purpose }) => words.purposes[purpose] },
  { title: words.calls, cell: ({ calls }) => formatNumber(calls) },
  {
    title: words.tokens,
    cell: ({ promptTokens, completionTokens }) => shortNumber(promptTokens + completionTokens),
  },
  { title: words.cost, cell: costOf },
];

/** Prices of a model for a million tokens. */
function Price({ model }: { readonly model: string }) {
  const saved = usePreference('prices');
  const price = saved.value?.[model];
  const [typed, setTyped] = useState<{ prompt?: string; completion?: string }>({});
  const finish = () => {
    const prompt = typed.prompt === undefined ? price?.prompt : numberIn(typed.prompt);
    const completion = typed.completion === undefined ? price?.completion : numberIn(typed.completion);
    const isTouched = typed.prompt !== undefined || typed.completion !== undefined;
    if (isTouched && saved.value !== undefined) {
      const { [model]: _, ...others } = saved.value ?? {};
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

function costOf({ cost }: Pick<Totals, 'cost'>): string {
  return cost === null ? words.noCost : formatDollars(cost);
}
