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
  const { endpoint, tier, lock, isLoaded } = useSavedEndpoint();
  const [changes, setChanges] = useState<Partial<Draft>>({});
  const settings = useSaveSettings();
  const test = useSend('testModel');
  const draft = { ...endpoint, ...changes };
  const { provider } = draft;
  const [baseUrl, model] = [draft.baseUrl.trim(), draft.model.trim()];
  const isChanged =
    provider !== endpoint.provider ||
    (provider !== 'none' && (baseUrl !== endpoint.baseUrl || model !== endpoint.model));
  const isComplete =
    provider === 'none' || (model !== '' && (provider !== 'openai-compatible' || baseUrl !== ''));
  const change = (next: Partial<Draft>) => {
    test.reset();
    setChanges((earlier) => ({ ...earlier, ...next }));
  };
  const choose = (chosen: Provider) =>
    change(chosen === endpoint.provider ? endpoint : { provider: chosen, baseUrl: '', model: '' });
  const save = () =>
    settings.save(
      provider !== 'none'
        ? { llmProvider: provider, llmBaseUrl: baseUrl || null, llmModel: model || null }
        : tier === 'llm'
          ? { llmProvider: 'none', tier: 'local' }
          : { llmProvider: 'none' },
      () => setChanges({}),
    );
  return (
    <Group title={words.who} isBare>
      <ChoiceCards
        label={words.who}
        value={isLoaded ? provider : undefined}
        isDisabled={lock !== undefined}
        onChange={choose}
        options={PROVIDERS.map((value) => ({ value, ...words.providers[value] }))}
      />
      {lock !== undefined && <Notice>{lock}</Notice>}
      {provider !== 'none' && (
        <div className="panel rounded-14 divided">
          <AddressRow draft={draft} provider={provider} isLocked={lock !== undefined} onChange={change} />
          <ModelNameRow draft={draft} provider={provider} isLocked={lock !== undefined} onChange={change} />
          {provider !== 'ollama' && <KeyRow />}
          <Block>
            <div className="line wrap gap-2">
              <Button
                disabled={!isComplete || test.isPending}
                onClick={() => test.mutate({ provider, model, ...(baseUrl !== '' && { baseUrl }) })}
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
              {provider === 'none' ? words.useNone : words.use}
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

interface ServerRowProps {
  readonly draft: Draft;
  readonly provider: Exclude<Provider, 'none'>;
  readonly isLocked: boolean;
  readonly onChange: (next: Partial<Draft>) => void;
}

/** The address, taken when it is left or with Enter: each one asks another server. */
function AddressRow({ draft, provider, isLocked, onChange }: ServerRowProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const finish = () => {
    if (typed !== null && typed.trim() !== draft.baseUrl) onChange({ baseUrl: typed.trim() });
    setTyped(null);
  };
  return (
    <Row label={words.address} hint={words.addressHint[provider]}>
      {(props) => (
        <input
          {...props}
          className={inputClass}
          type="url"
          value={typed ?? draft.baseUrl}
          disabled={isLocked}
          maxLength={2_000}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={finish}
          onKeyDown={({ key }) => key === 'Enter' && finish()}
        />
      )}
    </Row>
  );
}

/** The model, with those that the server offers. */
function ModelNameRow({ draft, provider, isLocked, onChange }: ServerRowProps) {
  const list = useId();
  const baseUrl = useDeferredValue(draft.baseUrl);
  const isAskable = provider !== 'openai-compatible' || URL.canParse(baseUrl);
  const request = baseUrl === '' ? { provider } : { provider, baseUrl };
  const { data, error, isFetching } = useReply('endpointModels', request, { isOff: !isAskable });
  return (
    <Row
      label={words.model}
      hint={isAskable ? hintOf(data?.models, isFetching) : words.modelHint.idle}
      problem={isFetching ? undefined : error?.message}
    >
      {(props) => (
        <>
          <input
            {...props}
            className={inputClass}
            list={list}
            value={draft.model}
            disabled={isLocked}
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChange({ model: target.value })}
          />
          <datalist id={list}>
            <Options of={(data?.models ?? []).map((value) => ({ value }))} />
          </datalist>
        </>
      )}
    </Row>
  );
}

function hintOf(models: readonly string[] | undefined, isFetching: boolean): string {
  const hints = words.modelHint;
  if (isFetching) return hints.looking;
  if (models === undefined) return hints.idle;
  return models.length === 0 ? hints.none : hints.found(models.length);
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
