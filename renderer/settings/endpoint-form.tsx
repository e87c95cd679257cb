import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useDeferredValue, useId, useState } from 'react';
import type { OutputOf } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { ChoiceCards, Pill } from '../kit/choice.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Options } from '../kit/field.tsx';
import { Block, Group, inputClass, Row, Saved } from '../kit/group.tsx';
import { useReply, useSend } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import { KeyRow } from './key-row.tsx';
import styles from './settings.module.css';
import { lockOf, useSaveSettings, useSetting } from './use-settings.ts';

const words = text.settings.model;

type Provider = 'none' | 'ollama' | 'openai-compatible' | 'openai';
const PROVIDERS: readonly Provider[] = ['none', 'ollama', 'openai-compatible', 'openai'];

interface Draft {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly model: string;
}

/**
 * The model's server and name. They are saved together, since they only make sense together: after a look at what the
 * server offers, and a test.
 */
export function EndpointForm() {
  const saved = useSavedEndpoint();
  const [changes, setChanges] = useState<Partial<Draft>>({});
  const settings = useSaveSettings();
  const test = useSend('testModel');
  const draft = { ...saved.endpoint, ...changes };
  const isChanged =
    draft.provider !== saved.endpoint.provider ||
    (draft.provider !== 'none' &&
      (draft.baseUrl !== saved.endpoint.baseUrl || draft.model !== saved.endpoint.model));
  const change = (next: Partial<Draft>) => {
    test.reset();
    setChanges((earlier) => ({ ...earlier, ...next }));
  };
  const chooseProvider = (provider: Provider) => {
    const isSaved = provider === saved.endpoint.provider;
    change({
      provider,
      baseUrl: isSaved ? saved.endpoint.baseUrl : '',
      model: isSaved ? saved.endpoint.model : '',
    });
  };
  const save = () =>
    settings.save(
      draft.provider === 'none'
        ? { llmProvider: 'none', ...(saved.tier === 'llm' && { tier: 'local' }) }
        : {
            llmProvider: draft.provider,
            llmBaseUrl: draft.baseUrl.trim() || null,
            llmModel: draft.model.trim() || null,
          },
      () => setChanges({}),
    );
  const isComplete =
    draft.provider === 'none' ||
    (draft.model.trim() !== '' && (draft.provider !== 'openai-compatible' || draft.baseUrl.trim() !== ''));
  return (
    <Group title={words.who} isBare>
      <ChoiceCards
        label={words.who}
        value={saved.isLoaded ? draft.provider : undefined}
        isDisabled={saved.lock !== undefined}
        onChange={chooseProvider}
        options={PROVIDERS.map((provider) => ({ value: provider, ...words.providers[provider] }))}
      />
      {saved.lock !== undefined && <Notice>{saved.lock}</Notice>}
      {draft.provider !== 'none' && (
        <div className="panel rounded-14 divided">
          <ServerRows
            draft={{ ...draft, provider: draft.provider }}
            isLocked={saved.lock !== undefined}
            onChange={change}
          />
          <Block>
            <div className="line wrap gap-2">
              <Button
                disabled={!isComplete || test.isPending}
                onClick={() =>
                  draft.provider !== 'none' &&
                  test.mutate({
                    provider: draft.provider,
                    model: draft.model.trim(),
                    ...(draft.baseUrl.trim() !== '' && { baseUrl: draft.baseUrl.trim() }),
                  })
                }
              >
                {test.isPending ? words.testing : words.test}
              </Button>
              <div role="status" className={styles.testResult}>
                {test.data && <TestResult result={test.data} />}
              </div>
              <Pill kind={isChanged ? 'warning' : 'good'}>{isChanged ? words.changed : words.used}</Pill>
            </div>
            {test.error && <p className="danger text-13 may-break">{test.error.message}</p>}
          </Block>
        </div>
      )}
      {settings.problem !== undefined && <Notice kind="problem">{settings.problem}</Notice>}
      <div className={styles.foot}>
        <Saved isShown={settings.isSaved} />
        {isChanged && (
          <>
            <Button kind="quiet" onClick={() => setChanges({})}>
              {text.app.cancel}
            </Button>
            <Button kind="primary" disabled={!isComplete || settings.isSaving} onClick={save}>
              {draft.provider === 'none' ? words.useNone : words.use}
            </Button>
          </>
        )}
      </div>
    </Group>
  );
}

function useSavedEndpoint() {
  const sources = useReply('settings', {}).data?.settings;
  const provider = useSetting<Provider>('llmProvider').value;
  const baseUrl = useSetting<string>('llmBaseUrl').value;
  const model = useSetting<string>('llmModel').value;
  const tier = useSetting<string>('tier').value;
  const lock = (['llmProvider', 'llmBaseUrl', 'llmModel'] as const)
    .map((key) => lockOf(key, sources?.[key]?.source))
    .find((reason) => reason !== undefined);
  const endpoint: Draft = { provider: provider ?? 'none', baseUrl: baseUrl ?? '', model: model ?? '' };
  return { endpoint, tier, lock, isLoaded: provider !== undefined };
}

interface ServerRowsProps {
  readonly draft: Draft & { readonly provider: Exclude<Provider, 'none'> };
  readonly isLocked: boolean;
  readonly onChange: (next: Partial<Draft>) => void;
}

/** Address, model and key. */
function ServerRows({ draft, isLocked, onChange }: ServerRowsProps) {
  const { provider, model } = draft;
  const list = useId();
  const [address, setAddress] = useState<string | null>(null);
  const baseUrl = useDeferredValue(draft.baseUrl.trim());
  const isAskable = provider !== 'openai-compatible' || URL.canParse(baseUrl);
  const offered = useReply(
    'endpointModels',
    { provider, ...(baseUrl !== '' && { baseUrl }) },
    { isOff: !isAskable },
  );
  const models = offered.data?.models;
  const hint = !isAskable
    ? words.modelHint.idle
    : offered.isFetching
      ? words.modelHint.looking
      : models === undefined
        ? words.modelHint.idle
        : models.length === 0
          ? words.modelHint.none
          : words.modelHint.found(models.length);
  const finish = () => {
    if (address !== null && address.trim() !== draft.baseUrl) onChange({ baseUrl: address.trim() });
    setAddress(null);
  };
  return (
    <>
      <Row label={words.address} hint={words.addressHint[provider]}>
        {(props) => (
          <input
            {...props}
            className={inputClass}
            type="url"
            value={address ?? draft.baseUrl}
            disabled={isLocked}
            maxLength={2_000}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setAddress(target.value)}
            onBlur={finish}
            onKeyDown={({ key }) => key === 'Enter' && finish()}
          />
        )}
      </Row>
      <Row label={words.model} hint={hint} problem={offered.isFetching ? undefined : offered.error?.message}>
        {(props) => (
          <>
            <input
              {...props}
              className={inputClass}
              list={list}
              value={model}
              disabled={isLocked}
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => onChange({ model: target.value })}
            />
            <datalist id={list}>
              <Options of={(models ?? []).map((value) => ({ value }))} />
            </datalist>
          </>
        )}
      </Row>
      {provider !== 'ollama' && <KeyRow />}
    </>
  );
}

function TestResult({ result }: { readonly result: OutputOf<'testModel'> }) {
  const { isCorrect, milliseconds, note } = result;
  // Without the provider, which is chosen above.
  const model = result.model.slice(result.model.indexOf(':') + 1);
  const time =
    milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
  const Icon = isCorrect ? CircleCheck : TriangleAlert;
  return (
    <span className={`flex gap-7px text-13 may-break icon-first ${isCorrect ? 'accent-text' : 'warning'}`}>
      <Icon size={16} aria-hidden />
      <span>
        {isCorrect ? words.testGood(model, time) : words.testOdd(model, time)}
        {note !== '' && <span className="block faint">{note}</span>}
      </span>
    </span>
  );
}
