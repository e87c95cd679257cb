import type { Command } from 'commander';
import { type EnrichmentReport, NOTHING_ENRICHED } from '../../../src/engine/ingestion/enrichment-report.ts';
import { NO_MODEL_USAGE } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type { OutputOf } from '../../contract.ts';
import { type CommandConsole, counted, type Terminal } from '../console.ts';
import { contractCommand } from '../contract-command.ts';
import {
  describeEnriched,
  describeEnriching,
  describeGrouped,
  stagesReport,
  usageReport,
} from '../enrichment.ts';
import { learningFlags } from '../flags.ts';
import { startProgress } from '../progress.ts';

export function resumeCommand(terminal: Terminal): Command {
  return contractCommand<'resume', Awaited<ReturnType<typeof resume>>>(terminal, {
    name: 'resume',
    summary:
      'Read waiting turns for facts: after an interruption, an exhausted budget, or an import with --no-enrich.',
    ...{ method: 'resume', before: learningFlags, needsTurns: true },
    fields: { retry: { says: 'also retry turns that were set aside' } },
    opening: () => ({ purpose: 'learn' }),
    result: (events, { console }) => resume(events, console),
    lines: (report) => [
      report.consolidated + report.setAside === 0
        ? 'No turn waits to be read for facts.'
        : `${counted(report.consolidated, 'turn')} read for facts in ${report.seconds.toFixed(1)} s; ${report.pending === 0 ? 'none waits' : `${report.pending} wait`}`,
      ...describeEnriched(report, report),
      ...describeGrouped(report.hierarchy),
    ],
  });
}

async function resume(events: AsyncIterable<OutputOf<'resume'>>, console: CommandConsole) {
  const progress = startProgress(console, 'Reading', 100);
  let [counts, usage, pending, seconds] = [NOTHING_ENRICHED, NO_MODEL_USAGE, 0, 0];
  let hierarchy: EnrichmentReport['hierarchy'] = null;
  let byStage: EnrichmentReport['byStage'] = {};
  try {
    for await (const event of events) {
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
