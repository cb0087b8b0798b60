import 'reflect-metadata';
import { CommandFactory } from 'nest-commander';
import { AdminModule } from './admin/admin.module';
import { type CommanderCommand, pathOf } from './admin/operator-command';
import { formatOperatorError } from './infrastructure/logging/format-operator-error';

/** Runs one of the commands in admin/commands. Exit codes: 0 success, 1 failure, 2 invalid command line. */
async function main(): Promise<void> {
  const app = await CommandFactory.createWithoutRunning(AdminModule, {
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
    await CommandFactory.runApplication(app);
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

main().then(
  () => process.exit(0),
  (failure: unknown) => {
    const exitCode = exitCodeOf(failure);
    if (exitCode === undefined) process.stderr.write(`${formatOperatorError(failure)}\n`);
    process.exit(exitCode ?? 1);
  },
);
