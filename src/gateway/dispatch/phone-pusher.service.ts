import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import type { Device } from '../../devices/device.schema';
import type { OutgoingMessage } from '../../messages/message.schema';
import type { PushResult } from '../../push/push-transport';
import { PushService } from '../../push/push.service';
import { pushTargetOf } from '../sends/sending-device.service';
import { toSmsCommand } from './sms-command';

/** Hands messages to phones, and records it: a phone that does not answer is unresponsive. */
@Injectable()
export class PhonePusher {
  constructor(
    private readonly pushes: PushService,
    private readonly connections: ConnectionRecorder,
  ) {}

  /** @returns one result per message, in the same order. Never throws. */
  push(device: Device, messages: readonly OutgoingMessage[]): Promise<PushResult[]> {
    this.recordHandOver(device._id);
    return this.pushes.push(pushTargetOf(device), messages.map(toSmsCommand));
  }

  /** Records that the phone may have messages. */
  recordHandOver(device: Types.ObjectId): void {
    this.connections.recordHandOver(device);
  }
}
