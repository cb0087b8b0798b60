import { CommandFactory, CommandRunnerService } from 'nest-commander';
import { AdminModule } from './admin.module';
import { type CommanderCommand, pathOf } from './command-group';
import type { ServiceModule } from './installation';
import { formatOperatorError } from '../infrastructure/logging/format-operator-error';

/**
 * Runs one of the commands in `commands/`, with the settings of the environment; it prints results and errors.
 * @param args as on the command line.
 * @param service the module with the services that the commands call.
 * @returns the exit code: 0 success, 1 failure, 2 invalid command line.
 */
export async function runAdmin(args: readonly string[], service: ServiceModule): Promise<number> {
  try {
    await run(args, service);
    return 0;
  } catch (failure) {
    const exitCode = exitCodeOf(failure);
    if (exitCode === undefined) process.stderr.write(`${formatOperatorError(failure)}\n`);
    return exitCode ?? 1;
  }
}

async function run(args: readonly string[], service: ServiceModule): Promise<void> {
  const app = await CommandFactory.createWithoutRunning(AdminModule.register(service), {
    logger: ['error', 'fatal'],
    abortOnError: false,
    serviceErrorHandler: (failure) => {
      throw failure;
    },
    helpConfiguration: {
      // The root help lists all commands, not only their groups.
      visibleCommands: (command) =>
        command.parent ? [...command.commands] : command.commands.flatMap(commandsOf),
      subcommandTerm: (command) => {
        const usage = command.options.length > 0 ? command.usage() : command.usage().replace('[options]', '');
        return `${pathOf(command)} ${usage.trim()}`.trim();
      },
    },
  });
  try {
    await app.get(CommandRunnerService).run(['node', 'admin', ...args]);
  } finally {
    await app.close();
  }
}

function commandsOf(command: CommanderCommand): CommanderCommand[] {
  return command.commands.length > 0 ? [...command.commands] : [command];
}

/** The exit code for errors that Commander has already printed; undefined for all others. */
function exitCodeOf(failure: unknown): number | undefined {
  const isCommanderError = failure instanceof Error && 'exitCode' in failure && 'code' in failure;
  if (!isCommanderError || !String(failure.code).startsWith('commander.')) return undefined;
  return failure.exitCode === 0 ? 0 : 2;
}
