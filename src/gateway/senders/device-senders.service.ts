import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { Device } from '../../devices/store/device.schema';
import { SimsService } from '../../devices/sims/sims.service';
import { PushClient } from '../../push/push-client.service';
import type { SendInput } from '../send-input/send-input';
import { checkEntries, type SendEntry, type ValidatedSend } from '../send-input/send-validation';
import { SendingDeviceService } from './sending-device.service';
import { type Assignment, assignToDevice } from './assignment';
import { assertPushSizes } from './push-sizes';

export interface AssignedSend {
  readonly request: ValidatedSend;
  readonly assignment: Assignment;
}

/** Checks a send against the one phone that is to send it. */
@Injectable()
export class DeviceSenders {
  constructor(
    private readonly sendingDevice: SendingDeviceService,
    private readonly sims: SimsService,
    private readonly pushClient: PushClient,
  ) {}

  /**
   * @param named the device in the request, null if the account has none with its id, undefined if the request names none.
   * @throws ValidationFailed, DeviceNotFound, DeviceDisabled, DeviceDraining, DeviceNotPushable, PushTokenHeld,
   * NoEnabledDevice
   */
  async assign(
    account: AccountScope,
    input: SendInput,
    validated: ValidatedSend,
    named: Device | null | undefined,
    defaultDevice: Types.ObjectId | undefined,
  ): Promise<AssignedSend> {
    const device =
      named === undefined
        ? await this.sendingDevice.selectDevice(account, defaultDevice)
        : this.sendingDevice.assertCanSend(named);
    const request = await resolveSims(input, validated, device);
    await this.assertSimsEnabled(account, input, request, device);
    if (!device.supportsEncryption) await assertUnencrypted(input, request.entries, 'device');
    await assertPushSizes(this.pushClient, input, request.entries, [{ device, ...chosenLater(device) }]);
    return { request, assignment: assignToDevice(device) };
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
    await checkEntries(input, entries, ({ simSubscriptionId: sim }, report) => {
      if (sim !== undefined && disabled.has(sim))
        report('simSubscriptionId', `${sim} is disabled; enable the SIM or name another one`);
    });
  }
}

/** @param needed what encrypted texts require. @throws ValidationFailed with an error for each. */
export async function assertUnencrypted(
  input: SendInput,
  entries: readonly SendEntry[],
  needed: string,
): Promise<void> {
  await checkEntries(input, entries, ({ encryptedMessage }, report) => {
    if (encryptedMessage !== undefined)
      report('encrypted', `requires a ${needed} that registered with supportsEncryption: true`);
  });
}

/** The SIM that may be chosen when the message leaves: its id makes the command longer. */
function chosenLater({ simInfo }: Device): Pick<SendEntry, 'simSubscriptionId'> {
  const ids = simInfo?.sims.map(({ subscriptionId }) => subscriptionId) ?? [];
  return ids.length > 1 ? { simSubscriptionId: Math.max(...ids) } : {};
}

/**
 * Checks the selected SIMs against those of the device. Older integrations send 0 for no selection.
 * @throws ValidationFailed with an error for each unknown SIM.
 */
async function resolveSims(input: SendInput, request: ValidatedSend, device: Device): Promise<ValidatedSend> {
  const known = new Set(device.simInfo?.sims.map(({ subscriptionId }) => subscriptionId));
  const isNone = ({ simSubscriptionId }: SendEntry) => simSubscriptionId === 0 && !known.has(0);
  await checkEntries(input, request.entries, (entry, report) => {
    const { simSubscriptionId: sim } = entry;
    if (sim === undefined || isNone(entry) || known.size === 0 || known.has(sim)) return;
    report('simSubscriptionId', `${sim} is not a SIM of the device; it has ${[...known].join(', ')}`);
  });
  const entries = request.entries.map((entry) =>
    isNone(entry) ? { ...entry, simSubscriptionId: undefined } : entry,
  );
  return { ...request, entries };
}
