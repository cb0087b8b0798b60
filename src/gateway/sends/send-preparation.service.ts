import { Injectable } from '@nestjs/common';
import { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { EmailNotVerified } from '../../auth/auth.errors';
import { Clock } from '../../common/clock';
import { ValidationFailed } from '../../common/errors';
import { Device } from '../../devices/device.schema';
import { DevicesRepository } from '../../devices/devices.repository';
import { SimsService } from '../../devices/sims/sims.service';
import { PushService } from '../../push/push.service';
import { longestSmsCommand } from '../dispatch/sms-command';
import type { PreparedSend } from './acceptance.service';
import type { SendInput } from '../dto/send.request';
import { entryField, SendEntry, validateSend, ValidatedSend } from './send-validation';
import { pushTargetOf, SendingDeviceService } from './sending-device.service';

/** Checks a send against its account and its device. */
@Injectable()
export class SendPreparationService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly devices: DevicesRepository,
    private readonly sendingDevice: SendingDeviceService,
    private readonly sims: SimsService,
    private readonly push: PushService,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws ValidationFailed, EmailNotVerified, DeviceNotFound, DeviceDisabled, DeviceDraining, DeviceNotPushable,
   * NoEnabledDevice
   */
  async prepare(account: AccountScope, input: SendInput): Promise<Omit<PreparedSend, 'idempotency'>> {
    const validated = validateSend(input, this.clock.now());
    const [sender, named] = await Promise.all([
      this.accounts.findSendingAccount(account),
      validated.deviceId && this.devices.find(account, validated.deviceId),
    ]);
    if (sender?.email && !sender.emailVerifiedAt) throw new EmailNotVerified();
    const device =
      named === undefined
        ? await this.sendingDevice.selectDevice(account, sender?.defaultDevice)
        : this.sendingDevice.assertCanSend(named);
    const request = resolveSims(input, validated, device);
    await this.assertSimsEnabled(account, input, request, device);
    assertEncryptionSupported(input, request, device);
    this.assertPushSizes(input, request, device);
    return { request, device, plan: sender?.plan, defaultCountry: sender?.defaultCountry };
  }

  /** Only named SIMs are checked: other messages wait if all are disabled. */
  private async assertSimsEnabled(
    account: AccountScope,
    input: SendInput,
    { entries }: ValidatedSend,
    device: Device,
  ): Promise<void> {
    if (entries.every(({ simSubscriptionId }) => simSubscriptionId === undefined)) return;
    const disabled = await this.sims.listDisabled(account, device._id);
    const errors = entries.flatMap(({ simSubscriptionId }, number) => {
      if (simSubscriptionId === undefined || !disabled.has(simSubscriptionId)) return [];
      const field = entryField(input, number, 'simSubscriptionId');
      return [
        { field, message: `${field} ${simSubscriptionId} is disabled; enable the SIM or name another one` },
      ];
    });
    if (errors.length > 0) throw new ValidationFailed(errors);
  }

  private assertPushSizes(input: SendInput, request: ValidatedSend, device: Device): void {
    const target = pushTargetOf(device);
    const errors = request.entries.flatMap((entry, number) => {
      if (this.push.fits(target, longestSmsCommand({ ...entry, ...chosenLater(entry, device) }))) return [];
      const field = entryField(
        input,
        number,
        entry.encryptedMessage === undefined ? 'message' : 'encryptedMessage',
      );
      return [
        { field, message: `${field} is too long for the push service of the device; shorten or split it` },
      ];
    });
    if (errors.length > 0) throw new ValidationFailed(errors);
  }
}

function assertEncryptionSupported(input: SendInput, request: ValidatedSend, device: Device): void {
  if (device.supportsEncryption) return;
  const errors = request.entries.flatMap(({ encryptedMessage }, number) => {
    if (encryptedMessage === undefined) return [];
    const field = entryField(input, number, 'encrypted');
    return [{ field, message: `${field} requires a device that registered with supportsEncryption: true` }];
  });
  if (errors.length > 0) throw new ValidationFailed(errors);
}

/** The SIM that may be chosen when the message leaves: its id makes the command longer. */
function chosenLater({ simSubscriptionId }: SendEntry, { simInfo }: Device): Partial<SendEntry> {
  const ids = simInfo?.sims.map(({ subscriptionId }) => subscriptionId) ?? [];
  return simSubscriptionId === undefined && ids.length > 1 ? { simSubscriptionId: Math.max(...ids) } : {};
}

/**
 * Checks the selected SIMs against those of the device. Older integrations send 0 for no selection.
 * @throws ValidationFailed with an error for each unknown SIM.
 */
function resolveSims(input: SendInput, request: ValidatedSend, device: Device): ValidatedSend {
  const known = new Set(device.simInfo?.sims.map(({ subscriptionId }) => subscriptionId));
  const isNone = ({ simSubscriptionId }: SendEntry) => simSubscriptionId === 0 && !known.has(0);
  const errors = request.entries.flatMap((entry, number) => {
    const { simSubscriptionId: sim } = entry;
    if (sim === undefined || isNone(entry) || known.size === 0 || known.has(sim)) return [];
    const field = entryField(input, number, 'simSubscriptionId');
    const message = `${field} ${sim} is not a SIM of the device; it has ${[...known].join(', ')}`;
    return [{ field, message }];
  });
  if (errors.length > 0) throw new ValidationFailed(errors);
  const entries = request.entries.map((entry) =>
    isNone(entry) ? { ...entry, simSubscriptionId: undefined } : entry,
  );
  return { ...request, entries };
}
