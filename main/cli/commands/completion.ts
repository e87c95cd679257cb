import { Argument, Command } from 'commander';
import { completionScript, SHELLS, type Shell } from '../completion-scripts.ts';
import type { Terminal } from '../console.ts';

/** @param program - makes the program with all its commands. */
export function completionCommand(terminal: Terminal, program: () => Promise<Command>): Command {
  return new Command('completion')
    .description('Print a script with which a shell completes commands and flags.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
  source <(mnemis completion bash)       in ~/.bashrc
  source <(mnemis completion zsh)        in ~/.zshrc, after compinit
  mnemis completion fish | source        in ~/.config/fish/config.fish`,
    )
    .action(async (shell: Shell) => {
      terminal.stdout.write(completionScript(await program(), shell));
    });
}
