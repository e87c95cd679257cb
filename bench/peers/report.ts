import type { Measured } from './measure.ts';

/** One line of a table; `missed` says why there are no figures. */
export interface Cell {
  readonly peer: string;
  readonly measured: Measured | { readonly missed: string };
}

/** What an installation of a library alone adds. */
export interface Installed {
  readonly peer: string;
  readonly versions: string;
  readonly settings: string;
  readonly packages?: number;
  readonly megabytes?: number;
}

const HEAD = [
  ...['', 'turn recall@10', 'adds/s', 'processor time of an add', 'then (processor time)', 'search p50; p95'],
  ...['processor time of a search', '÷ first line', 'disk', 'peak memory (above Node)'],
];

/** A table in Markdown of one task, in the order of the cells. */
export function taskTable(cells: readonly Cell[]): string {
  const first = cells.map(({ measured }) => measured).find((measured) => 'turns' in measured);
  const head = HEAD.filter((name) => first?.recallAt10 !== null || !name.includes('recall'));
  const lines = cells.map(({ peer, measured }) => {
    if ('missed' in measured) return [`\`${peer}\``, measured.missed, ...head.slice(2).map(() => '')];
    const { recallAt10, addsPerSecond, addCpuMs, prepareSeconds, p50Ms, p95Ms, searchCpuMs, diskMb } =
      measured;
    return [
      `\`${peer}\``,
      ...(recallAt10 === null ? [] : [recallAt10.toFixed(1)]),
      whole(addsPerSecond),
      `${figure(addCpuMs)} ms`,
      prepareSeconds === null ? '' : `${figure(prepareSeconds)} (${figure(measured.prepareCpuSeconds)}) s`,
      `${figure(p50Ms)}; ${figure(p95Ms)} ms`,
      `${figure(searchCpuMs)} ms`,
      first === undefined ? '' : figure(searchCpuMs / first.searchCpuMs),
      diskMb === null ? 'none' : `${figure(diskMb)} MB`,
      `${whole(measured.peakMb)} (${whole(measured.aboveMb)}) MB`,
    ];
  });
  return table([head, ...lines]);
}

export function installTable(installed: readonly Installed[]): string {
  const isMeasured = installed.some(({ megabytes }) => megabytes !== undefined);
  const head = ['', 'version', ...(isMeasured ? ['packages', 'installed'] : []), 'how it is used'];
  const lines = installed.map(({ peer, versions, settings, packages, megabytes }) => [
    `\`${peer}\``,
    versions,
    ...(isMeasured ? [String(packages ?? ''), megabytes === undefined ? '' : `${megabytes} MB`] : []),
    settings,
  ]);
  return table([head, ...lines]);
}

function table([head, ...lines]: readonly (readonly string[])[]): string {
  const rule = head!.map(() => '---');
  return [head!, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Three digits. */
export function figure(value: number): string {
  return value >= 100 ? whole(value) : String(Number(value.toPrecision(value < 1 ? 2 : 3)));
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
