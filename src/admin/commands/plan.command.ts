import { Command, Option, SubCommand } from 'nest-commander';
import { PlanAdministration } from '../../billing/plan-administration.service';
import { type Plan, UNLIMITED } from '../../billing/plan.schema';
import { Installation } from '../installation';
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
  description: 'List all plans: name, display name, messages a day, a month, recipients of a send',
})
export class PlanListCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run(): Promise<void> {
    const plans = await this.installation.get(PlanAdministration);
    for (const plan of await plans.list()) this.print(rowOf(plan));
  }
}

@SubCommand({ name: 'show', arguments: '<plan>', description: 'Show one plan' })
export class PlanShowCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([name = '']: string[]): Promise<void> {
    const plans = await this.installation.get(PlanAdministration);
    this.print(rowOf(await plans.get(name)));
  }
}

@SubCommand({
  name: 'set',
  arguments: '<plan>',
  description: 'Change the limits of a plan, or make one; processes read it within 10 seconds',
})
export class PlanSetCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([name = '']: string[], options: SetOptions): Promise<void> {
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
      this.refuse(`${name} cannot name a plan: up to 40 small letters, digits and dashes, a letter first`);
    const plans = await this.installation.get(PlanAdministration);
    const { displayName, daily: dailyLimit, monthly: monthlyLimit, batch: bulkSendLimit } = options;
    this.print(rowOf(await plans.set(name, { displayName, dailyLimit, monthlyLimit, bulkSendLimit })));
  }

  @Option({ flags: '--display-name <text>', description: 'what people are shown' })
  readDisplayName(text: string): string {
    return text;
  }

  @Option({ flags: '--daily <limit>', description: `messages a day: ${LIMIT}` })
  readDaily(text: string): number {
    return this.readLimit('--daily', text);
  }

  @Option({ flags: '--monthly <limit>', description: `messages a month: ${LIMIT}` })
  readMonthly(text: string): number {
    return this.readLimit('--monthly', text);
  }

  @Option({ flags: '--batch <limit>', description: `recipients of one send: ${LIMIT}` })
  readBatch(text: string): number {
    return this.readLimit('--batch', text);
  }

  private readLimit(flag: string, text: string): number {
    if (text === 'unlimited') return UNLIMITED;
    if (!/^\d{1,9}$/.test(text)) this.refuse(`${flag} is ${LIMIT}, not ${text}`);
    return Number(text);
  }
}

@Command({
  name: 'plan',
  description: 'Plans; account plan moves an account to one',
  subCommands: [PlanListCommand, PlanShowCommand, PlanSetCommand],
})
export class PlanCommand extends CommandGroup {}

function rowOf({ _id, displayName, dailyLimit, monthlyLimit, bulkSendLimit }: Plan): string {
  const limit = (count: number) => (count === UNLIMITED ? 'unlimited' : String(count));
  return [_id, displayName, limit(dailyLimit), limit(monthlyLimit), limit(bulkSendLimit)].join('\t');
}
