import { Command } from 'commander';
import type { LanguageModelReport } from '../../../src/engine/models/create-language-model.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import type { Strategy } from '../../../src/inference/language-model.ts';
import type { Config } from '../../config.ts';
import { configuredLanguageModel } from '../../language-model.ts';
import { CommandConsole, CommandFailed, type Terminal } from '../console.ts';
import { languageModelFlags } from '../flags.ts';
import { cancellable, settingsOf } from '../run-command.ts';

const STRATEGY_NAMES: Readonly<Record<Strategy, string>> = {
  schema: 'JSON schema',
  tool: 'tool call',
  plain: 'plain text',
};

/** A person waits in front of it. */
const CHECK_RETRIES = { attempts: 2, longestRetryAfter: 5000 };

const HELP = `
The key of the server, if it wants one, comes from MNEMIS_LLM_API_KEY in the environment (for OpenAI itself
OPENAI_API_KEY does as well) and is kept nowhere.

  mnemis llm check --llm-provider ollama --llm-model qwen3
  mnemis llm check --llm-provider openai-compatible --llm-base-url http://localhost:1234/v1 --llm-model my-model`;

export function llmCommand(terminal: Terminal): Command {
  return new Command('llm')
    .description('The language model: see whether it answers.')
    .addHelpText('after', HELP)
    .addCommand(checkCommand(terminal));
}

function checkCommand(terminal: Terminal): Command {
  return languageModelFlags(new Command('check'))
    .description(
      'Ask the language model one tiny question: does it answer in schema, how fast, at what cost.',
    )
    .option('--json', 'print one JSON document')
    .action(async ({ json, ...flags }: Partial<Config> & { readonly json?: boolean }) => {
      const console = new CommandConsole(terminal, json === true);
      const { values } = settingsOf(terminal, flags);
      const model = await configuredLanguageModel(values, terminal.env, { retry: CHECK_RETRIES });
      await cancellable(terminal, async (signal) => {
        const { llmTokenBudget: limit } = values;
        const budget = limit === undefined ? undefined : new TokenBudget(limit);
        const { checkLanguageModel } = await import('../../../src/engine/models/create-language-model.ts');
        const report = await checkLanguageModel(model, { signal, budget });
        console.result(report, () => describeReport(report, console));
        if (!report.correct) throw new CommandFailed();
      });
    });
}

function describeReport(report: LanguageModelReport, console: CommandConsole): string[] {
  const { usage } = report;
  const counted = usage.estimated ? ', counted here because the server does not say' : '';
  return [
    `${console.style('bold', report.model)} answers`,
    `  asked by    ${STRATEGY_NAMES[report.strategy]}${report.repaired ? ', and once more to mend the reply' : ''}`,
    `  time        ${report.milliseconds.toFixed(0)} ms`,
    `  tokens      ${usage.promptTokens} of the prompt, ${usage.completionTokens} of the reply${counted}`,
    ...(report.correct
      ? []
      : [
          console.style(
            'yellow',
            '  The answer is wrong: it does not name the city that the question names.',
          ),
        ]),
  ];
}
