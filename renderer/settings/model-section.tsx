import { ChoiceCards, Disclosure } from '../kit/choice.tsx';
import { Notice } from '../kit/feedback.tsx';
import { Group } from '../kit/group.tsx';
import { text } from '../strings/text.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { SettingRows } from './rows.tsx';
import { SectionHead } from './section-head.tsx';
import { useSetting } from './use-settings.ts';

const words = text.settings.model;

const LIMITS = [
  'llmSees',
  'llmContextTokens',
  'llmTokenBudget',
  'llmConcurrency',
  'llmRequestsPerMinute',
  'llmTokensPerMinute',
  'llmTimeoutSeconds',
] as const;

/** The language model: who it is, whether it works, what it does. */
export function ModelSection() {
  const provider = useSetting<string>('llmProvider');
  const hasModel = provider.value !== undefined && provider.value !== null && provider.value !== 'none';
  return (
    <>
      <SectionHead title={text.settings.sections.model} lead={words.lead} restarts />
      <EndpointForm />
      <Tier hasModel={hasModel} />
      {hasModel && (
        <Disclosure title={words.limits}>
          <Group lead={words.limitsLead}>
            <SettingRows names={LIMITS} />
          </Group>
        </Disclosure>
      )}
    </>
  );
}

/** Who reads turns for facts. */
function Tier({ hasModel }: { readonly hasModel: boolean }) {
  const tier = useSetting<'local' | 'llm'>('tier');
  const value = tier.value ?? 'local';
  return (
    <Group title={words.reading} lead={words.readingLead} isBare>
      <ChoiceCards
        label={words.reading}
        value={value}
        isDisabled={tier.lock !== undefined}
        onChange={tier.save}
        options={[
          { value: 'local', ...words.tiers.local },
          {
            value: 'llm',
            label: words.tiers.llm.label,
            note: hasModel ? words.tiers.llm.note : `${words.tiers.llm.note} ${words.noModel}`,
            isDisabled: !hasModel && value !== 'llm',
          },
        ]}
      />
      {tier.lock !== undefined && <Notice>{tier.lock}</Notice>}
      {tier.problem !== undefined && <Notice kind="problem">{tier.problem}</Notice>}
    </Group>
  );
}
