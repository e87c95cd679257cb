import type { Command } from 'commander';
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
import { lastEvent } from '../progress.ts';

export function resumeCommand(terminal: Terminal): Command {
  return contractCommand<'resume', Awaited<ReturnType<typeof resume>>>(terminal, {
    name: 'resume',
    summary:
      'Read waiting turns for facts: after an interruption, an exhausted budget, or an import with --no-enrich.',
    method: 'resume',
    before: learningFlags,
    needsTurns: true,
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
  const { counts, pending, hierarchy, usage, byStage, dropped, seconds } = await lastEvent(events, {
    console,
    what: 'Reading',
    show: (event, progress) => {
      const done = event.counts.consolidated + event.counts.setAside;
      const share = (100 * done) / Math.max(1, done + event.pending);
      progress.update(share, describeEnriching(event), event.toGo?.seconds ?? null);
    },
  });
  return {
    ...counts,
    pending,
    hierarchy,
    usage: usageReport(usage),
    byStage: stagesReport(byStage),
    dropped,
    seconds: Math.round(seconds * 1000) / 1000,
  };
}
