import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import type { OutputOf } from '../../main/contract.ts';
import { Button } from '../kit/button.tsx';
import { ChoiceCards, Pill } from '../kit/choice.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Options } from '../kit/field.tsx';
import { Block, Group, inputClass, Row, Saved } from '../kit/group.tsx';
import { LocalModels } from '../parts/model/local-models.tsx';
import { ModelProblem } from '../parts/model/model-problem.tsx';
import {
  nameOf,
  SERVICE_NAMES,
  SERVICES,
  type ServiceName,
  serviceOf,
  storedKeyOf,
} from '../parts/model/services.ts';
import { useReply, useSend } from '../state/connection.tsx';
import type { Provider } from '../state/use-model.ts';
import { text } from '../strings/text.ts';
import { KEY_FIELD, KeyRow } from './key-row.tsx';
import styles from './settings.module.css';
import { lockOf, useSaveSettings, useSetting } from './use-settings.ts';

const words = text.settings.model;

interface Draft {
  readonly service: ServiceName;
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
  const form = useRef<HTMLDivElement>(null);
  const draft = { ...endpoint, ...changes };
  const { service } = draft;
  const { provider } = SERVICES[service];
  const [baseUrl, model] = [draft.baseUrl.trim(), draft.model.trim()];
  const isChanged =
    service !== endpoint.service ||
    (service !== 'none' && (baseUrl !== endpoint.baseUrl || model !== endpoint.model));
  const isComplete = service === 'none' || (model !== '' && (provider === 'local' || baseUrl !== ''));
  const change = (next: Partial<Draft>) => {
    test.reset();
    setChanges((earlier) => ({ ...earlier, ...next }));
  };
  const choose = (chosen: ServiceName) =>
    change(
      chosen === endpoint.service
        ? endpoint
        : { service: chosen, baseUrl: SERVICES[chosen].address, model: '' },
    );
  const save = (chosen = model) =>
    settings.save(
      provider !== 'none'
        ? {
            llmProvider: provider,
            llmBaseUrl: ownAddress(service, baseUrl) ?? null,
            llmModel: chosen || null,
          }
        : tier === 'llm'
          ? { llmProvider: 'none', tier: 'local' }
          : { llmProvider: 'none' },
      () => setChanges({}),
    );
  const tryIt = () =>
    provider !== 'none' && test.mutate({ provider, model, ...addressIn(ownAddress(service, baseUrl)) });
  const steps = {
    key: () => form.current?.querySelector<HTMLElement>(`[${KEY_FIELD}]`)?.focus(),
    another: () => form.current?.querySelector<HTMLElement>('[role=radio][data-state=checked]')?.focus(),
  };
  const server = { draft, isLocked: lock !== undefined, onChange: change };
  return (
    <div ref={form}>
      <Group title={words.who} isBare>
        <ChoiceCards
          label={words.who}
          value={isLoaded ? service : undefined}
          isDisabled={lock !== undefined}
          onChange={choose}
          options={SERVICE_NAMES.map((value) => ({ value, ...words.services[value] }))}
        />
        {lock !== undefined && <Notice>{lock}</Notice>}
        {service === 'local' && <LocalModels lock={lock} onUse={save} />}
        {service !== 'none' && (
          <div className="panel rounded-14 divided">
            {service !== 'local' && <AddressRow {...server} />}
            {hasKeyRow(service) && <KeyRow address={baseUrl} onChange={test.reset} />}
            <ModelNameRow {...server} steps={steps} />
            <Block>
              <div className="line wrap gap-2">
                <Button disabled={!isComplete || test.isPending} onClick={tryIt}>
                  {test.isPending ? words.testing : words.test}
                </Button>
                <div role="status" className={styles.testResult}>
                  {test.data && <TestResult result={test.data} />}
                </div>
                <Pill kind={isChanged ? 'warning' : 'good'}>{isChanged ? words.changed : words.used}</Pill>
              </div>
              {test.error && (
                <ServerProblem error={test.error} draft={draft} on={{ ...steps, again: tryIt }} />
              )}
            </Block>
          </div>
        )}
        {SERVICES[service].key === 'needed' && (
          <p className="note">{words.leaves(nameOf(service, baseUrl))}</p>
        )}
        {settings.problem !== undefined && <Notice kind="problem">{settings.problem}</Notice>}
        <div className={styles.foot}>
          <Saved isShown={settings.isSaved} />
          {isChanged && (
            <>
              <Button kind="quiet" onClick={() => setChanges({})}>
                {text.app.cancel}
              </Button>
              <Button kind="primary" disabled={!isComplete || settings.isSaving} onClick={() => save()}>
                {service === 'none' ? words.useNone : words.use}
              </Button>
            </>
          )}
        </div>
      </Group>
    </div>
  );
}

/** Programs on this machine are asked without a key. */
const hasKeyRow = (service: ServiceName) => SERVICES[service].key !== 'none';

/** The address as it is saved and asked: none where it is the provider's own. */
function ownAddress(service: ServiceName, baseUrl: string): string | undefined {
  const { provider, address } = SERVICES[service];
  const isDefault = provider !== 'openai-compatible' && baseUrl === address;
  return isDefault || baseUrl === '' ? undefined : baseUrl;
}

const addressIn = (baseUrl: string | undefined) => (baseUrl === undefined ? {} : { baseUrl });

function useSavedEndpoint() {
  const sources = useReply('settings', {}).data?.settings;
  const provider = useSetting<Provider | 'none'>('llmProvider').value;
  const baseUrl = useSetting<string>('llmBaseUrl').value;
  const model = useSetting<string>('llmModel').value;
  const tier = useSetting<string>('tier').value;
  const lock = (['llmProvider', 'llmBaseUrl', 'llmModel'] as const)
    .map((key) => lockOf(key, sources?.[key]?.source))
    .find((reason) => reason !== undefined);
  const service = serviceOf(provider ?? 'none', baseUrl ?? '');
  const endpoint: Draft = { service, baseUrl: baseUrl ?? SERVICES[service].address, model: model ?? '' };
  return { endpoint, tier, lock, isLoaded: provider !== undefined };
}

interface ServerRowProps {
  readonly draft: Draft;
  readonly isLocked: boolean;
  readonly onChange: (next: Partial<Draft>) => void;
}

/** The address, taken when it is left or with Enter: each one asks another server. */
function AddressRow({ draft, isLocked, onChange }: ServerRowProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const finish = () => {
    if (typed !== null && typed.trim() !== draft.baseUrl) onChange({ baseUrl: typed.trim() });
    setTyped(null);
  };
  return (
    <Row label={words.address} hint={draft.service === 'compatible' ? words.addressHint : undefined}>
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

type Steps = Readonly<Record<'key' | 'another', () => void>>;

/** The model, with those that the server offers. */
function ModelNameRow({ draft, isLocked, onChange, steps }: ServerRowProps & { readonly steps: Steps }) {
  const list = useId();
  const { service } = draft;
  const { provider } = SERVICES[service];
  const baseUrl = useDeferredValue(draft.baseUrl);
  const hasKey = useHasKey(service, baseUrl);
  const isListed = provider === 'local' || (URL.canParse(baseUrl) && (hasKey || !needsKey(service)));
  const request = {
    provider: provider === 'none' ? 'local' : provider,
    ...addressIn(ownAddress(service, baseUrl)),
  };
  const { data, error, isFetching, refetch } = useReply('endpointModels', request, { isOff: !isListed });
  const only = provider !== 'local' && data?.models.length === 1 ? data.models[0] : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: filled in once for each list, so that it can be emptied
  useEffect(() => {
    if (only !== undefined && draft.model === '' && !isLocked) onChange({ model: only });
  }, [only]);
  const hint =
    provider === 'local'
      ? words.modelHint.file
      : isListed
        ? hintOf(data?.models, isFetching)
        : needsKey(service)
          ? words.modelHint.key
          : words.modelHint.idle;
  return (
    <>
      <Row label={words.model} hint={hint}>
        {(props) => (
          <>
            <input
              {...props}
              className={inputClass}
              list={list}
              value={draft.model}
              disabled={isLocked}
              maxLength={4_000}
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
      {error && !isFetching && (
        <Block>
          <ServerProblem error={error} draft={draft} on={{ ...steps, again: () => void refetch() }} />
        </Block>
      )}
    </>
  );
}

const needsKey = (service: ServiceName) => SERVICES[service].key === 'needed';

/**
 * Whether there is a key for the server. One of the environment counts for the server that is in use only: a look at
 * another one shall not send it there.
 */
function useHasKey(service: ServiceName, address: string): boolean {
  const key = useReply('settings', {}).data?.key;
  const { endpoint } = useSavedEndpoint();
  if (key === undefined) return false;
  if (storedKeyOf(key, address) !== undefined) return true;
  return key.isSet && service === endpoint.service && address === endpoint.baseUrl;
}

interface ServerProblemProps {
  readonly error: Error;
  readonly draft: Draft;
  readonly on: Steps & { readonly again: () => void };
}

function ServerProblem({ error, draft: { service, baseUrl }, on }: ServerProblemProps) {
  const hasKey = useHasKey(service, baseUrl);
  return <ModelProblem problem={error} service={service} address={baseUrl} hasKey={hasKey} on={on} />;
}

function hintOf(models: readonly string[] | undefined, isFetching: boolean): string {
  const hints = words.modelHint;
  if (isFetching) return hints.looking;
  if (models === undefined) return hints.idle;
  return models.length === 0 ? hints.none : hints.found(models.length);
}

function TestResult({ result }: { readonly result: OutputOf<'testModel'> }) {
  const { isCorrect, milliseconds, way, isRepaired } = result;
  // Without the provider, which is chosen above.
  const model = result.model.slice(result.model.indexOf(':') + 1);
  const time =
    milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
  const isGood = isCorrect && way !== 'prose';
  const Icon = isGood ? CircleCheck : TriangleAlert;
  return (
    <span className={`flex gap-7px text-13 may-break icon-first ${isGood ? 'accent-text' : 'warning'}`}>
      <Icon size={16} aria-hidden />
      <span>
        {isCorrect ? words.testGood(model, time) : words.testOdd(model, time)}
        <span className="block faint">
          {words.testWays[way]} {isRepaired && words.testRepaired}
        </span>
      </span>
    </span>
  );
}
