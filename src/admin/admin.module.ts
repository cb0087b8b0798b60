import { Module } from '@nestjs/common';
import { Help, RootCommand } from 'nest-commander';
import { AccountCommand } from './commands/account.command';
import { DeviceCommand } from './commands/device.command';
import { EventsCommand } from './commands/events.command';
import { KeyCommand } from './commands/key.command';
import { MigrateCommand, SecretsCommand, UpkeepCommand } from './commands/maintenance.command';
import { PlanCommand } from './commands/plan.command';
import { SignInLinkCommand } from './commands/sign-in-link.command';
import { Installation } from './installation';
import { CommandGroup } from './operator-command';

@RootCommand({
  name: 'admin',
  description: 'The operator’s commands, on the installation of the environment.',
})
export class AdminCommand extends CommandGroup {
  @Help('after')
  explain(): string {
    return `
Without an [email] it is the only account.

How it is called:
  in a checkout        npm run admin -- <command>
  built                node dist/admin.js <command>
  with Docker Compose  docker compose exec api node dist/admin.js <command>`;
  }
}

/** Each noun is a file in commands/; a command of it is a class there, and stands in its `subCommands`. */
const COMMANDS = [
  AccountCommand,
  KeyCommand,
  DeviceCommand,
  PlanCommand,
  SignInLinkCommand,
  EventsCommand,
  MigrateCommand,
  SecretsCommand,
  UpkeepCommand,
];

/** The command line; the installation behind it is opened when a command asks for it. */
@Module({
  providers: [
    Installation,
    AdminCommand,
    ...COMMANDS.flatMap((command) => command.registerWithSubCommands()),
  ],
})
export class AdminModule {}
