import { Command } from 'nest-commander';
import { PlanAdministration } from '../../billing/plans/plan-administration.service';
import { type Plan, UNLIMITED } from '../../billing/plans/plan.schema';
import { CommandGroup } from '../command-group';

const LIMIT = 'a whole number, or unlimited';

interface SetOptions {
  readonly displayName?: string;
  readonly daily?: string;
  readonly monthly?: string;
  readonly batch?: string;
}

@Command({ name: 'plan', description: 'Plans; see also "account plan"' })
export class PlanCommand extends CommandGroup {
  protected override addCommands(): void {
    this.add(
      'list',
      'List all plans: name, display name, messages per day and per month, recipients per send',
    ).action(async () => {
      for (const plan of await (await this.plans()).list()) this.printPlan(plan);
    });

    this.add('show <plan>', 'Show one plan').action(async (name: string) => {
      this.printPlan(await (await this.plans()).get(name));
    });

    this.add('set <plan>', 'Change the limits of a plan, or create one; it takes effect within 10 seconds')
      .option('--display-name <text>', 'name shown to users')
      .option('--daily <limit>', `messages per day: ${LIMIT}`)
      .option('--monthly <limit>', `messages per month: ${LIMIT}`)
      .option('--batch <limit>', `recipients per send: ${LIMIT}`)
      .action((name: string, options: SetOptions) => this.set(name, options));
  }

  private async set(name: string, { displayName, daily, monthly, batch }: SetOptions): Promise<void> {
    const limits = {
      dailyLimit: this.readLimit('--daily', daily),
      monthlyLimit: this.readLimit('--monthly', monthly),
      bulkSendLimit: this.readLimit('--batch', batch),
    };
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
      this.fail(
        `${name} is not a valid plan name: up to 40 lowercase letters, digits and hyphens, starting with a letter`,
      );
    this.printPlan(await (await this.plans()).set(name, { displayName, ...limits }));
  }

  private readLimit(flag: string, text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    if (text === 'unlimited') return UNLIMITED;
    if (!/^\d{1,9}$/.test(text)) this.fail(`${flag} must be ${LIMIT}, not ${text}`);
    return Number(text);
  }

  private printPlan({ _id, displayName, dailyLimit, monthlyLimit, bulkSendLimit }: Plan): void {
    const limit = (count: number) => (count === UNLIMITED ? 'unlimited' : String(count));
    this.printRow([_id, displayName, limit(dailyLimit), limit(monthlyLimit), limit(bulkSendLimit)]);
  }

  private plans(): Promise<PlanAdministration> {
    return this.installation.get(PlanAdministration);
  }
}
