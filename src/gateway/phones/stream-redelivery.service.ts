import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { MessagesRepository } from '../../messages/messages.repository';
import type { PushCommand } from '../../push/push-transport';
import type { DeviceStream } from '../../push/stream/device-stream';
import { StreamHub } from '../../push/stream/stream-hub';
import { redeliveryWindow } from '../dispatch/redelivery-window';
import { toSmsCommand } from '../dispatch/sms-command';

const MAX_REDELIVERED = 500;

@Injectable()
export class StreamRedelivery {
  constructor(
    private readonly hub: StreamHub,
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
  ) {}

  /** Sends unacknowledged messages and unconfirmed cancel requests again. */
  async redeliverTo(stream: DeviceStream): Promise<void> {
    await this.hub.deliver(stream, async () => {
      const window = redeliveryWindow('stream', this.clock.now());
      const messages = await this.messages.listRedeliverable(stream.deviceId, window, MAX_REDELIVERED);
      const commands: PushCommand[] = messages.map(toSmsCommand);
      const requested = await this.messages.listCancelRequested(stream.deviceId, window, MAX_REDELIVERED);
      if (requested.length > 0)
        commands.push({ kind: 'cancel', smsIds: requested.map((id) => id.toHexString()) });
      return commands;
    });
  }
}
