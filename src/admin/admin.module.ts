import { Module } from '@nestjs/common';
import { Help, RootCommand } from 'nest-commander';
import { AccountCommand } from './commands/account.command';
import { DeviceCommand } from './commands/device.command';
import { EventsCommand } from './commands/events.command';
import { KeyCommand } from './commands/key.command';
import { MigrateCommand, SecretsCommand, MaintenanceCommand } from './commands/maintenance.command';
import { PlanCommand } from './commands/plan.command';
import { SignInLinkCommand } from './commands/sign-in-link.command';
import { Installation } from './installation';
import { CommandGroup } from './operator-command';

@RootCommand({
  name: 'admin',
  description: 'Admin commands. They use the settings of the environment, as the service does.',
})
export class AdminCommand extends CommandGroup {
  @Help('after')
  explain(): string {
    return `
[email] can be omitted if there is only one account.

How to run it:
  in a checkout        npm run admin -- <command>
  built                node dist/admin.js <command>
  with Docker Compose  docker compose exec api node dist/admin.js <command>`;
  }
}

/** One class per command group, with its commands in `subCommands`. */
const COMMANDS = [
  AccountCommand,
  KeyCommand,
  DeviceCommand,
  PlanCommand,
  SignInLinkCommand,
  EventsCommand,
  MigrateCommand,
  SecretsCommand,
  MaintenanceCommand,
];

/** The command line of the operator. */
@Module({
  providers: [
    Installation,
    AdminCommand,
    ...COMMANDS.flatMap((command) => command.registerWithSubCommands()),
  ],
})
export class AdminModule {}
