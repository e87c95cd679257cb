import { useState } from 'react';
import type { InputOf, UsageItem } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { Notice, Skeleton } from '../kit/feedback.tsx';
import { Block, Group } from '../kit/group.tsx';
import { chatPlace } from '../parts/place/places.ts';
import { useReply } from '../state/connection.tsx';
import { formatDollars, formatSpent, formatWhen, shortNumber, text } from '../strings/text.ts';
import styles from './settings.module.css';

type Sort = NonNullable<InputOf<'usageItems'>['sort']>;

const [FIRST, MOST] = [10, 200];

interface ItemsProps {
  readonly kind: UsageItem['kind'];
  readonly days: number;
}

const TITLES = {
  import: { title: text.backup.used.byImport, lead: text.backup.used.byImportLead },
  question: { title: text.backup.used.byQuestion, lead: text.backup.used.byQuestionLead },
  other: { title: text.backup.used.other },
} as const;

/** What single imports or answers used, in a table that can be sorted. */
export function UsageItems({ kind, days }: ItemsProps) {
  const words = text.backup.used;
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
        <Table kind={kind} sort={sort} items={data.items} onSort={setSort} />
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

interface TableProps {
  readonly kind: UsageItem['kind'];
  readonly items: readonly UsageItem[];
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}

function Table({ kind, items, sort, onSort }: TableProps) {
  const words = text.backup.used;
  const columns = [
    ['newest', words.when],
    ['tokens', words.tokens],
    ['time', words.time],
    ['cost', words.cost],
  ] as const;
  const name = { import: words.import, question: words.question, other: words.day }[kind];
  return (
    <div className={styles.tableFrame}>
      <table className={`${styles.table} ${styles.items}`}>
        <thead>
          <tr>
            <th>{name}</th>
            <th>{words.model}</th>
            {columns.map(([value, label]) => (
              <th key={value} aria-sort={sort === value ? 'descending' : 'none'}>
                <button
                  type="button"
                  className="one-line lightens"
                  title={words.sortBy(label)}
                  onClick={() => onSort(value)}
                >
                  {label}
                  <span aria-hidden>{sort === value ? ' ↓' : ''}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Item key={`${item.id} ${item.model}`} item={item} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Item({ item }: { readonly item: UsageItem }) {
  const { estimate, model, milliseconds, cost } = item;
  const words = text.backup.used;
  const tokens = item.promptTokens + item.completionTokens;
  const time = milliseconds === null ? text.settings.usage.noCost : formatSpent(milliseconds);
  return (
    <tr>
      <th scope="row">
        <Name item={item} />
      </th>
      <td title={model ?? undefined}>{model ?? words.none}</td>
      <td>{formatWhen(item.at)}</td>
      <td>
        {shortNumber(tokens)}
        {estimate !== null && estimate.tokens > 0 && <Expected figure={shortNumber(estimate.tokens)} />}
      </td>
      <td>
        {time}
        {estimate !== null && estimate.seconds !== null && (
          <Expected figure={formatSpent(estimate.seconds * 1_000)} />
        )}
      </td>
      <td>
        {cost === null ? text.settings.usage.noCost : formatDollars(cost)}
        {estimate !== null && estimate.dollars !== null && estimate.dollars > 0 && (
          <Expected figure={formatDollars(estimate.dollars)} />
        )}
      </td>
    </tr>
  );
}

function Expected({ figure }: { readonly figure: string }) {
  return <span className="faint text-12 block">{text.backup.used.expected(figure)}</span>;
}

function Name({ item: { kind, id, name, conversation } }: { readonly item: UsageItem }) {
  const words = text.backup.used;
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
