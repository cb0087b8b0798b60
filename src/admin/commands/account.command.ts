import { Command, Option, SubCommand } from 'nest-commander';
import { AccountAdministrationService } from '../../auth/accounts/account-administration.service';
import { PlanAdministration } from '../../billing/plans/plan-administration.service';
import { ErasureService } from '../../erasure/erasure.service';
import { CommandGroup, OperatorCommand } from '../operator-command';

interface CreateOptions {
  readonly name?: string;
  readonly plan?: string;
}

@SubCommand({
  name: 'create',
  arguments: '<email>',
  description: 'Create a verified account without a password',
})
export class AccountCreateCommand extends OperatorCommand {
  async run([text = '']: string[], { name, plan }: CreateOptions): Promise<void> {
    const email = this.readEmail(text);
    if (plan !== undefined) await (await this.installation.get(PlanAdministration)).get(plan);
    const accounts = await this.installation.get(AccountAdministrationService);
    const { user } = await accounts.create(email, name ?? email, plan);
    this.print(`Account ${email} created with the id ${user.toHexString()}`);
  }

  @Option({ flags: '--name <name>', description: 'name of the owner (default: the e-mail address)' })
  readName(text: string): string {
    return text;
  }

  @Option({ flags: '--plan <plan>', description: 'a plan from "plan list" (default: DEFAULT_PLAN)' })
  readPlan(text: string): string {
    return text;
  }
}

@SubCommand({ name: 'list', description: 'List all accounts: id, address, name, plan, verified or not' })
export class AccountListCommand extends OperatorCommand {
  async run(): Promise<void> {
    const accounts = await this.installation.get(AccountAdministrationService);
    for await (const { _id, email, name, plan, emailVerifiedAt, disabledAt, operator } of accounts.list()) {
      const verified = emailVerifiedAt ? 'verified' : 'not verified';
      const cells = [_id.toHexString(), email, name, plan ?? 'default plan', verified];
      this.printRow([...cells, ...(disabledAt ? ['disabled'] : []), ...(operator ? ['operator'] : [])]);
    }
  }
}

@SubCommand({
  name: 'delete',
  arguments: '<email>',
  description: 'Close an account immediately and remove all its data; this cannot be undone',
})
export class AccountDeleteCommand extends OperatorCommand {
  async run([text = '']: string[]): Promise<void> {
    const email = this.readEmail(text);
    const account = await this.findAccount(email);
    const erasures = await this.installation.get(ErasureService);
    await erasures.start(account);
    const removed = await erasures.removeData(account);
    this.print(`Account ${email} is closed, and ${removed} of its records are removed`);
    this.print('A process with the scheduler role removes the account itself within 15 minutes');
  }
}

@SubCommand({ name: 'plan', arguments: '<email> <plan>', description: 'Move an account to another plan' })
export class AccountPlanCommand extends OperatorCommand {
  async run([text = '', plan = '']: string[]): Promise<void> {
    const email = this.readEmail(text);
    await (await this.installation.get(PlanAdministration)).get(plan);
    const accounts = await this.installation.get(AccountAdministrationService);
    await accounts.setPlan(await accounts.find(email), plan);
    this.print(`Account ${email} is now on the plan ${plan}`);
  }
}

@SubCommand({
  name: 'disable',
  arguments: '<email>',
  description: 'Refuse an account’s keys and sessions, and hold its messages, until it is enabled',
})
export class AccountDisableCommand extends OperatorCommand {
  async run([text = '']: string[]): Promise<void> {
    const email = this.readEmail(text);
    const accounts = await this.installation.get(AccountAdministrationService);
    await accounts.disable(await accounts.find(email));
    this.print(`Account ${email} is disabled: its keys and sessions are refused, and its messages wait`);
  }
}

@SubCommand({ name: 'enable', arguments: '<email>', description: 'Enable a disabled account' })
export class AccountEnableCommand extends OperatorCommand {
  async run([text = '']: string[]): Promise<void> {
    const email = this.readEmail(text);
    const accounts = await this.installation.get(AccountAdministrationService);
    await accounts.enable(await accounts.find(email));
    this.print(`Account ${email} is enabled: waiting messages are sent within about a minute`);
  }
}

interface OperatorOptions {
  readonly email?: string;
  readonly revoke?: boolean;
}

@SubCommand({
  name: 'operator',
  description: 'Make an account an operator’s: its sessions may see and administer all accounts',
})
export class AccountOperatorCommand extends OperatorCommand {
  async run(_: string[], { email, revoke = false }: OperatorOptions): Promise<void> {
    const accounts = await this.installation.get(AccountAdministrationService);
    const account = await accounts.find(this.readOptionalEmail(email));
    await accounts.setOperator(account, !revoke);
    const subject = `Account ${email ?? account.user.toHexString()}`;
    this.print(revoke ? `${subject} is no longer an operator’s` : `${subject} is an operator’s now`);
  }

  @Option({ flags: '--email <email>', description: 'the account; can be omitted if there is only one' })
  readAddress(text: string): string {
    return text;
  }

  @Option({ flags: '--revoke', description: 'take it back' })
  readRevoke(): boolean {
    return true;
  }
}

@Command({
  name: 'account',
  description: 'Accounts',
  subCommands: [
    AccountCreateCommand,
    AccountDeleteCommand,
    AccountListCommand,
    AccountPlanCommand,
    AccountDisableCommand,
    AccountEnableCommand,
    AccountOperatorCommand,
  ],
})
export class AccountCommand extends CommandGroup {}
