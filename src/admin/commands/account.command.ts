import { Command, Option, SubCommand } from 'nest-commander';
import { AccountAdministration } from '../../auth/account-administration.service';
import { printable } from '../../common/printable';
import { PlanAdministration } from '../../billing/plan-administration.service';
import { ErasureService } from '../../erasure/erasure.service';
import { Installation } from '../installation';
import { CommandGroup, OperatorCommand } from '../operator-command';

interface CreateOptions {
  readonly name?: string;
  readonly plan?: string;
}

@SubCommand({
  name: 'create',
  arguments: '<email>',
  description: 'Make a verified account without a password',
})
export class AccountCreateCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([text = '']: string[], { name, plan }: CreateOptions): Promise<void> {
    const email = this.readEmail(text);
    if (plan !== undefined) await (await this.installation.get(PlanAdministration)).get(plan);
    const accounts = await this.installation.get(AccountAdministration);
    const { user } = await accounts.create(email, name ?? email, plan);
    this.print(`Account ${email} made, with the id ${user.toHexString()}`);
  }

  @Option({ flags: '--name <name>', description: 'its name; otherwise the address' })
  readName(text: string): string {
    return text;
  }

  @Option({ flags: '--plan <plan>', description: 'a plan of plan list; otherwise DEFAULT_PLAN' })
  readPlan(text: string): string {
    return text;
  }
}

@SubCommand({ name: 'list', description: 'List all accounts: id, address, name, plan, verified or not' })
export class AccountListCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run(): Promise<void> {
    const accounts = await this.installation.get(AccountAdministration);
    for await (const { _id, email, name, plan, emailVerifiedAt, disabledAt } of accounts.list()) {
      const verified = emailVerifiedAt ? 'verified' : 'not verified';
      const facts = [_id.toHexString(), printable(email), printable(name), plan ?? 'default plan', verified];
      this.print([...facts, ...(disabledAt ? ['disabled'] : [])].join('\t'));
    }
  }
}

@SubCommand({
  name: 'delete',
  arguments: '<email>',
  description: 'Close an account at once and remove everything of it; it cannot be undone',
})
export class AccountDeleteCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([text = '']: string[]): Promise<void> {
    const email = this.readEmail(text);
    const accounts = await this.installation.get(AccountAdministration);
    const account = await accounts.find(email);
    const erasures = await this.installation.get(ErasureService);
    await erasures.begin(account);
    const removed = await erasures.removeData(account);
    this.print(`Account ${email} is closed, and ${removed} records of it are removed`);
    this.print('A process with the scheduler role removes its own record within a quarter of an hour');
  }
}

@SubCommand({ name: 'plan', arguments: '<email> <plan>', description: 'Move an account to another plan' })
export class AccountPlanCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([text = '', plan = '']: string[]): Promise<void> {
    const email = this.readEmail(text);
    await (await this.installation.get(PlanAdministration)).get(plan);
    const accounts = await this.installation.get(AccountAdministration);
    await accounts.setPlan(await accounts.find(email), plan);
    this.print(`Account ${email} is on the plan ${plan}`);
  }
}

@SubCommand({
  name: 'disable',
  arguments: '<email>',
  description: 'Refuse an account’s keys and sessions, and let its messages wait, until it is enabled',
})
export class AccountDisableCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([text = '']: string[]): Promise<void> {
    const email = this.readEmail(text);
    const accounts = await this.installation.get(AccountAdministration);
    await accounts.disable(await accounts.find(email));
    this.print(`Account ${email} is disabled: nothing opens it, and its messages wait`);
  }
}

@SubCommand({ name: 'enable', arguments: '<email>', description: 'Let a disabled account go on' })
export class AccountEnableCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([text = '']: string[]): Promise<void> {
    const email = this.readEmail(text);
    const accounts = await this.installation.get(AccountAdministration);
    await accounts.enable(await accounts.find(email));
    this.print(`Account ${email} is enabled: messages that waited go out within about a minute`);
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
  ],
})
export class AccountCommand extends CommandGroup {}
