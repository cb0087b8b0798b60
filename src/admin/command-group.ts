import { Inject } from '@nestjs/common';
import { isEmail } from 'class-validator';
import type { Types } from 'mongoose';
import { CommandRunner } from 'nest-commander';
import type { AccountScope } from '../auth/account-scope';
import { AccountAdministrationService } from '../auth/accounts/account-administration.service';
import { parseId } from '../common/http/requests/id.pipe';
import { sanitizeLine } from '../common/text/printable';
import { Installation } from './installation';

/** The type of Commander's commands, which nest-commander does not export. */
export type CommanderCommand = Parameters<CommandRunner['setCommand']>[0];

/** Base class of command groups: throws instead of `process.exit`, and prints sanitized lines. */
export abstract class CommandGroup extends CommandRunner {
  @Inject() protected readonly installation!: Installation;

  private running?: CommanderCommand;

  override setCommand(group: CommanderCommand): this {
    super.setCommand(group);
    // Commander would call process.exit before the application is closed, and passes an unknown command as an argument to `run`.
    group.exitOverride().allowExcessArguments();
    group.hook('preAction', (_, command) => {
      this.running = command;
    });
    this.addCommands();
    return this;
  }

  run([unknown]: string[]): Promise<void> {
    if (unknown === undefined) this.command.help({ error: true });
    return this.fail(`There is no command ${[pathOf(this.command), unknown].filter(Boolean).join(' ')}`);
  }

  protected abstract addCommands(): void;

  /** Adds a command. @param usage its name and arguments. */
  protected add(usage: string, description: string): CommanderCommand {
    return this.command.command(usage).description(description).allowExcessArguments(false);
  }

  protected print(line: string): void {
    process.stdout.write(`${sanitizeLine(line)}\n`);
  }

  /** Prints cells separated by tabs. */
  protected printRow(cells: readonly string[]): void {
    process.stdout.write(`${cells.map(sanitizeLine).join('\t')}\n`);
  }

  /** Fails like Commander, with a pointer to the help. */
  protected fail(reason: string): never {
    const command = this.running ?? this.command;
    return command.error(`error: ${reason}\nSee: ${['admin', pathOf(command)].join(' ').trim()} --help`);
  }

  /** @returns the address in lower case. */
  protected readEmail(text: string): string {
    if (!isEmail(text)) this.fail(`${text} is not an e-mail address`);
    return text.toLowerCase();
  }

  /** @param address undefined if there is only one account. */
  protected async findAccount(address: string | undefined): Promise<AccountScope> {
    const email = address === undefined ? undefined : this.readEmail(address);
    return (await this.installation.get(AccountAdministrationService)).find(email);
  }

  protected readDeviceId(text: string): Types.ObjectId {
    return (
      parseId(text) ??
      this.fail(`${text} is not a device id (24 hexadecimal digits); run "device list" to see the ids`)
    );
  }
}

/** The names of a command and its groups, without the program's name: "account create". */
export function pathOf(command: CommanderCommand): string {
  const { parent } = command;
  return parent ? `${pathOf(parent)} ${command.name()}`.trim() : '';
}
