import { Button } from '../../kit/button.tsx';
import { Disclosure } from '../../kit/choice.tsx';
import { Notice } from '../../kit/feedback.tsx';
import { text } from '../../strings/text.ts';
import { nameOf, type ServiceName } from './services.ts';

/** A failed request to a language model, as the client reports it. */
interface Failure {
  readonly code?: string | null | undefined;
  readonly reason?: string | undefined;
  readonly message: string;
}

interface Asked {
  readonly service: ServiceName;
  readonly address: string;
  /** Whether a key went with the request. */
  readonly hasKey: boolean;
}

type Step = 'key' | 'again' | 'another';
type Words = (name: string, address: string) => string;

const { sentences } = text.settings.model.problems;
const BY_REASON: Readonly<Record<string, readonly [Words, ...Step[]]>> = {
  unreachable: [sentences.unreachable, 'again', 'another'],
  late: [sentences.late, 'again', 'another'],
  timeout: [sentences.late, 'again', 'another'],
  protocol: [sentences.protocol, 'another'],
  'broken-reply': [sentences.broken, 'again', 'another'],
  fault: [sentences.fault, 'again', 'another'],
  'server-error': [sentences.fault, 'again', 'another'],
  'rate-limited': [sentences.limited, 'again'],
};
const BY_CODE: Readonly<Record<string, readonly [Words, ...Step[]]>> = {
  'model-quota': [sentences.quota, 'another'],
  'unknown-model': [sentences.unknown, 'another'],
  'model-declined': [sentences.declined, 'again', 'another'],
  'context-too-long': [sentences.long, 'another'],
  'model-request-refused': [sentences.refused, 'another'],
  'malformed-reply': [sentences.malformed, 'again', 'another'],
};

function described({ code, reason }: Failure, { service, address, hasKey }: Asked) {
  const [words, ...steps] =
    code === 'model-key'
      ? [hasKey ? sentences.keyRefused : sentences.keyMissing, 'key' as const]
      : (BY_REASON[reason ?? ''] ?? BY_CODE[code ?? ''] ?? []);
  return words && { sentence: words(nameOf(service, address), address), steps };
}

interface ModelProblemProps extends Asked {
  readonly problem: Failure;
  /** What a step does; a step without an action is not offered. */
  readonly on: Readonly<Partial<Record<Step, () => void>>>;
}

/** What went wrong with a language model: one sentence, what can be done, and the engine's words on request. */
export function ModelProblem({ problem, on, ...asked }: ModelProblemProps) {
  const known = described(problem, asked);
  if (known === undefined) return <Notice kind="problem">{problem.message}</Notice>;
  const { buttons, details } = text.settings.model.problems;
  const label = { key: asked.hasKey ? buttons.changeKey : buttons.enterKey, ...buttons };
  return (
    <Notice kind="problem">
      <div className="stack gap-2">
        <strong className="may-break">{known.sentence}</strong>
        <div className="line wrap gap-2">
          {known.steps.map(
            (step) =>
              on[step] && (
                <Button key={step} size="small" onClick={on[step]}>
                  {label[step]}
                </Button>
              ),
          )}
        </div>
        <Disclosure title={details}>
          <p className="text-13 may-break">{problem.message}</p>
        </Disclosure>
      </div>
    </Notice>
  );
}
