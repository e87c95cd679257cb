import { useState } from 'react';
import type { InputOf, UsageItem } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { Block, Group } from '../kit/group.tsx';
import { chatPlace } from '../parts/place/places.ts';
import { useReply } from '../state/connection.tsx';
import { formatDollars, formatSpent, formatWhen, shortNumber, text } from '../strings/text.ts';
import styles from './settings.module.css';
import { type Column, Table } from './table.tsx';

const words = text.backup.used;

type Sort = NonNullable<InputOf<'usageItems'>['sort']>;

const [FIRST, MOST] = [10, 200];

interface ItemsProps {
  readonly kind: UsageItem['kind'];
  readonly days: number;
}

const TITLES = {
  import: { title: words.byImport, lead: words.byImportLead },
  question: { title: words.byQuestion, lead: words.byQuestionLead },
  other: { title: words.other },
} as const;

/** What single imports or answers used, in a table that can be sorted. */
export function UsageItems({ kind, days }: ItemsProps) {
  const [sort, setSort] = useState<Sort>('newest');
  const [limit, setLimit] = useState(FIRST);
  const { data, error } = useReply('usageItems', { kind, days, sort, limit }, { keep: true });
  const empty = { import: words.noImport, question: words.noQuestion, other: words.noOther }[kind];
  return (
    <Group {...TITLES[kind]}>
      {error && <Notice kind="problem">{error.message}</Notice>}
      {data === undefined && !error && <Skeleton height={88} />}
      {data?.items.length === 0 && (
        <Block>
          <p className="note may-break">{empty}</p>
        </Block>
      )}
      {data !== undefined && data.items.length > 0 && (
        <Table
          rows={data.items}
          columns={columnsOf(kind, sort, setSort)}
          keyOf={({ id, model }) => `${id} ${model}`}
          className={styles.items}
        />
      )}
      {data?.more === true && limit < MOST && (
        <div className={styles.showMore}>
          <Button kind="quiet" size="small" onClick={() => setLimit(Math.min(MOST, limit * 5))}>
            {words.more}
          </Button>
        </div>
      )}
    </Group>
  );
}

/** The columns of items of a kind; those with figures can be sorted by. */
function columnsOf(kind: UsageItem['kind'], sort: Sort, onSort: (sort: Sort) => void) {
  const noCost = text.settings.usage.noCost;
  const sortable = (value: Sort) => ({ isSorted: sort === value, onSort: () => onSort(value) });
  const columns: readonly Column<UsageItem>[] = [
    {
      title: { import: words.import, question: words.question, other: words.day }[kind],
      cell: (item) => <Name item={item} />,
    },
    { title: words.model, cell: ({ model }) => model ?? words.none, whole: ({ model }) => model },
    { title: words.when, cell: ({ at }) => formatWhen(at), ...sortable('newest') },
    {
      title: words.tokens,
      cell: ({ promptTokens, completionTokens, estimate }) => (
        <>
          {shortNumber(promptTokens + completionTokens)}
          <Expected figure={estimate?.tokens} format={shortNumber} />
        </>
      ),
      ...sortable('tokens'),
    },
    {
      title: words.time,
      cell: ({ milliseconds, estimate }) => (
        <>
          {milliseconds === null ? noCost : formatSpent(milliseconds)}
          <Expected figure={estimate?.seconds} format={(seconds) => formatSpent(seconds * 1_000)} />
        </>
      ),
      ...sortable('time'),
    },
    {
      title: words.cost,
      cell: ({ cost, estimate }) => (
        <>
          {cost === null ? noCost : formatDollars(cost)}
          <Expected figure={estimate?.dollars} format={formatDollars} />
        </>
      ),
      ...sortable('cost'),
    },
  ];
  return columns;
}

interface ExpectedProps {
  readonly figure: number | null | undefined;
  readonly format: (figure: number) => string;
}

/** What was expected before, where something was. */
function Expected({ figure, format }: ExpectedProps) {
  if (!figure) return null;
  return <span className="faint text-12 block">{words.expected(format(figure))}</span>;
}

function Name({ item: { kind, id, name, conversation } }: { readonly item: UsageItem }) {
  if (kind === 'other') return id;
  if (kind === 'import')
    return name === null ? (
      <span className="note may-break">{words.gone}</span>
    ) : (
      <a href="#/import" title={name}>
        {name}
      </a>
    );
  const title = name === null || name === '' ? words.untitled : name;
  return conversation === null ? (
    title
  ) : (
    <a href={chatPlace(conversation, id)} title={title}>
      {title}
    </a>
  );
}
