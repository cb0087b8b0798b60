import { Command, Option, SubCommand } from 'nest-commander';
import { PlanAdministration } from '../../billing/plans/plan-administration.service';
import { type Plan, UNLIMITED } from '../../billing/plans/plan.schema';
import { CommandGroup, OperatorCommand } from '../operator-command';

const LIMIT = 'a whole number, or unlimited';

interface SetOptions {
  readonly displayName?: string;
  readonly daily?: number;
  readonly monthly?: number;
  readonly batch?: number;
}

@SubCommand({
  name: 'list',
  description: 'List all plans: name, display name, messages per day and per month, recipients per send',
})
export class PlanListCommand extends OperatorCommand {
  async run(): Promise<void> {
    const plans = await this.installation.get(PlanAdministration);
    for (const plan of await plans.list()) this.printRow(rowOf(plan));
  }
}

@SubCommand({ name: 'show', arguments: '<plan>', description: 'Show one plan' })
export class PlanShowCommand extends OperatorCommand {
  async run([name = '']: string[]): Promise<void> {
    const plans = await this.installation.get(PlanAdministration);
    this.printRow(rowOf(await plans.get(name)));
  }
}

@SubCommand({
  name: 'set',
  arguments: '<plan>',
  description: 'Change the limits of a plan, or create one; it takes effect within 10 seconds',
})
export class PlanSetCommand extends OperatorCommand {
  async run([name = '']: string[], options: SetOptions): Promise<void> {
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
      this.fail(
        `${name} is not a valid plan name: up to 40 lowercase letters, digits and hyphens, starting with a letter`,
      );
    const plans = await this.installation.get(PlanAdministration);
    const { displayName, daily: dailyLimit, monthly: monthlyLimit, batch: bulkSendLimit } = options;
    this.printRow(rowOf(await plans.set(name, { displayName, dailyLimit, monthlyLimit, bulkSendLimit })));
  }

  @Option({ flags: '--display-name <text>', description: 'name shown to users' })
  readDisplayName(text: string): string {
    return text;
  }

  @Option({ flags: '--daily <limit>', description: `messages per day: ${LIMIT}` })
  readDaily(text: string): number {
    return this.readLimit('--daily', text);
  }

  @Option({ flags: '--monthly <limit>', description: `messages per month: ${LIMIT}` })
  readMonthly(text: string): number {
    return this.readLimit('--monthly', text);
  }

  @Option({ flags: '--batch <limit>', description: `recipients per send: ${LIMIT}` })
  readBatch(text: string): number {
    return this.readLimit('--batch', text);
  }

  private readLimit(flag: string, text: string): number {
    if (text === 'unlimited') return UNLIMITED;
    if (!/^\d{1,9}$/.test(text)) this.fail(`${flag} must be ${LIMIT}, not ${text}`);
    return Number(text);
  }
}

@Command({
  name: 'plan',
  description: 'Plans; see also "account plan"',
  subCommands: [PlanListCommand, PlanShowCommand, PlanSetCommand],
})
export class PlanCommand extends CommandGroup {}

function rowOf({ _id, displayName, dailyLimit, monthlyLimit, bulkSendLimit }: Plan): string[] {
  const limit = (count: number) => (count === UNLIMITED ? 'unlimited' : String(count));
  return [_id, displayName, limit(dailyLimit), limit(monthlyLimit), limit(bulkSendLimit)];
}
