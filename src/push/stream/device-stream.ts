import type { ServerResponse } from 'node:http';
import type { AuthenticatedAccount } from '../../auth/account-scope';
import type { Types } from 'mongoose';
import { SseStream } from '../../common/http/sse-stream';
import type { PushCommand } from '../push-transport';

/** A phone with more unread data than this is disconnected; it gets the rest after it reconnects. */
const MAX_BUFFERED_BYTES = 1024 * 1024;

/** The open stream of a phone: Server-Sent Events on the response to its request. */
export class DeviceStream extends SseStream {
  constructor(
    readonly account: AuthenticatedAccount,
    readonly deviceId: Types.ObjectId,
    response: ServerResponse,
  ) {
    super(response, MAX_BUFFERED_BYTES);
  }

  send(command: PushCommand): void {
    const { kind, ...content } = command;
    if (command.kind === 'sms') this.sendEvent(kind, command.payload, command.id);
    else this.sendEvent(kind, content);
  }
}
