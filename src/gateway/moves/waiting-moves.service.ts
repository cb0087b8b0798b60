import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { byId } from '../../common/documents';
import { ValidationFailed } from '../../common/errors';
import type { Device } from '../../devices/store/device.schema';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { TargetDeviceNotFound } from '../routing/move.errors';
import { MessageMovesRepository, type MovableState } from '../routing/message-moves.repository';
import { MessageMoves, type MoveProgress } from '../routing/message-moves.service';
import { SendingDeviceService } from '../senders/sending-device.service';
import { type MoveRefusal, moveRefusalOf } from './move-refusal';

/** Messages of a phone that one call moves. */
export const MAX_MOVED_MESSAGES = 5_000;

export interface MoveResult extends MoveProgress {
  /** Why the others of the named messages were not moved. */
  readonly refused: readonly { readonly id: Types.ObjectId; readonly code: MoveRefusal }[];
}

/** Moves waiting messages to the phone that their owner has chosen. Those of a pool leave it. */
@Injectable()
export class WaitingMoves {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly senders: SendingDeviceService,
    private readonly moves: MessageMoves,
    private readonly messages: MessageMovesRepository,
  ) {}

  /**
   * Moves these messages, unless they were handed over. A message without a pool that waits at the phone already counts as moved.
   * @param ids distinct ids.
   * @throws TargetDeviceNotFound, DeviceDisabled, DeviceDraining, DeviceNotPushable, PushTokenHeld
   */
  async moveMessages(
    account: AccountScope,
    ids: readonly Types.ObjectId[],
    target: Types.ObjectId,
  ): Promise<MoveResult> {
    const to = await this.targetOf(account, target);
    const before = await this.messages.findStates(account, ids);
    const movable = before.flatMap((state) => {
      const { smsBatch, wave } = state;
      const isElsewhere = !state.device.equals(to._id) || state.pool !== undefined;
      return state.status === 'pending' && isElsewhere && smsBatch
        ? [{ _id: state._id, smsBatch, wave }]
        : [];
    });
    await this.moves.move(account, movable, { to, leavesPool: true });
    const after = byId<MovableState>(await this.messages.findStates(account, ids));
    const refused = ids.flatMap((id) => {
      const code = moveRefusalOf(after.get(id.toHexString()), to);
      return code ? [{ id, code }] : [];
    });
    return { movedCount: ids.length - refused.length, isComplete: true, refused };
  }

  /**
   * Moves what waits for a phone, up to 5,000 messages.
   * @throws DeviceNotFound, TargetDeviceNotFound, DeviceDisabled, DeviceDraining, DeviceNotPushable, PushTokenHeld
   */
  async moveAll(account: AccountScope, from: Types.ObjectId, target: Types.ObjectId): Promise<MoveResult> {
    if (from.equals(target)) throw ValidationFailed.of('deviceId', 'must not be fromDeviceId');
    if (!(await this.devices.find(account, from))) throw new DeviceNotFound();
    const to = await this.targetOf(account, target);
    const moved = await this.moves.moveWaiting(account, from, to, {
      limit: MAX_MOVED_MESSAGES,
      leavesPool: true,
    });
    return { ...moved, refused: [] };
  }

  private async targetOf(account: AccountScope, id: Types.ObjectId): Promise<Device> {
    const device = await this.devices.find(account, id);
    if (!device) throw new TargetDeviceNotFound();
    return this.senders.assertCanSend(device);
  }
}
