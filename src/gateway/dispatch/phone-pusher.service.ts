import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import type { Device } from '../../devices/device.schema';
import type { OutgoingMessage } from '../../messages/message.schema';
import type { PushResult } from '../../push/push-transport';
import { PushClient } from '../../push/push-client.service';
import { pushTargetOf } from './push-target';
import { toSmsCommand } from './sms-command';

/** Hands messages to phones, and records each hand-over, after which a phone that does not answer is unresponsive. */
@Injectable()
export class PhonePusher {
  constructor(
    private readonly pushClient: PushClient,
    private readonly connections: ConnectionRecorder,
  ) {}

  /** @returns one result per message, in the same order. Never throws. */
  push(device: Device, messages: readonly OutgoingMessage[]): Promise<PushResult[]> {
    this.recordHandOver(device._id);
    return this.pushClient.push(pushTargetOf(device), messages.map(toSmsCommand));
  }

  /** Records that the phone may have messages. */
  recordHandOver(device: Types.ObjectId): void {
    this.connections.recordHandOver(device);
  }
}
