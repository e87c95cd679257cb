import { Command } from 'commander';
import { type EnrichmentReport, NOTHING_ENRICHED } from '../../../src/engine/ingestion/enrichment-report.ts';
import { NO_MODEL_USAGE } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type { Config } from '../../config.ts';
import { counted, type Terminal } from '../console.ts';
import { refuseEmptyScope } from '../empty-scope.ts';
import {
  describeEnriched,
  describeEnriching,
  describeGrouped,
  stagesReport,
  usageReport,
} from '../enrichment.ts';
import { type CommonFlags, commonFlags, learningFlags } from '../flags.ts';
import { startProgress } from '../progress.ts';
import { type ClientCommand, withClient } from '../run-command.ts';

type ResumeFlags = CommonFlags & Partial<Config> & { readonly retry?: boolean };

export function resumeCommand(terminal: Terminal): Command {
  return learningFlags(commonFlags(new Command('resume')))
    .description(
      'Read waiting turns for facts: after an interruption, an exhausted budget, or an import with --no-enrich.',
    )
    .option('--retry', 'also retry turns that were set aside')
    .action(async ({ retry = false, ...flags }: ResumeFlags) =>
      withClient(terminal, { ...flags, access: 'reads', purpose: 'learn' }, async (command) => {
        await refuseEmptyScope(command);
        const report = await resume(command, retry);
        command.console.result(report, () => [
          report.consolidated + report.setAside === 0
            ? 'No turn waits to be read for facts.'
            : `${counted(report.consolidated, 'turn')} read for facts in ${report.seconds.toFixed(1)} s; ${report.pending === 0 ? 'none waits' : `${report.pending} wait`}`,
          ...describeEnriched(report, report),
          ...describeGrouped(report.hierarchy),
        ]);
      }),
    );
}

async function resume({ client, config, console, signal }: ClientCommand, retry: boolean) {
  const { scope, llmTokenBudget: tokenBudget } = config;
  const progress = startProgress(console, 'Reading', 100);
  let [counts, usage, pending, seconds] = [NOTHING_ENRICHED, NO_MODEL_USAGE, 0, 0];
  let hierarchy: EnrichmentReport['hierarchy'] = null;
  let byStage: EnrichmentReport['byStage'] = {};
  try {
    for await (const event of client.resume({ scope, retry, tokenBudget }, { signal })) {
      ({ counts, usage, pending, seconds } = event);
      if (event.type === 'done') ({ hierarchy, byStage } = event);
      const done = counts.consolidated + counts.setAside;
      if (event.type === 'progress')
        progress.update(
          (100 * done) / Math.max(1, done + pending),
          describeEnriching(event),
          event.toGo?.seconds ?? null,
        );
    }
  } finally {
    progress.stop(); // before the next line is printed: output would break the bar
  }
  return {
    ...counts,
    pending,
    hierarchy,
    usage: usageReport(usage),
    byStage: stagesReport(byStage),
    seconds: Math.round(seconds * 1000) / 1000,
  };
}
