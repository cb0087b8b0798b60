import { Command } from 'nest-commander';
import { AccountAdministrationService } from '../../auth/accounts/account-administration.service';
import { PlanAdministration } from '../../billing/plans/plan-administration.service';
import { ErasureService } from '../../erasure/erasure.service';
import { CommandGroup } from '../command-group';

interface CreateOptions {
  readonly name?: string;
  readonly plan?: string;
}

interface OperatorOptions {
  readonly email?: string;
  readonly revoke?: boolean;
}

@Command({ name: 'account', description: 'Accounts' })
export class AccountCommand extends CommandGroup {
  protected override addCommands(): void {
    this.add('create <email>', 'Create a verified account without a password')
      .option('--name <name>', 'name of the owner (default: the e-mail address)')
      .option('--plan <plan>', 'a plan from "plan list" (default: DEFAULT_PLAN)')
      .action(async (address: string, { name, plan }: CreateOptions) => {
        const email = this.readEmail(address);
        if (plan !== undefined) await this.assertPlan(plan);
        const { user } = await (await this.accounts()).create(email, name ?? email, plan);
        this.print(`Account ${email} created with the id ${user.toHexString()}`);
      });

    this.add(
      'delete <email>',
      'Close an account immediately and remove all its data; this cannot be undone',
    ).action(async (address: string) => {
      const account = await this.findAccount(address);
      const erasures = await this.installation.get(ErasureService);
      await erasures.start(account);
      const removed = await erasures.removeData(account);
      this.print(`Account ${this.readEmail(address)} is closed, and ${removed} of its records are removed`);
      this.print('A process with the scheduler role removes the account itself within 15 minutes');
    });

    this.add('list', 'List all accounts: id, address, name, plan, verified or not').action(() => this.list());

    this.add('plan <email> <plan>', 'Move an account to another plan').action(
      async (address: string, plan: string) => {
        const email = this.readEmail(address);
        await this.assertPlan(plan);
        await (await this.accounts()).setPlan(await this.findAccount(email), plan);
        this.print(`Account ${email} is now on the plan ${plan}`);
      },
    );

    this.add(
      'disable <email>',
      'Refuse an account’s keys and sessions, and hold its messages, until it is enabled',
    ).action(async (address: string) => {
      const email = this.readEmail(address);
      await (await this.accounts()).disable(await this.findAccount(email));
      this.print(`Account ${email} is disabled: its keys and sessions are refused, and its messages wait`);
    });

    this.add('enable <email>', 'Enable a disabled account').action(async (address: string) => {
      const email = this.readEmail(address);
      await (await this.accounts()).enable(await this.findAccount(email));
      this.print(`Account ${email} is enabled: waiting messages are sent within about a minute`);
    });

    this.add('operator', 'Make an account an operator’s: its sessions may see and administer all accounts')
      .option('--email <email>', 'the account; can be omitted if there is only one')
      .option('--revoke', 'take it back')
      .action(async ({ email, revoke = false }: OperatorOptions) => {
        const account = await this.findAccount(email);
        await (await this.accounts()).setOperator(account, !revoke);
        const subject = `Account ${email ?? account.user.toHexString()}`;
        this.print(revoke ? `${subject} is no longer an operator’s` : `${subject} is an operator’s now`);
      });
  }

  private async list(): Promise<void> {
    for await (const account of (await this.accounts()).list()) {
      const { _id, email, name, plan, emailVerifiedAt, disabledAt, operator } = account;
      const verified = emailVerifiedAt ? 'verified' : 'not verified';
      const cells = [_id.toHexString(), email, name, plan ?? 'default plan', verified];
      this.printRow([...cells, ...(disabledAt ? ['disabled'] : []), ...(operator ? ['operator'] : [])]);
    }
  }

  private accounts(): Promise<AccountAdministrationService> {
    return this.installation.get(AccountAdministrationService);
  }

  private async assertPlan(plan: string): Promise<void> {
    await (await this.installation.get(PlanAdministration)).get(plan);
  }
}
