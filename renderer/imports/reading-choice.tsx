import type { ImportPreviewReply } from '../../main/contract.ts';
import { ChoiceCards } from '../kit/choice.tsx';
import { joined } from '../parts/job/job-text.ts';
import { formatDollars, formatDuration, shortNumber, text } from '../strings/text.ts';

const words = text.imports.reading;

interface ReadingProps {
  readonly cost: ImportPreviewReply['cost'];
  /** The configured language model. */
  readonly model: string;
  /** Who reads turns for facts. */
  readonly tier: 'local' | 'llm';
  readonly enrich: boolean;
  readonly onChange: (enrich: boolean) => void;
}

/** Whether turns are read for facts, and what that costs in time and money. */
export function ReadingChoice({ cost, model, tier, enrich, onChange }: ReadingProps) {
  const local = words.about(formatDuration(cost.local.seconds));
  const byModel = cost.llm === null ? null : modelCost(cost.llm);
  const isModel = tier === 'llm' && byModel !== null;
  return (
    <div className="grid gap-2">
      <ChoiceCards
        label={words.label}
        value={enrich ? 'facts' : 'only'}
        onChange={(value) => onChange(value === 'facts')}
        options={[
          {
            value: 'facts',
            label: words.facts,
            note: isModel ? words.factsModel(joined([model, byModel])) : words.factsLocal(local),
          },
          { value: 'only', label: words.only, note: words.onlyNote },
        ]}
      />
      {enrich && byModel !== null && (
        <p className="note may-break">
          {isModel ? words.otherLocal(local) : words.otherModel(byModel)}{' '}
          <a href="#/settings/model">{words.change}</a>
        </p>
      )}
    </div>
  );
}

function modelCost({
  calls,
  tokens,
  seconds,
  dollars,
}: NonNullable<ImportPreviewReply['cost']['llm']>): string {
  return joined([
    words.calls(calls),
    words.tokens(shortNumber(tokens)),
    dollars === null ? words.noPrice : words.dollars(formatDollars(dollars)),
    seconds === null ? '' : words.about(formatDuration(seconds)),
  ]);
}
