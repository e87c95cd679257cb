import { Ellipsis, Merge, Pencil, Split, Trash2, UserRoundSearch } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import type { EntityPage } from '../../main/contract.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Segments } from '../kit/choice.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Menu, MenuItem } from '../kit/menu.tsx';
import { type Corrections, useCorrections } from '../parts/fact/use-corrections.ts';
import { useFactActions } from '../parts/fact/use-fact-actions.ts';
import { entityPlace, goTo, memoryPlace, portraitPlace } from '../parts/place/places.ts';
import { speakerName } from '../parts/turn/speaker-name.ts';
import { useReply } from '../state/connection.tsx';
import { formatDate, formatNumber, text } from '../strings/text.ts';
import { EditDialog, MergeDialog, SplitDialog } from './entity-dialogs.tsx';
import { EntityHistory } from './entity-history.tsx';
import { EntityTimeline } from './entity-timeline.tsx';
import { FactList, firstFacts } from './fact-list.tsx';
import styles from './page.module.css';
import { Aliases, NodeLinks, NodeScreen, Part, Title, WaysUp } from './page-parts.tsx';
import { TurnList } from './turn-list.tsx';
import { useFactPages } from './use-lists.ts';

interface Props {
  readonly scope: string;
  readonly entity: string;
}

/** The page of a person or thing: what it is, and all that memory holds about it. */
export function EntityScreen({ scope, entity }: Props) {
  const { data, error } = useReply('entityPage', { scope, entity }, { keep: true });
  // Asked for beside the head, not after it.
  useFactPages(firstFacts(scope, entity));
  const { gone: title, goneText: about } = text.browse.entity;
  return (
    <NodeScreen scope={scope} data={data} error={error} gone={{ icon: UserRoundSearch, title, about }}>
      {(page) => <Page page={page} scope={scope} />}
    </NodeScreen>
  );
}

type Asked = 'edit' | 'merge' | 'split' | { readonly merge: string };

interface PageProps {
  readonly page: EntityPage;
  readonly scope: string;
}

function Page({ page, scope }: PageProps) {
  const words = text.browse.entity;
  const [asked, setAsked] = useState<Asked | null>(null);
  const actions = useCorrections(scope);
  const close = (shown?: string) => {
    setAsked(null);
    if (shown !== undefined && shown !== page.id) goTo(entityPlace(scope, shown));
  };
  const part = { scope, page, actions };
  const dialog = { ...part, onClose: close };
  const tabs = {
    facts: <Facts {...part} />,
    timeline: <EntityTimeline scope={scope} entity={page.id} />,
    turns: <TurnList scope={scope} entity={page.id} />,
    connections: <Connections {...part} />,
    history: <EntityHistory {...part} />,
  } satisfies Partial<Record<keyof typeof words.tabs, ReactNode>>;
  const names = Object.keys(tabs) as (keyof typeof tabs)[];
  return (
    <>
      <Head {...part} onAsk={setAsked} />
      {page.uncertain.slice(0, 3).map((other) => (
        <Uncertain key={other.id} other={other} {...part} onAsk={setAsked} />
      ))}
      <Tabs.Root defaultValue="facts" className="above-3">
        <Tabs.List className={styles.tabList} aria-label={words.tabs.label}>
          {names.map((name) => (
            <Tabs.Trigger key={name} value={name} className={styles.tab}>
              {words.tabs[name]}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {names.map((name) => (
          <Tabs.Content key={name} value={name} className={styles.tabBody}>
            {tabs[name]}
          </Tabs.Content>
        ))}
      </Tabs.Root>
      {asked === 'edit' && <EditDialog {...dialog} />}
      {asked === 'merge' && <MergeDialog {...dialog} />}
      {asked === 'split' && <SplitDialog {...dialog} />}
      {typeof asked === 'object' && asked !== null && <MergeDialog {...dialog} other={asked.merge} />}
    </>
  );
}

interface HeadProps extends PageProps {
  readonly onAsk: (what: Asked) => void;
}

function Head({ page, scope, onAsk }: HeadProps) {
  const { counts, entity: words } = text.browse;
  const { name, aliases, summary, tags, facts, turns, said, createdAt } = page;
  const figures = [
    counts.facts(facts.holds),
    ...(facts.ended > 0 ? [words.ended(facts.ended)] : []),
    counts.turns(turns),
    said === null
      ? words.met(formatDate(createdAt))
      : words.saidBetween(formatDate(said[0]), formatDate(said[1])),
  ];
  return (
    <header className={styles.head}>
      <Title name={speakerName(name)} tags={tags}>
        <div className="line gap-1">
          <Button size="small" icon={Pencil} onClick={() => onAsk('edit')}>
            {words.edit}
          </Button>
          <Menu trigger={<IconButton icon={Ellipsis} label={words.actions} />}>
            <MenuItem icon={Merge} onSelect={() => onAsk('merge')}>
              {words.merge}
            </MenuItem>
            <MenuItem icon={Split} onSelect={() => onAsk('split')}>
              {words.split}
            </MenuItem>
            <MenuItem icon={Trash2} isDangerous onSelect={() => goTo(memoryPlace(scope, 'forget'))}>
              {words.forget}
            </MenuItem>
          </Menu>
        </div>
      </Title>
      <Aliases aliases={aliases} />
      <p className={summary === '' ? 'faint text-14' : styles.summary}>
        {summary === '' ? words.noSummary : summary}
      </p>
      <p className="faint text-14 may-break">
        {figures.join(' · ')}
        {tags.includes('person') && (
          <>
            {' · '}
            <a href={portraitPlace(scope, page.id)}>{words.portrait}</a>
          </>
        )}
      </p>
      <WaysUp scope={scope} paths={page.categories.slice(0, 3)} />
    </header>
  );
}

interface UncertainProps extends HeadProps {
  readonly other: EntityPage['uncertain'][number];
  readonly actions: Corrections;
}

function Uncertain({ other, page, scope, actions, onAsk }: UncertainProps) {
  const words = text.browse.entity;
  const keepApart = () =>
    actions.correct({ kind: 'keep-apart', entities: [page.id, other.id] }, words.done.apart);
  return (
    <Notice
      kind="warning"
      action={
        <span className="flow gap-6px keeps-size">
          <Button size="small" onClick={() => onAsk({ merge: other.id })}>
            {words.mergeThese}
          </Button>
          <Button size="small" onClick={() => void keepApart()}>
            {words.keepApart}
          </Button>
        </span>
      }
    >
      {words.uncertain(other.name, Math.round(other.confidence * 100))}{' '}
      <a href={entityPlace(scope, other.id)}>{words.openOther}</a>
    </Notice>
  );
}

function Facts({ page, scope }: PageProps) {
  const words = text.browse.entity;
  const actions = useFactActions(scope);
  const [state, setState] = useState<'holds' | 'ended' | 'any'>('holds');
  const { holds, ended } = page.facts;
  const counts = { holds, ended, any: holds + ended };
  return (
    <>
      <Segments
        value={state}
        aria-label={words.states.label}
        options={(['holds', 'ended', 'any'] as const).map((value) => ({
          value,
          label: `${words.states[value]} (${formatNumber(counts[value])})`,
        }))}
        onChange={setState}
      />
      <FactList key={state} scope={scope} entity={page.id} state={state} actions={actions} />
    </>
  );
}

function Connections({ page, scope }: PageProps) {
  const words = text.browse.entity;
  const { categories, neighbours, merged } = page;
  const nodes = neighbours.map(({ id, name, facts }) => {
    const note = text.browse.counts.facts(facts);
    return { id, name, layer: 0, note };
  });
  return (
    <>
      <Part title={words.categories}>
        {categories.length === 0 && <p className="soft text-14">{words.noCategories}</p>}
        <WaysUp scope={scope} paths={categories} />
      </Part>
      <Part title={words.neighbours}>
        {nodes.length === 0 && <p className="soft text-14">{words.noNeighbours}</p>}
        <NodeLinks scope={scope} nodes={nodes} />
      </Part>
      {merged.length > 0 && (
        <Part title={words.merged}>
          <p>{merged.map(({ name }) => name).join(', ')}</p>
        </Part>
      )}
    </>
  );
}
