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

/** Base class of commands: throws instead of `process.exit`, rejects excess arguments, and prints sanitized lines. */
export abstract class OperatorCommand extends CommandRunner {
  @Inject() protected readonly installation!: Installation;

  override setCommand(command: CommanderCommand): this {
    // Commander would call process.exit before the application is closed.
    command.exitOverride().allowExcessArguments(false);
    return super.setCommand(command);
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
    return this.command.error(
      `error: ${reason}\nSee: ${['admin', pathOf(this.command)].join(' ').trim()} --help`,
    );
  }

  /** @returns the address in lower case. */
  protected readEmail(text: string): string {
    if (!isEmail(text)) this.fail(`${text} is not an e-mail address`);
    return text.toLowerCase();
  }

  protected readOptionalEmail(text: string | undefined): string | undefined {
    return text === undefined ? undefined : this.readEmail(text);
  }

  /** @param email undefined if there is only one account. */
  protected async findAccount(email: string | undefined): Promise<AccountScope> {
    return (await this.installation.get(AccountAdministrationService)).find(email);
  }

  protected readDeviceId(text: string): Types.ObjectId {
    return (
      parseId(text) ??
      this.fail(`${text} is not a device id (24 hexadecimal digits); run "device list" to see the ids`)
    );
  }
}

/** A group of commands. */
export abstract class CommandGroup extends OperatorCommand {
  override setCommand(command: CommanderCommand): this {
    super.setCommand(command);
    // Commander passes an unknown command as an argument to `run`.
    command.allowExcessArguments();
    return this;
  }

  run([unknown]: string[]): Promise<void> {
    if (unknown === undefined) this.command.help({ error: true });
    return this.fail(`There is no command ${[pathOf(this.command), unknown].filter(Boolean).join(' ')}`);
  }
}

/** The names of a command and its groups, without the program's name: "account create". */
export function pathOf(command: CommanderCommand): string {
  const { parent } = command;
  return parent ? `${pathOf(parent)} ${command.name()}`.trim() : '';
}
