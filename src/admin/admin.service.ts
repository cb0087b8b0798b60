import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { AccountAdministration } from '../auth/account-administration.service';
import type { AccountScope } from '../auth/account-scope';
import { ApiKeysService } from '../auth/api-keys.service';
import { SubscriptionsService } from '../billing/subscriptions.service';
import { OperatorError } from '../common/errors';
import { Rounds } from '../common/upkeep/rounds.service';
import type { Device } from '../devices/device.schema';
import { DevicesService } from '../devices/devices.service';
import { SecretRotationService } from '../webhooks/secret-rotation.service';
import { AdminCommand } from './admin-command';
import { qrCode } from './qr-code';

class NoSuchPlan extends OperatorError {
  constructor(plan: string, known: readonly string[]) {
    super(`There is no plan ${plan}, only ${known.join(', ')}`);
  }
}

class NoSuchKey extends OperatorError {
  constructor(key: string) {
    super(`No key in use has the id or the beginning ${key}; key list shows those that are`);
  }
}

class SeveralKeys extends OperatorError {
  constructor(key: string, ids: readonly string[]) {
    super(`Several keys begin with ${key}; give the id of one: ${ids.join(', ')}`);
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
      case 'key create': {
        const key = await this.keys.create(await this.accounts.find(command.email), command.name);
        // By itself on the first line: it is likely read by a program.
        yield key;
        if (command.qr) {
          // What the app reads of it is the bare key.
          yield* qrCode(key);
          yield 'To pair a phone, scan it with the app';
        }
        return;
      }
      case 'key list':
        for (const key of await this.keys.list(await this.accounts.find(command.email), 'active')) {
          const times = [key.createdAt.toISOString(), key.lastUsedAt?.toISOString() ?? 'never used'];
          yield [key._id.toHexString(), key.start ?? '', key.name, ...times].join('\t');
        }
        return;
      case 'key revoke': {
        const account = await this.accounts.find(command.email);
        const { name } = await this.keys.revoke(account, await this.keyIdOf(account, command.key));
        yield `The key ${command.key} (${name}) opens nothing any more`;
        return;
      }
      case 'device list':
        for (const view of await this.devices.list(await this.accounts.find(command.email))) {
          const { device, isDefault } = view;
          const facts = [device._id.toHexString(), labelOf(device)];
          facts.push(
            device.enabled ? 'enabled' : 'disabled',
            device.lastHeartbeat?.toISOString() ?? 'never heard',
          );
          yield [...facts, ...(isDefault ? ['default'] : [])].join('\t');
        }
        return;
      case 'device disable': {
        const account = await this.accounts.find(command.email);
        const { device } = await this.devices.update(account, command.id, { enabled: false });
        yield `${labelOf(device)} is disabled: nothing is sent through it any more`;
        return;
      }
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

  /** @param text its id, or its beginning as the list shows it. */
  private async keyIdOf(account: AccountScope, text: string): Promise<Types.ObjectId> {
    const keys = await this.keys.list(account, 'active');
    const [found, ...others] = keys.filter(({ _id, start }) => _id.toHexString() === text || start === text);
    if (!found) throw new NoSuchKey(text);
    if (others.length > 0)
      throw new SeveralKeys(
        text,
        [found, ...others].map(({ _id }) => _id.toHexString()),
      );
    return found._id;
  }

  private async assertPlan(plan: string): Promise<void> {
    const names = (await this.subscriptions.listPlans()).map(({ _id }) => _id);
    if (!names.includes(plan)) throw new NoSuchPlan(plan, names);
  }
}

function labelOf({ name, brand, model }: Device): string {
  return name ?? `${brand} ${model}`;
}
