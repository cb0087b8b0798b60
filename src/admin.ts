import 'reflect-metadata';
import { CommandFactory } from 'nest-commander';
import { AdminModule } from './admin/admin.module';
import { type CommanderCommand, pathOf } from './admin/operator-command';
import { failureText } from './failure-text';

/** Runs one of the operator's commands: see admin/commands. Exit codes: 0 done, 1 failed, 2 not a command. */
async function main(): Promise<void> {
  const app = await CommandFactory.createWithoutRunning(AdminModule, {
    logger: ['error', 'fatal'],
    abortOnError: false,
    serviceErrorHandler: (failure) => {
      throw failure;
    },
    helpConfiguration: {
      // The first page shows every command there is, not only the nouns.
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

/** What Commander throws once it has written what is to be said; 0 is help that was asked for. */
function exitCodeOf(failure: unknown): number | undefined {
  const isCommanders = failure instanceof Error && 'exitCode' in failure && 'code' in failure;
  if (!isCommanders || !String(failure.code).startsWith('commander.')) return undefined;
  return failure.exitCode === 0 ? 0 : 2;
}

main().then(
  () => process.exit(0),
  (failure: unknown) => {
    const exitCode = exitCodeOf(failure);
    if (exitCode === undefined) process.stderr.write(`${failureText(failure)}\n`);
    process.exit(exitCode ?? 1);
  },
);
