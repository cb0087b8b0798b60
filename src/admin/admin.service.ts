import { Injectable } from '@nestjs/common';
import { AccountAdministration } from '../auth/account-administration.service';
import { ApiKeysService } from '../auth/api-keys.service';
import { SubscriptionsService } from '../billing/subscriptions.service';
import { OperatorError } from '../common/errors';
import { Rounds } from '../common/upkeep/rounds.service';
import { DevicesService } from '../devices/devices.service';
import { SecretRotationService } from '../webhooks/secret-rotation.service';
import { AdminCommand } from './admin-command';

class NoSuchPlan extends OperatorError {
  constructor(plan: string, known: readonly string[]) {
    super(`There is no plan ${plan}, only ${known.join(', ')}`);
  }
}

/** Does what the operator's command line says, with the service's own services. */
@Injectable()
export class AdminService {
  constructor(
    private readonly accounts: AccountAdministration,
    private readonly keys: ApiKeysService,
    private readonly subscriptions: SubscriptionsService,
    private readonly devices: DevicesService,
    private readonly secrets: SecretRotationService,
    private readonly rounds: Rounds,
  ) {}

  /**
   * Runs a command; what it yields are the lines of its answer.
   * @throws OperatorError
   */
  async *run(command: AdminCommand): AsyncGenerator<string> {
    switch (command.kind) {
      case 'account create': {
        const { email, plan, name = email } = command;
        if (plan !== undefined) await this.assertPlan(plan);
        const { user } = await this.accounts.create(email, name, plan);
        yield `Account ${email} made, with the id ${user.toHexString()}`;
        return;
      }
      case 'account plan': {
        await this.assertPlan(command.plan);
        await this.accounts.setPlan(await this.accounts.find(command.email), command.plan);
        yield `Account ${command.email} is on the plan ${command.plan}`;
        return;
      }
      case 'account list':
        for await (const { _id, email, name, plan, emailVerifiedAt } of this.accounts.list()) {
          const verified = emailVerifiedAt ? 'verified' : 'not verified';
          yield [_id.toHexString(), email, name, plan ?? 'default plan', verified].join('\t');
        }
        return;
      case 'key create':
        // The key and nothing else: it is likely read by a program.
        yield await this.keys.create(await this.accounts.find(command.email), command.name);
        return;
      case 'device list':
        for (const { device, isDefault } of await this.devices.list(
          await this.accounts.find(command.email),
        )) {
          const facts = [device._id.toHexString(), device.name ?? `${device.brand} ${device.model}`];
          facts.push(
            device.enabled ? 'enabled' : 'disabled',
            device.lastHeartbeat?.toISOString() ?? 'never heard',
          );
          yield [...facts, ...(isDefault ? ['default'] : [])].join('\t');
        }
        return;
      case 'secrets rotate': {
        const rotated = await this.secrets.rotate();
        yield `The secrets of ${rotated} webhook subscription${rotated === 1 ? '' : 's'} were encrypted anew`;
        yield 'All are under the first of ENCRYPTION_KEYS now: the keys behind it can go';
        return;
      }
      case 'upkeep now':
        await this.rounds.hastenAll();
        yield 'All counts and all that is old are due: a process with the scheduler role begins within a minute';
    }
  }

  private async assertPlan(plan: string): Promise<void> {
    const names = (await this.subscriptions.listPlans()).map(({ _id }) => _id);
    if (!names.includes(plan)) throw new NoSuchPlan(plan, names);
  }
}
