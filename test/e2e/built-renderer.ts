import { execFileSync } from 'node:child_process';

/** Builds the pages once, before all specs. */
export function setup(): void {
  execFileSync('npm', ['run', '-s', 'build:renderer'], { stdio: ['ignore', 'ignore', 'inherit'] });
}
