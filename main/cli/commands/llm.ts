import { Command } from 'commander';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import type { Strategy } from '../../../src/inference/language-model.ts';
import type { LanguageModelReport } from '../../../src/inference/models/create-language-model.ts';
import type { Config } from '../../config.ts';
import { configuredLanguageModel } from '../../language-model.ts';
import { CommandConsole, CommandFailed, cancellable, type Terminal } from '../console.ts';
import { languageModelFlags } from '../flags.ts';
import { settingsOf } from '../run-command.ts';

const STRATEGY_NAMES: Readonly<Record<Strategy, string>> = {
  schema: 'JSON schema',
  tool: 'tool call',
  json: 'JSON mode',
  plain: 'plain text',
};

/** Few retries: a person waits for the result. */
const CHECK_RETRIES = { attempts: 2, longestRetryAfter: 5000 };

const HELP = `
If the server needs a key, set MNEMIS_LLM_API_KEY in the environment (for OpenAI, OPENAI_API_KEY also works).
The key is never stored.

  mnemis llm check --llm-model local:qwen3-4b-instruct
  mnemis llm check --llm-provider ollama --llm-model qwen3
  mnemis llm check --llm-provider openai-compatible --llm-base-url http://localhost:1234/v1 --llm-model my-model`;

export function llmCommand(terminal: Terminal): Command {
  return new Command('llm')
    .description('Check the connection to the language model.')
    .addHelpText('after', HELP)
    .addCommand(checkCommand(terminal));
}

function checkCommand(terminal: Terminal): Command {
  return languageModelFlags(new Command('check'))
    .description(
      'Send the language model one short question and report whether its reply fits the schema, its time and its tokens.',
    )
    .option('--json', 'print one JSON document')
    .action(async ({ json, ...flags }: Partial<Config> & { readonly json?: boolean }) => {
      const console = new CommandConsole(terminal, json === true);
      const { values } = settingsOf(terminal, flags);
      const model = await configuredLanguageModel(values, terminal.env, { retry: CHECK_RETRIES });
      await cancellable(terminal, async (signal) => {
        const { llmTokenBudget: limit } = values;
        const budget = limit === undefined ? undefined : new TokenBudget(limit);
        const { checkLanguageModel } = await import('../../../src/inference/models/create-language-model.ts');
        const report = await checkLanguageModel(model, { signal, budget });
        console.result(report, () => describeReport(report, console));
        if (!report.correct) throw new CommandFailed();
      });
    });
}

function describeReport(report: LanguageModelReport, console: CommandConsole): string[] {
  const { usage } = report;
  const counted = usage.estimated ? ', estimated, as the server does not report them' : '';
  return [
    `${console.style('bold', report.model)} answers`,
    `  asked by    ${STRATEGY_NAMES[report.strategy]}${report.repaired ? ', repeated to repair the reply' : ''}`,
    `  time        ${report.milliseconds.toFixed(0)} ms`,
    `  tokens      ${usage.promptTokens} of the prompt, ${usage.completionTokens} of the reply${counted}`,
    ...(report.correct
      ? []
      : [console.style('yellow', '  The answer is wrong: it does not name the city in the question.')]),
  ];
}
