import { isEmail } from 'class-validator';
import type { Types } from 'mongoose';
import { CommandRunner } from 'nest-commander';
import { parseId } from '../common/http/id.pipe';

/** A command as Commander knows it; nest-commander brings its own Commander and does not export the type. */
export type CommanderCommand = Parameters<CommandRunner['setCommand']>[0];

/** What every command shares: errors instead of `process.exit`, no unknown words, answers line by line. */
export abstract class OperatorCommand extends CommandRunner {
  override setCommand(command: CommanderCommand): this {
    // Commander ends the process by itself otherwise, and closes nothing.
    command.exitOverride().allowExcessArguments(false);
    return super.setCommand(command);
  }

  protected print(line: string): void {
    process.stdout.write(`${line}\n`);
  }

  /** Fails as Commander fails, with the way to help. */
  protected refuse(reason: string): never {
    return this.command.error(
      `error: ${reason}\nSee: ${['admin', pathOf(this.command)].join(' ').trim()} --help`,
    );
  }

  /** @returns the address in lower case. */
  protected readEmail(text: string): string {
    if (!isEmail(text)) this.refuse(`${text} is not an e-mail address`);
    return text.toLowerCase();
  }

  protected readOptionalEmail(text: string | undefined): string | undefined {
    return text === undefined ? undefined : this.readEmail(text);
  }

  protected readDeviceId(text: string): Types.ObjectId {
    return (
      parseId(text) ??
      this.refuse(`${text} is not the id of a phone: 24 hexadecimal digits, as device list shows them`)
    );
  }
}

/** A noun: it has commands, and does nothing by itself. */
export abstract class CommandGroup extends OperatorCommand {
  override setCommand(command: CommanderCommand): this {
    super.setCommand(command);
    // An unknown command arrives at `run`, which names it.
    command.allowExcessArguments();
    return this;
  }

  run([unknown]: string[]): Promise<void> {
    if (unknown === undefined) this.command.help({ error: true });
    return this.refuse(`There is no command ${[pathOf(this.command), unknown].filter(Boolean).join(' ')}`);
  }
}

/** The words that lead to a command, without the program's own name. */
export function pathOf(command: CommanderCommand): string {
  const { parent } = command;
  return parent ? `${pathOf(parent)} ${command.name()}`.trim() : '';
}
